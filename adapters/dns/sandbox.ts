// Publishes records in the sandbox, as Route 53 does on AWS. A name belongs to the account that set its first record.

import type { DatabaseSync } from 'node:sqlite';
import { sandboxRecordChanged } from '../../core/audit/changes.ts';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import type { NeededRecord, PublishResult, RecordPublisher } from '../../core/domains/ports.ts';
import type { Immediate } from '../../core/ports.ts';
import { belongsToOther, type SandboxChange, type SandboxRecords, type StoredSandboxRecord } from '../../core/sandbox/ports.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction } from '../store/sqlite/transaction.ts';

/** Creates a publisher that writes to the sandbox. @param suffix the sandbox's suffix; undefined if there is no sandbox, and so no zone */
export function createSandboxPublisher(store: SandboxRecords, suffix: string | undefined): RecordPublisher {
  const isSame = (one: NeededRecord) => (other: { name: string; type: string; value: string }) =>
    other.name === one.name && other.type === one.type && other.value === one.value;
  const isZoneOf = (accountId: string, host: string, present: readonly StoredSandboxRecord[]) =>
    suffix !== undefined && isAtOrBelow(host, suffix) && !belongsToOther(host, [accountId], present, suffix);
  return {
    publish: (accountId, host, records) =>
      // The check and the write are one step, because other processes may write at the same time.
      store.change((present): SandboxChange<PublishResult> => {
        if (!isZoneOf(accountId, host, present)) return { result: { kind: 'no_zone' } };
        const inTheWay = present.find(({ name, type, value }) =>
          records.some((needed) => needed.name === name && clash(needed.type, type) && !isSame(needed)({ name, type, value })),
        );
        if (inTheWay !== undefined) return { result: { kind: 'conflict', seen: `${inTheWay.name} has ${inTheWay.type} ${inTheWay.value}` } };
        return { result: { kind: 'published' }, set: records.map((each) => [each, each.type === 'TXT', accountId]) };
      }),
    manages: async (accountId, host) => isZoneOf(accountId, host, await store.list()),
    withdraw: async (accountId, _host, records) => {
      const present = (await store.list()).filter((record) => record.accountId === undefined || record.accountId === accountId);
      for (const { name, type, value } of records.filter((each) => present.some(isSame(each)))) await store.unset(name, type, value);
    },
  };
}

/** Whether two records can't coexist: a CNAME conflicts with all other records, an ALIAS only with addresses and ALIASes (RFC 1034, 3.6.2). */
function clash(needed: NeededRecord['type'], present: string): boolean {
  if (needed === 'CNAME' || present === 'CNAME') return true;
  return needed === 'ALIAS' && ['A', 'AAAA', 'ALIAS'].includes(present);
}

// The sandbox's records in the data folder. The command line edits them while the server answers from them.

/** Creates the sandbox's record storage in SQLite. */
export function createSqliteSandboxRecords(database: DatabaseSync, record: RecordChange = recordChanges(database)): Immediate<SandboxRecords> {
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
  /** Must be called within a transaction. */
  const put = (set: SandboxRecord, beside: boolean, accountId?: string) => {
    const { name, type, value, ttl } = set;
    if (!beside) removeType.run(name, type);
    insert.run(name, type, value, ttl, accountId ?? null);
    record(sandboxRecordChanged('sandbox_record.set', set, accountId));
  };
  const list = () =>
    guarded(() => select.all().map(({ account_id, ...record }) => (account_id === null ? record : { ...record, accountId: account_id })));
  return {
    list,
    inZone: (zone) => guarded(() => selectZone.all(zone)),
    set: (each, beside, accountId) => transaction(database, () => put(each, beside, accountId)),
    change: (decide) =>
      transaction(database, () => {
        const { result, set = [] } = decide(list());
        for (const each of set) put(...each);
        return result;
      }),
    unset: (name, type, value) =>
      transaction(database, () => {
        const removed = Number(remove.run(name, type ?? null, value ?? null).changes);
        if (removed > 0) record(sandboxRecordChanged('sandbox_record.removed', { name, type, value }));
        return removed;
      }),
  };
}
