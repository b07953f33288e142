// Makes again what the database's tables say, so that nothing is lost by it. Everything else is for the operator to decide.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { NEWEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { transactionNow } from '../../../adapters/store/sqlite/transaction.ts';
import { type Finding, messageOf, ok, problem } from './finding.ts';
import { indexAdvice, integrityLines, toMakeAgain } from './structure.ts';

const COUNT_DOMAINS = `INSERT INTO domain_counts (state, expiry_hour, domains)
  SELECT body ->> '$.state.name', CAST(coalesce(body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000, count(*) FROM domains GROUP BY 1, 2`;

/**
 * Makes indexes, triggers and what they count again, also while the service runs.
 *
 * @param full also compares indexes with tables
 * @returns what was done
 */
export function fix(dataFolder: string, full: boolean): readonly Finding[] {
  try {
    const file = join(dataFolder, DATABASE_FILE);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      if (schemaVersion(database) !== NEWEST_VERSION) return [];
      return transactionNow(database, () => made(database, full)).map((what) => ok('fix', `made again: ${what}`));
    } finally {
      database.close();
    }
  } catch (error) {
    return [problem('fix', `nothing was changed: ${messageOf(error)}`, 'first correct the other problems, then repeat --fix')];
  }
}

function made(database: DatabaseSync, full: boolean): readonly string[] {
  const again = toMakeAgain(database);
  for (const { type, name, sql } of again) database.exec(`DROP ${type} IF EXISTS ${name}; ${sql}`);
  // What the triggers have missed.
  if (again.some(({ type }) => type === 'trigger')) database.exec(`DELETE FROM domain_counts; ${COUNT_DOMAINS}`);
  const isIndexDamaged = full && indexAdvice(integrityLines(database, true)) !== undefined;
  if (isIndexDamaged) database.exec('REINDEX');
  return [...again.map(({ type, name }) => `the ${type} ${name}`), ...(isIndexDamaged ? ['all indexes'] : [])];
}
