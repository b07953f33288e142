// Publishes records in the sandbox, as Route 53 does on AWS. A name belongs to the account that set its first record.

import type { DatabaseSync } from 'node:sqlite';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import type { NeededRecord, RecordPublisher } from '../../core/domains/ports.ts';
import { belongsToOther } from '../../core/sandbox/ports.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { transaction } from '../store/sqlite/transaction.ts';
import { createSqliteSandboxRecords } from './sqlite-sandbox.ts';

/**
 * Creates a publisher that writes to the sandbox.
 *
 * @param suffix the sandbox's suffix; undefined if there is no sandbox, and so no zone
 * @param record adds an entry to the audit log within a transaction. @default as the service itself
 */
export function createSandboxPublisher(
  database: DatabaseSync,
  suffix: string | undefined,
  record: RecordChange = recordChanges(database),
): RecordPublisher {
  const store = createSqliteSandboxRecords(database, record);
  const isSame = (one: NeededRecord) => (other: { name: string; type: string; value: string }) =>
    other.name === one.name && other.type === one.type && other.value === one.value;
  const isZoneOf = (accountId: string, host: string) =>
    suffix !== undefined && isAtOrBelow(host, suffix) && !belongsToOther(host, [accountId], store.list(), suffix);
  return {
    publish: (accountId, host, records) =>
      // Check and write are one transaction, because the command line may write at the same time.
      transaction(database, () => {
        if (!isZoneOf(accountId, host)) return { kind: 'no_zone' };
        const present = store.list();
        const inTheWay = present.find(({ name, type, value }) =>
          records.some((needed) => needed.name === name && clash(needed.type, type) && !isSame(needed)({ name, type, value })),
        );
        if (inTheWay !== undefined) return { kind: 'conflict', seen: `${inTheWay.name} has ${inTheWay.type} ${inTheWay.value}` };
        for (const each of records) store.put(each, each.type === 'TXT', accountId);
        return { kind: 'published' };
      }),
    manages: async (accountId, host) => isZoneOf(accountId, host),
    withdraw: async (accountId, _host, records) => {
      const present = store.list().filter((record) => record.accountId === undefined || record.accountId === accountId);
      for (const { name, type, value } of records.filter((each) => present.some(isSame(each)))) await store.unset(name, type, value);
    },
  };
}

/** Whether two records can't coexist: a CNAME conflicts with every other record, an ALIAS with addresses (RFC 1034, section 3.6.2). */
function clash(needed: NeededRecord['type'], present: string): boolean {
  if (needed === 'CNAME' || present === 'CNAME') return true;
  return needed === 'ALIAS' && ['A', 'AAAA', 'ALIAS'].includes(present);
}
