// The audit log. The stores add entries with `log.ts`; triggers in the schema refuse to change entries or to remove recent ones.

import { type AuditEntry, type AuditLog, auditIdsFrom } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';
import type { Log } from './log.ts';

interface Row {
  readonly id: string;
  readonly at: bigint;
  readonly account_id: string | null;
  readonly action: AuditEntry['action'];
  readonly subject: string;
  readonly actor: string;
  readonly details: string | null;
}

/** Sorts after every id. */
const LAST = '~';

const ENTRIES: Statement = {
  text: 'SELECT * FROM audit WHERE id >= $1 AND id < $2 AND ($3::text IS NULL OR account_id = $3) ORDER BY id DESC LIMIT $4',
};

/** Creates the audit log. */
export function createAuditLog(database: Database, log: Log): AuditLog {
  return {
    entries: async ({ accountId, since, until }, limit, after) => {
      const end = until === undefined ? LAST : auditIdsFrom(until);
      const before = after !== undefined && after < end ? after : end;
      const from = since === undefined ? '' : auditIdsFrom(since);
      const rows = await database.query<Row>(ENTRIES, [from, before, accountId ?? null, limit]);
      return { items: rows.map(toEntry), next: rows.length < limit ? undefined : rows.at(-1)?.id };
    },
    record: (change) => durably(database, async (transaction) => log.record(transaction, change)),
  };
}

function toEntry({ id, at, account_id, action, subject, actor, details }: Row): AuditEntry {
  return {
    id,
    at: Number(at),
    ...(account_id !== null && { accountId: account_id }),
    action,
    subject,
    actor: JSON.parse(actor),
    ...(details !== null && { details: JSON.parse(details) }),
  };
}
