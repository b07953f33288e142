// The sandbox's records in the data folder. The command line edits them while the server answers from them.

import type { DatabaseSync } from 'node:sqlite';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
import { guarded, transaction, written } from '../store/sqlite/transaction.ts';

export interface SqliteSandboxRecords extends SandboxRecords {
  /** Like `set`, but within the caller's transaction. */
  put(record: SandboxRecord, beside: boolean, accountId?: string): void;
}

/** Creates the sandbox's record storage in SQLite. */
export function createSqliteSandboxRecords(database: DatabaseSync): SqliteSandboxRecords {
  const select = prepareSelect<SandboxRecord & { account_id: string | null }>(
    database,
    'SELECT name, type, value, ttl, account_id FROM sandbox_records ORDER BY name, type, value',
  );
  const selectZone = prepareSelect<SandboxRecord>(
    database,
    "SELECT name, type, value, ttl FROM sandbox_records WHERE name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1 ORDER BY name, type, value",
  );
  const insert = database.prepare('INSERT OR REPLACE INTO sandbox_records (name, type, value, ttl, account_id) VALUES (?, ?, ?, ?, ?)');
  const removeType = database.prepare('DELETE FROM sandbox_records WHERE name = ? AND type = ?');
  const remove = database.prepare('DELETE FROM sandbox_records WHERE name = ?1 AND type = coalesce(?2, type) AND value = coalesce(?3, value)');
  const put: SqliteSandboxRecords['put'] = ({ name, type, value, ttl }, beside, accountId) => {
    if (!beside) removeType.run(name, type);
    insert.run(name, type, value, ttl, accountId ?? null);
  };
  return {
    put,
    list: () => guarded(() => select.all().map(({ account_id, ...record }) => (account_id === null ? record : { ...record, accountId: account_id }))),
    inZone: (zone) => guarded(() => selectZone.all(zone)),
    set: (record, beside, accountId) => transaction(database, () => put(record, beside, accountId)),
    unset: (name, type, value) => written(() => Number(remove.run(name, type ?? null, value ?? null).changes)),
  };
}
