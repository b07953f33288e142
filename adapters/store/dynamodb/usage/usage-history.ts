// The usage history in the control table, because the survey of all accounts scans the usage table. Counters are copied from the account's item
// before they are removed from it. Each item is a block of windows, at most 600 bytes: a copy is one write unit, and the TTL deletes whole blocks.
//
// usage-history#<account>  minutes#<hour>   w0 to w59: requests in that minute of the hour
//                          days#<30 days>   w0 to w29: requests on that day of the block

import { type DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyIdOf } from '../../../../core/access/api-key.ts';
import type { Counters } from '../../../../core/limits/admit.ts';
import { oldestShown, type WindowCounters } from '../../../../core/limits/history.ts';
import { DAY_MS, MINUTE_MS, windowsAt } from '../../../../core/limits/windows.ts';
import type { UsageSurvey } from '../../../../core/notifications/ports.ts';
import type { SurveyedUsage } from '../../../../core/notifications/schedule.ts';
import { getItem, guarded, query } from '../calls.ts';
import { attributes, controlKey, digestsOf, type Item, integer, refusalsKey, text, timeToLive } from '../items.ts';
import { HISTORY_PARTITIONS, TTL_ATTRIBUTE } from '../tables.ts';
import { banOf, hasBan } from './bans.ts';
import { countersOf } from './usage-item.ts';

export type Kind = keyof WindowCounters;

/** How many windows an item has, and how long it is kept after its last window: as long as that is shown, plus a margin for differing clocks. */
const BLOCKS: Readonly<Record<Kind, { readonly windows: number; readonly windowMs: number; readonly keptMs: number }>> = {
  minutes: { windows: 60, windowMs: MINUTE_MS, keptMs: 25 * 60 * MINUTE_MS },
  days: { windows: 30, windowMs: DAY_MS, keptMs: 31 * DAY_MS },
};
const KINDS = Object.keys(BLOCKS) as Kind[];

/** Returns the items of an account's counters. */
export function historyItems(accountId: string, counters: WindowCounters): Item[] {
  return KINDS.flatMap((kind) =>
    [...inBlocks(kind, counters[kind])].map(([block, of]) => ({ ...keyOf(accountId, kind, block), ...countsOf(kind, block, of) })),
  );
}

export interface UsageHistory {
  /** Copies final counters (core/limits/history.ts). Safe to repeat: existing copies are kept, even if a clock is set back and counting restarts. */
  record(accountId: string, counters: WindowCounters): Promise<void>;
  /** Returns the copies of the windows that are shown at a moment, in milliseconds since 1970. */
  read(accountId: string, now: number): Promise<WindowCounters>;
}

/** Creates the history in the control table. @param client one that retries */
export function createDynamoDbUsageHistory(client: DynamoDBClient, table: string): UsageHistory {
  function put(accountId: string, kind: Kind, block: number, counters: Counters): Promise<unknown> {
    const { [TTL_ATTRIBUTE]: ttl = { NULL: true }, ...counts } = countsOf(kind, block, counters);
    const names = Object.keys(counts);
    const command = new UpdateItemCommand({
      TableName: table,
      Key: keyOf(accountId, kind, block),
      UpdateExpression: `SET #ttl = :ttl, ${names.map((name) => `${name} = if_not_exists(${name}, :${name})`).join(', ')}`,
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: { ':ttl': ttl, ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, count])) },
    });
    return guarded('UpdateItem', client.send(command));
  }

  async function read(accountId: string, kind: Kind, from: number, to: number): Promise<Counters> {
    const { windows } = BLOCKS[kind];
    const items = await query(client, {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: attributes({
        ':pk': partitionOf(accountId),
        ':from': sortKey(kind, Math.floor(from / windows)),
        ':to': sortKey(kind, Math.floor(to / windows)),
      }),
    });
    return new Map(
      items.flatMap((item) => {
        const first = Number(text(item, 'sk').slice(kind.length + 1)) * windows;
        return windowNames(item).map((name) => [first + Number(name.slice(1)), integer(item, name)] as const);
      }),
    );
  }

  return {
    record: async (accountId, counters) => {
      const puts = KINDS.flatMap((kind) => [...inBlocks(kind, counters[kind])].map(([block, of]) => put(accountId, kind, block, of)));
      await Promise.all(puts);
    },
    read: async (accountId, now) => {
      const oldest = oldestShown(now);
      const { minute, day } = windowsAt(now);
      const [minutes, days] = await Promise.all([read(accountId, 'minutes', oldest.minute, minute), read(accountId, 'days', oldest.day, day)]);
      return { minutes, days };
    },
  };
}

const partitionOf = (accountId: string) => `${HISTORY_PARTITIONS}${accountId}`;
/** Eight digits, so that the text sorts like the number. */
const sortKey = (kind: Kind, block: number) => `${kind}#${String(block).padStart(8, '0')}`;
const keyOf = (accountId: string, kind: Kind, block: number) => controlKey(partitionOf(accountId), sortKey(kind, block));

/** Returns a block's counts as its table item, which includes the block's end. */
function countsOf(kind: Kind, block: number, counters: Counters): Item {
  const { windows, windowMs, keptMs } = BLOCKS[kind];
  const counts = [...counters].map(([window, count]) => [`w${window - block * windows}`, count] as const);
  return { ...attributes(Object.fromEntries(counts)), ...timeToLive((block + 1) * windows * windowMs + keptMs) };
}

const windowNames = (item: Item) => Object.keys(item).filter((name) => /^w\d+$/.test(name));

function inBlocks(kind: Kind, counters: Counters): ReadonlyMap<number, Counters> {
  const blocks = new Map<number, Map<number, number>>();
  for (const [window, count] of counters) {
    const block = Math.floor(window / BLOCKS[kind].windows);
    blocks.set(block, (blocks.get(block) ?? new Map<number, number>()).set(window, count));
  }
  return blocks;
}

// All accounts' usage, for notifications. The usage table is scanned: a thousand accounts of 1 KB cost 125 eventually consistent read units.

/** Creates the survey of the usage table. @param pageItems number of items per page, for tests. @default as many as fit in one response, 1 MB */
export function createDynamoDbUsageSurvey(client: DynamoDBClient, table: string, pageItems?: number): UsageSurvey {
  async function surveyed(item: Item, now: number): Promise<SurveyedUsage> {
    const accountId = text(item, 'accountId');
    const digests = digestsOf(item).filter((digest) => hasBan(item, digest));
    // The refusals item, which has a ban's start, is read only for accounts with a recent ban.
    const refusals = digests.length === 0 ? {} : ((await getItem(client, table, refusalsKey(accountId))) ?? {});
    const bans = digests.flatMap((digest) => {
      const ban = banOf(item, refusals, digest);
      return ban === undefined ? [] : [{ keyId: keyIdOf(accountId, digest), ban }];
    });
    return { accountId, day: { used: countersOf(item).days.get(windowsAt(now).day) ?? 0, limit: integer(item, 'dl') }, bans };
  }

  return {
    usagePage: async (now, after) => {
      const command = new ScanCommand({
        TableName: table,
        // Leaves out the refusals items, which have no limits.
        FilterExpression: 'attribute_exists(dl)',
        ...(pageItems !== undefined && { Limit: pageItems }),
        ...(after !== undefined && { ExclusiveStartKey: { accountId: { S: after } } }),
      });
      const { Items = [], LastEvaluatedKey } = await guarded('Scan', client.send(command));
      const items: SurveyedUsage[] = [];
      for (const item of Items) items.push(await surveyed(item, now));
      return { items, next: LastEvaluatedKey && text(LastEvaluatedKey, 'accountId') };
    },
  };
}
