// The audit log in its own table: <account> / <id>, with an index by day for the operator, who reads all accounts' entries. The stores add entries in
// the same transaction as the change. No role has permission to change or delete them; DynamoDB removes them after 400 days.

import { randomBytes } from 'node:crypto';
import type { DynamoDBClient, QueryCommandInput, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Actor, AUDIT_KEPT_MS, type AuditEntry, auditIdsFrom, type Change, createAuditor, timeOfAuditId } from '../../../core/audit/entry.ts';
import type { AuditLog } from '../../../core/audit/ports.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import type { Page } from '../../../core/page.ts';
import { putOf, query, writeAll } from './calls.ts';
import { attributes, type Field, field, INTEGER, jsonField, kindOf, optional, TEXT, text, timeToLive } from './items.ts';
import { AUDIT_DAY_INDEX } from './tables.ts';

/** The partition for entries that belong to no account. */
const NO_ACCOUNT = '-';
/** Strings that sort before and after every id. */
const [FIRST, LAST] = ['!', '~'];
/** Maximum number of days read for a page, because most may be empty. */
const DAYS_A_PAGE = 31;

/** Returns the writes that add a change's entry to its transaction; none if the change is undefined. */
export type AuditWrites = (change: Change | undefined) => TransactWriteItem[];

/** For a stage from an earlier release, which has no audit table. */
export const UNAUDITED: AuditWrites = () => [];

/** How a stage's stores record changes. */
export interface AuditOptions {
  /** Who makes the changes. @default the service itself */
  readonly actor?: () => Actor;
  /** Milliseconds since 1970. @default the machine's clock */
  readonly clock?: () => number;
}

/** Creates the writes for a table. @param table undefined if the stage has none */
export function createAuditWrites(
  table: string | undefined,
  { actor = () => ({ kind: 'service' }), clock = Date.now }: AuditOptions = {},
): AuditWrites {
  if (table === undefined) return UNAUDITED;
  const entryOf = createAuditor(clock, actor, randomBytes);
  return (change) => (change === undefined ? [] : [putOf(table, ENTRY.write(entryOf(change)))]);
}

/** Creates the audit log. */
export function createDynamoDbAuditLog(client: DynamoDBClient, table: string, writes: AuditWrites): AuditLog {
  /** Reads a partition's entries in a range of ids, both ends included, newest first. */
  const read = (
    partition: Pick<QueryCommandInput, 'IndexName' | 'ConsistentRead'>,
    [name, value]: readonly [string, string],
    ids: IdRange,
    limit: number,
  ) =>
    query(client, {
      TableName: table,
      ...partition,
      KeyConditionExpression: '#partition = :partition AND id BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#partition': name },
      ExpressionAttributeValues: attributes({ ':partition': value, ':from': ids.from, ':to': ids.before }),
      ScanIndexForward: false,
      // One more than the limit, because the end of the range may be among the items, and is dropped below.
      Limit: limit + 1,
    }).then((items) => items.map(ENTRY.read).filter(({ id }) => id !== ids.before));

  const ofAccount = async (accountId: string, ids: IdRange, limit: number): Promise<Page<AuditEntry>> =>
    pageOf(await read({ ConsistentRead: true }, ['accountId', accountId], ids, limit), limit, undefined);

  /** The index has a partition for each day. */
  async function ofAll(ids: IdRange, limit: number, now: number): Promise<Page<AuditEntry>> {
    const first = Math.floor(Math.max(timeOfAuditId(ids.from) ?? 0, now - AUDIT_KEPT_MS - DAY_MS) / DAY_MS);
    const last = Math.floor(Math.min(timeOfAuditId(ids.before) ?? now, now + DAY_MS) / DAY_MS);
    const found: AuditEntry[] = [];
    for (let day = last; day >= first; day -= 1) {
      found.push(...(await read({ IndexName: AUDIT_DAY_INDEX }, ['day', dayOf(day * DAY_MS)], ids, limit - found.length)));
      if (found.length >= limit) return pageOf(found, limit, undefined);
      if (last - day + 1 === DAYS_A_PAGE && day > first) return pageOf(found, limit, auditIdsFrom(day * DAY_MS));
    }
    return { items: found, next: undefined };
  }

  return {
    entries: ({ accountId, since, until }, limit, after) => {
      const end = until === undefined ? LAST : auditIdsFrom(until);
      const ids = { from: since === undefined ? FIRST : auditIdsFrom(since), before: after !== undefined && after < end ? after : end };
      return accountId === undefined ? ofAll(ids, limit, Date.now()) : ofAccount(accountId, ids, limit);
    },
    record: async (change) => void (await writeAll(client, writes(change))),
  };
}

interface IdRange {
  readonly from: string;
  readonly before: string;
}

function pageOf(found: readonly AuditEntry[], limit: number, next: string | undefined): Page<AuditEntry> {
  const items = found.slice(0, limit);
  return { items, next: next ?? (items.length < limit ? undefined : items.at(-1)?.id) };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export const ENTRY = kindOf<AuditEntry>(
  {
    accountId: field<string | undefined>(
      (item, name) => (text(item, name) === NO_ACCOUNT ? undefined : text(item, name)),
      (accountId) => accountId ?? NO_ACCOUNT,
    ),
    id: TEXT,
    at: INTEGER,
    action: TEXT as Field<AuditEntry['action']>,
    subject: TEXT,
    actor: jsonField(),
    details: optional(jsonField()),
  },
  // The day comes from the id, which follows the order of the entries, and not from the clock, which may be set back.
  ({ id, at }) => ({ ...attributes({ day: dayOf(timeOfAuditId(id) ?? at) }), ...timeToLive(at + AUDIT_KEPT_MS) }),
);
