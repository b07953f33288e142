// The audit log in SQLite: the stores add an entry in the change's transaction. The schema prevents changes to entries, and removal of recent ones;
// the sweep removes old ones (expired-rows.ts).

import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Actor, type AuditEntry, auditIdsFrom, type Change, createAuditor } from '../../../core/audit/entry.ts';
import type { AuditLog } from '../../../core/audit/ports.ts';
import { asProperties, prepareSelect, type RowOf, withoutNull } from './database.ts';
import { guarded, transaction } from './transaction.ts';

type Row = Omit<RowOf<AuditEntry>, 'actor' | 'details'> & { readonly actor: string; readonly details: string | null };

const ENTRY = asProperties('id, at, account_id, action, subject, actor, details');

/** Sorts after every id. */
const LAST = '~';

/** Adds an entry within a transaction. Does nothing if the change is undefined. */
export type RecordChange = (change: Change | undefined) => void;

export interface AuditOptions {
  /** Milliseconds since 1970. @default the machine's clock */
  readonly clock?: () => number;
  /** Who makes the changes. @default the service itself */
  readonly actor?: () => Actor;
}

const SERVICE: Actor = { kind: 'service' };

/** Returns the function with which the stores add entries in the same transaction as the change. */
export function recordChanges(database: DatabaseSync, { clock = Date.now, actor = () => SERVICE }: AuditOptions = {}): RecordChange {
  const entryOf = createAuditor(clock, actor, randomBytes);
  const insert = database.prepare('INSERT INTO audit (id, at, account_id, action, subject, actor, details) VALUES (?, ?, ?, ?, ?, ?, ?)');
  return (change) => {
    if (change === undefined) return;
    const { id, at, accountId, action, subject, actor: by, details } = entryOf(change);
    insert.run(id, at, accountId ?? null, action, subject, JSON.stringify(by), details === undefined ? null : JSON.stringify(details));
  };
}

/** Creates the audit log. */
export function createSqliteAuditLog(database: DatabaseSync, record: RecordChange): AuditLog {
  const range = 'id >= ? AND id < ? ORDER BY id DESC LIMIT ?';
  const select = prepareSelect(database, `SELECT ${ENTRY} FROM audit WHERE ${range}`, toEntry);
  const selectOfAccount = prepareSelect(database, `SELECT ${ENTRY} FROM audit WHERE account_id = ? AND ${range}`, toEntry);
  return {
    entries: async ({ accountId, since, until }, limit, after) =>
      guarded(() => {
        const from = since === undefined ? '' : auditIdsFrom(since);
        const end = until === undefined ? LAST : auditIdsFrom(until);
        const before = after !== undefined && after < end ? after : end;
        const items = accountId === undefined ? select.all(from, before, limit) : selectOfAccount.all(accountId, from, before, limit);
        return { items, next: items.length < limit ? undefined : items.at(-1)?.id };
      }),
    record: (change) => transaction(database, () => record(change)),
  };
}

function toEntry({ actor, details, ...row }: Row): AuditEntry {
  const entry = withoutNull<Omit<AuditEntry, 'actor' | 'details'>>(row);
  return { ...entry, actor: JSON.parse(actor), ...(details !== null && { details: JSON.parse(details) }) };
}
