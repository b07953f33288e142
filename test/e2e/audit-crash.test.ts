// A process that dies between a change and its entry in the audit log, or between the two and the commit, leaves both or neither.

import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { testFolder } from '../support/folders.ts';
import { runScript } from '../support/processes.ts';

/** What each entry says is there, or is gone: an entry without its change, or a change without its entry, is a row. */
const DIFFERENCES = `
  SELECT 'account ' || coalesce(a.id, e.subject) AS what
    FROM accounts a FULL JOIN (SELECT subject FROM audit WHERE action = 'account.created') e ON e.subject = a.id
    WHERE a.id IS NULL OR e.subject IS NULL
  UNION ALL
  SELECT 'key ' || coalesce(k.id, e.subject)
    FROM (SELECT id FROM api_keys UNION SELECT id FROM revoked_keys) k FULL JOIN (SELECT subject FROM audit WHERE action = 'key.issued') e ON e.subject = k.id
    WHERE k.id IS NULL OR e.subject IS NULL
  UNION ALL
  SELECT 'revoked key ' || coalesce(k.id, e.subject)
    FROM revoked_keys k FULL JOIN (SELECT subject FROM audit WHERE action = 'key.revoked') e ON e.subject = k.id
    WHERE k.id IS NULL OR e.subject IS NULL
  UNION ALL
  SELECT 'members of ' || a.id FROM accounts a
    WHERE (SELECT count(*) FROM members m WHERE m.account_id = a.id)
       <> (SELECT count(*) FILTER (WHERE action = 'member.added') - count(*) FILTER (WHERE action = 'member.removed') FROM audit e WHERE e.account_id = a.id)
  UNION ALL
  SELECT 'user ' || coalesce(u.id, e.subject)
    FROM users u FULL JOIN (SELECT subject FROM audit WHERE action = 'user.added') e ON e.subject = u.id
    WHERE u.id IS NULL OR e.subject IS NULL`;

const count = (database: DatabaseSync) => (database.prepare('SELECT count(*) AS n FROM audit').get() as { n: number }).n;

test('a kill after any statement leaves each change with its entry, or neither', async () => {
  const folder = testFolder();
  openSqliteStores(folder).close();
  const counts: number[] = [];
  for (let after = 1; ; after += 1) {
    const ended = await runScript('crashing-audit.ts', folder, [String(after)]);
    const { database, close } = openSqliteStores(folder);
    expect([`killed after ${after}`, database.prepare(DIFFERENCES).all()]).toEqual([`killed after ${after}`, []]);
    counts.push(count(database));
    close();
    if (ended === 0) break;
    expect(ended).toBe('SIGKILL');
  }
  console.info(`${counts.length - 1} kills, ${counts.at(-1)} entries`);
  // Six changes, each of several statements: the last run made all of them, and earlier runs fewer.
  expect((counts.at(-1) ?? 0) - (counts.at(-2) ?? 0)).toBe(6);
  expect(counts.length).toBeGreaterThan(20);
});
