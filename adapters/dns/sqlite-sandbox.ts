// The sandbox's records in the data folder, edited by the command line while the server answers from them.

import type { DatabaseSync } from 'node:sqlite';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { guarded, transaction, written } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface SandboxRecords {
  list(): readonly SandboxRecord[];
  /** Puts the record in the place of those of its name and type; with `beside`, beside them. */
  set(record: SandboxRecord, beside: boolean): Promise<void>;
  /** @returns how many were removed */
  unset(name: string, type?: string, value?: string): Promise<number>;
}

export function createSqliteSandboxRecords(database: DatabaseSync): SandboxRecords {
  const select = prepareSelect<SandboxRecord>(database, 'SELECT name, type, value, ttl FROM sandbox_records ORDER BY name, type, value');
  const insert = database.prepare('INSERT OR REPLACE INTO sandbox_records (name, type, value, ttl) VALUES (?, ?, ?, ?)');
  const removeType = database.prepare('DELETE FROM sandbox_records WHERE name = ? AND type = ?');
  const remove = database.prepare('DELETE FROM sandbox_records WHERE name = ?1 AND type = coalesce(?2, type) AND value = coalesce(?3, value)');
  return {
    list: () => guarded(() => select.all()),
    set: ({ name, type, value, ttl }, beside) =>
      transaction(database, () => {
        if (!beside) removeType.run(name, type);
        insert.run(name, type, value, ttl);
      }),
    unset: (name, type, value) => written(() => Number(remove.run(name, type ?? null, value ?? null).changes)),
  };
}
