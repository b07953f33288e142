// Rebuilds whatever can be derived from the database's tables, without losing anything. Everything else is left to the operator.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { NEWEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { transactionNow } from '../../../adapters/store/sqlite/transaction.ts';
import { messageOf } from '../../platform.ts';
import { areStopped, stopText } from '../changes.ts';
import { type Finding, ok, problem, shown } from './finding.ts';
import { indexAdvice, integrityLines, isSound, toMakeAgain, unreadableIndexes } from './structure.ts';

const COUNT_DOMAINS = `INSERT INTO domain_counts (state, expiry_hour, domains)
  SELECT body ->> '$.state.name', CAST(coalesce(body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000, count(*) FROM domains GROUP BY 1, 2`;

/** Rebuilds indexes, triggers and their counts, even while the service runs. @param full also rebuild damaged indexes @returns the repairs */
export function fix(dataFolder: string, full: boolean): readonly Finding[] {
  try {
    const file = join(dataFolder, DATABASE_FILE);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
    if (areStopped(dataFolder)) throw new Error(stopText(dataFolder));
    using database = new DatabaseSync(file, { timeout: 5_000, defensive: false });
    if (schemaVersion(database) !== NEWEST_VERSION) return [];
    const done = transactionNow(database, () => made(database, full));
    // These lines may report former pages of the unreadable indexes as unused.
    const lines = full ? integrityLines(database, false) : ['ok'];
    if (isSound(lines) && lines.join() !== 'ok') database.exec('VACUUM');
    return done.map((what) => ok('fix', `recreated: ${what}`));
  } catch (error) {
    return [problem('fix', `nothing was changed: ${messageOf(error)}`, 'first correct the other problems, then repeat --fix')];
  }
}

function made(database: DatabaseSync, full: boolean): readonly string[] {
  const again = toMakeAgain(database);
  for (const { type, name, sql } of again) database.exec(`DROP ${type} IF EXISTS ${name}; ${sql}`);
  // Recounts changes that the missing triggers did not count.
  if (again.some(({ type }) => type === 'trigger')) database.exec(`DELETE FROM domain_counts; ${COUNT_DOMAINS}`);
  const isIndexDamaged = full && mendIndexes(database);
  return [...again.map(({ type, name }) => `the ${type} ${name}`), ...(isIndexDamaged ? ['all indexes'] : [])];
}

/** @returns whether an index was damaged @throws Error if anything else is damaged; the caller undoes all changes */
function mendIndexes(database: DatabaseSync): boolean {
  const lines = integrityLines(database, true);
  if (lines.join() === 'ok' || indexAdvice(database, lines) === undefined) return false;
  const unreadable = unreadableIndexes(database, lines);
  if (unreadable.length > 0) {
    database.exec('PRAGMA writable_schema = ON');
    const forget = database.prepare("DELETE FROM sqlite_schema WHERE type = 'index' AND name = ?");
    for (const { name } of unreadable) forget.run(name);
    database.exec('PRAGMA writable_schema = RESET');
    for (const { sql } of unreadable) database.exec(sql);
  }
  database.exec('REINDEX');
  const left = integrityLines(database, true);
  if (!isSound(left)) throw new Error(`the damage is not limited to indexes: ${shown(left)}`);
  return true;
}
