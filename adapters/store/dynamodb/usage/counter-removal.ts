// Removes the counters from an account's item once their windows have ended: they are copied to the history, then removed by the account's next
// write. A counter stays until the process that removes it has copied it, or until there is no room for it.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../../../core/bounded-map.ts';
import type { Counters } from '../../../../core/limits/admit.ts';
import { finalCounters, type WindowCounters } from '../../../../core/limits/history.ts';
import { hourOf, windowsAt } from '../../../../core/limits/windows.ts';
import { updateItem } from '../calls.ts';
import { type Item, usageKey } from '../items.ts';
import type { UsageHistory } from './usage-history.ts';
import { countersOf, dayAttribute, minuteAttribute, staleAttributes } from './usage-item.ts';

/** Maximum number of accounts whose counters a process remembers. */
const REMEMBERED_ACCOUNTS = 10_000;
/** Once there are this many stale counters, an extra call removes them. Only an account with a single request per process reaches this number. */
const STALE_COUNTERS_TO_CLEAR = 8;

const NONE: ReadonlySet<string> = new Set();
const NO_COUNTERS: Counters = new Map();

export interface CounterRemoval {
  /** Returns the attributes that the account's next write removes. */
  removable(accountId: string): readonly string[];
  /** Notes which attributes the next write removes from an item; removes them immediately if there are many. */
  note(accountId: string, item: Item, now: number): Promise<void>;
  /** Copies the item's final counters to the history. Never rejects: after a fault, the counters stay in the item, to be copied in a later minute. */
  record(accountId: string, item: Item, now: number): Promise<void>;
}

/** Creates the `CounterRemoval` of the usage table. @param client one that retries */
export function createCounterRemoval(client: DynamoDBClient, table: string, history: Pick<UsageHistory, 'record'>): CounterRemoval {
  /** Attributes that the next write removes, by account. */
  const stale = new BoundedMap<string, readonly string[]>(REMEMBERED_ACCOUNTS);
  /** Attributes whose counters this process has copied, by account. */
  const recorded = new BoundedMap<string, ReadonlySet<string>>(REMEMBERED_ACCOUNTS);
  /** Accounts whose counters are being copied, so that no second copy starts if one takes longer than a minute. */
  const recording = new Set<string>();

  async function note(accountId: string, item: Item, now: number): Promise<void> {
    const names = staleAttributes(item, now, recorded.get(accountId) ?? NONE);
    if (names.length === 0) {
      stale.delete(accountId);
      return;
    }
    stale.set(accountId, names);
    if (names.length < STALE_COUNTERS_TO_CLEAR) return;
    await removeAttributes(client, table, usageKey(accountId), names);
    stale.delete(accountId);
  }

  async function copy(accountId: string, item: Item, now: number): Promise<void> {
    const copied = new Set(recorded.get(accountId));
    const { minutes, days } = without(copied, finalCounters(countersOf(item), now));
    // Days are copied only once an hour, and stay in the item until then.
    const daysNow = isFirstOfHour(item, now) ? days : NO_COUNTERS;
    await history.record(accountId, { minutes, days: daysNow });
    for (const minute of minutes.keys()) copied.add(minuteAttribute(minute));
    for (const day of daysNow.keys()) copied.add(dayAttribute(day));
    recorded.set(accountId, new Set([...copied].filter((name) => name in item)));
    await note(accountId, item, now);
  }

  return {
    removable: (accountId) => stale.get(accountId) ?? [],
    note,
    record: async (accountId, item, now) => {
      if (recording.has(accountId)) return;
      recording.add(accountId);
      await copy(accountId, item, now).catch(() => {});
      recording.delete(accountId);
    },
  };
}

function without(copied: ReadonlySet<string>, { minutes, days }: WindowCounters): WindowCounters {
  return {
    minutes: new Map([...minutes].filter(([minute]) => !copied.has(minuteAttribute(minute)))),
    days: new Map([...days].filter(([day]) => !copied.has(dayAttribute(day)))),
  };
}

/** Whether the account's last request before this minute was in an earlier hour. */
function isFirstOfHour(item: Item, now: number): boolean {
  const { minute } = windowsAt(now);
  return ![...countersOf(item).minutes.keys()].some((each) => each < minute && hourOf(each) === hourOf(minute));
}

/** Removes attributes from an item, if it exists. @param client one that retries */
export async function removeAttributes(client: DynamoDBClient, table: string, key: Item, names: readonly string[]): Promise<void> {
  await updateItem(client, {
    TableName: table,
    Key: key,
    UpdateExpression: removal(names).trim(),
    ConditionExpression: 'attribute_exists(accountId)',
    ExpressionAttributeNames: removalNames(names),
  });
}

/** Returns the clause of an update expression that removes attributes; empty if there are none. */
export function removal(names: readonly string[]): string {
  return names.length === 0 ? '' : ` REMOVE ${names.map((_, index) => `#o${index}`).join(', ')}`;
}

/** Returns the names in that clause. */
export function removalNames(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [`#o${index}`, name]));
}
