// The sandbox's records in the data folder. The command line edits them while the server answers from them.

import type { DatabaseSync } from 'node:sqlite';
import { sandboxRecordChanged } from '../../core/audit/changes.ts';
import type { SandboxRecords } from '../../core/sandbox/ports.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction } from '../store/sqlite/transaction.ts';

export interface SqliteSandboxRecords extends SandboxRecords {
  /** Like `set`, but within the caller's transaction. */
  put(record: SandboxRecord, beside: boolean, accountId?: string): void;
}

/** Creates the sandbox's record storage in SQLite. */
export function createSqliteSandboxRecords(database: DatabaseSync, record: RecordChange = recordChanges(database)): SqliteSandboxRecords {
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
  const put: SqliteSandboxRecords['put'] = (set, beside, accountId) => {
    const { name, type, value, ttl } = set;
    if (!beside) removeType.run(name, type);
    insert.run(name, type, value, ttl, accountId ?? null);
    record(sandboxRecordChanged('sandbox_record.set', set, accountId));
  };
  return {
    put,
    list: () => guarded(() => select.all().map(({ account_id, ...record }) => (account_id === null ? record : { ...record, accountId: account_id }))),
    inZone: (zone) => guarded(() => selectZone.all(zone)),
    set: (each, beside, accountId) => transaction(database, () => put(each, beside, accountId)),
    unset: (name, type, value) =>
      transaction(database, () => {
        const removed = Number(remove.run(name, type ?? null, value ?? null).changes);
        if (removed > 0) record(sandboxRecordChanged('sandbox_record.removed', { name, type, value }));
        return removed;
      }),
  };
}
