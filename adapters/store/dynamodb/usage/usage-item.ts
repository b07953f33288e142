// An account's items in the usage table. Each admitted request writes the first one, which must stay within a write unit of 1 KB: attribute names are
// short, it has only the end of a ban, and old windows, which are in the history (usage-history.ts), make room if there are many bans.
//
// <account>           plan · ml, dl (limits a minute, a day) · su: present if suspended · k:<digest> {e: expiry, negative while paused, s: scopes}
//                     m<minute>, d<day>: requests admitted in that window · u<key>: minute of that key's last use · b<key>: end of its last ban
// <account>#refusals  q<minute>, s<hour>, r<day>: refusals in that window, stored here for as long as they are shown, so that a
//                     flood of them never slows down admission · b<key> {f: from, u: until, l: level}
// <key> is the start of a digest.

import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KeyRecord } from '../../../../core/access/account.ts';
import { type Limits, PLAN_NAMES, type PlanName, type Scope } from '../../../../core/access/plans.ts';
import type { Counters } from '../../../../core/limits/admit.ts';
import type { AccountSnapshot } from '../../../../core/limits/decide.ts';
import { MINUTES_SHOWN, oldestShown, type RefusalCounters, type WindowCounters } from '../../../../core/limits/history.ts';
import type { MinuteCounter } from '../../../../core/limits/ports.ts';
import { DAYS_KEPT, endOfMinute, hourOf, isStale, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../../core/limits/windows.ts';
import { updateItem } from '../calls.ts';
import {
  attributes,
  choice,
  controlKey,
  digestsOf,
  type Item,
  integer,
  itemSize,
  keyAttribute,
  malformed,
  secondsOf,
  shortened,
  text,
  WRITE_UNIT_BYTES,
} from '../items.ts';
import { TTL_ATTRIBUTE } from '../tables.ts';
import { banOf } from './bans.ts';

/** Windows of each kind that admission needs: the current one, and the previous one for a machine whose clock is behind. */
const WINDOWS_NEEDED = 2;
/** Up to this size, the item still fits in one write unit after the next write has added a counter of each kind and a last use. */
const ROOM_BYTES = WRITE_UNIT_BYTES - 40;

const SCOPE_LETTERS: Readonly<Record<Scope, string>> = { 'pets:read': 'r', 'pets:write': 'w' };

/** The name of a plan. */
export const PLAN = choice(PLAN_NAMES);

/** Returns the attribute that counts a minute's requests. */
export const minuteAttribute = (minute: number) => `m${minute}`;
/** Returns the attribute that counts a day's requests. */
export const dayAttribute = (day: number) => `d${day}`;
/** Returns the attribute with a key's last use. */
export const lastUseAttribute = (digest: string) => `u${shortened(digest)}`;
/** Returns the attributes that count a refusal at this time, in milliseconds since 1970. */
export function refusalsAttributes(now: number): readonly string[] {
  const { minute, day } = windowsAt(now);
  return [`q${minute}`, `s${hourOf(minute)}`, `r${day}`];
}
/** Builds the item of a new account, without keys or counters. */
export function usageItem(accountId: string, plan: PlanName, limits: Limits): Item {
  return attributes({ accountId, plan, ml: limits.perMinute, dl: limits.perDay });
}

/** Builds the value of a key's attribute. A paused key's expiry is negative, so admission's condition is never met, not even in earlier versions. */
export function keyValue({ scopes, expiresAt, pausedAt }: Pick<KeyRecord, 'scopes' | 'expiresAt' | 'pausedAt'>): AttributeValue {
  return { M: attributes({ e: pausedAt === undefined ? expiresAt : -expiresAt, s: scopes.map((scope) => SCOPE_LETTERS[scope]).join('') }) };
}

/** Returns what the items say about one key at a given time. @param refusals the refusals item, which is needed only if `hasBan`. @default empty */
export function snapshotOfItem(item: Item, digest: string, now: number, refusals: Item = {}): AccountSnapshot {
  const { minute, day } = windowsAt(now);
  const key = item[keyAttribute(digest)];
  return {
    plan: PLAN.read(item, 'plan'),
    limits: { perMinute: integer(item, 'ml'), perDay: integer(item, 'dl') },
    suspended: item.su !== undefined,
    key: key && { scopes: scopesOf(mapOf(key)), expiresAt: expiryOf(key), paused: integer(mapOf(key), 'e') < 0 },
    ban: banOf(item, refusals, digest),
    used: { minute: countOf(item, minuteAttribute(minute)), day: countOf(item, dayAttribute(day)) },
  };
}

/** Returns the digests of the keys that have expired by now, but not before `since`. */
export function expiredKeys(item: Item, now: number, since = 0): readonly string[] {
  const isExpired = (at: number) => since <= at && at <= now;
  return Object.entries(item).flatMap(([name, value]) => (name.startsWith('k:') && isExpired(expiryOf(value)) ? [name.slice(2)] : []));
}

/** Returns the start of the minute in which a key was last used, in milliseconds since 1970; undefined if the item has no record of it. */
export function lastUseOf(item: Item, digest: string): number | undefined {
  const attribute = lastUseAttribute(digest);
  return item[attribute] && integer(item, attribute) * MINUTE_MS;
}

/** Returns how many of the item's keys have not expired. */
export function countKeys(item: Item, now: number): number {
  return digestsOf(item).length - expiredKeys(item, now).length;
}

/** Returns the requests that an account's item has counted, by window. */
export function countersOf(item: Item): WindowCounters {
  return { minutes: countersOfKind(item, 'm'), days: countersOfKind(item, 'd') };
}

/** Returns the refusals that a refusals item has counted, by window. */
export function refusalsOf(item: Item): RefusalCounters {
  return { minutes: countersOfKind(item, 'q'), hours: countersOfKind(item, 's'), days: countersOfKind(item, 'r') };
}

function countersOfKind(item: Item, of: string): Counters {
  return new Map(windowsOf(item).flatMap(({ name, kind, window }) => (kind === of ? [[window, integer(item, name)]] : [])));
}

/** Returns the names of an item's attributes with counters of refusals that are no longer shown. */
export function staleRefusals(item: Item, now: number): readonly string[] {
  const { hour, day } = oldestShown(now);
  const minute = windowsAt(now).minute - MINUTES_SHOWN + 1;
  const oldest: Readonly<Record<string, number>> = { q: minute, s: hour, r: day };
  return windowsOf(item).flatMap(({ name, kind, window }) => (window < (oldest[kind] ?? 0) ? [name] : []));
}

/** Returns the counters to remove from the item: old ones that are in the history, and ones that don't fit. @param recorded those in the history */
export function staleAttributes(item: Item, now: number, recorded: ReadonlySet<string>): readonly string[] {
  const { minute, day } = windowsAt(now);
  const windows = windowsOf(item).filter(({ kind }) => kind === 'm' || kind === 'd');
  const isOld = ({ kind, window }: Window, minutes: number, days: number) =>
    kind === 'm' ? isStale(window, minute, minutes) : isStale(window, day, days);
  const old = windows.filter((each) => isOld(each, MINUTES_KEPT, DAYS_KEPT));
  const stale = old.filter(({ name }) => recorded.has(name));
  let size = itemSize(item) - sizeOfAll(item, stale);
  if (size <= ROOM_BYTES) return stale.map(({ name }) => name);
  // Unneeded counters make room, unless even all of them are not enough. First go those in the history, then minutes before days, the oldest first.
  const unneeded = windows.filter((each) => !stale.includes(each) && isOld(each, WINDOWS_NEEDED, WINDOWS_NEEDED));
  if (size - sizeOfAll(item, unneeded) > WRITE_UNIT_BYTES) return old.map(({ name }) => name);
  const rank = ({ name, kind }: Window) => (recorded.has(name) ? 0 : 2) + (kind === 'm' ? 0 : 1);
  unneeded.sort((a, b) => rank(a) - rank(b) || a.window - b.window);
  for (const window of unneeded) {
    if (size <= ROOM_BYTES) break;
    stale.push(window);
    size -= sizeOfAll(item, [window]);
  }
  return stale.map(({ name }) => name);
}

interface Window {
  readonly name: string;
  readonly kind: string;
  readonly window: number;
}

function sizeOfAll(item: Item, windows: readonly Window[]): number {
  const names = new Set(windows.map(({ name }) => name));
  return itemSize(Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name))));
}

function windowsOf(item: Item): Window[] {
  return Object.keys(item).flatMap((name) => {
    const [, kind, window] = /^([mdqrs])(\d+)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind, window: Number(window) }];
  });
}

function countOf(item: Item, attribute: string): number {
  return item[attribute] === undefined ? 0 : integer(item, attribute);
}

function expiryOf(key: AttributeValue): number {
  return Math.abs(integer(mapOf(key), 'e'));
}

function scopesOf(key: Item): Scope[] {
  const letters = text(key, 's');
  return (Object.keys(SCOPE_LETTERS) as Scope[]).filter((scope) => letters.includes(SCOPE_LETTERS[scope]));
}

function mapOf(value: AttributeValue): Item {
  if (value.M === undefined) throw malformed('of a key', value);
  return value.M;
}

// Counts in the control table, for all of a stage's processes: one item per key and minute, which the table's TTL deletes.

/** How long a count is stored after its minute, in milliseconds, for processes whose clock is behind. */
const KEPT_MS = 10 * MINUTE_MS;

/** Creates a counter. @param client one that retries: an event that is counted twice is better than a request that fails */
export function createDynamoDbMinuteCounter(client: DynamoDBClient, table: string): MinuteCounter {
  return {
    count: async (key, limit, now) => {
      const { minute } = windowsAt(now);
      const updated = await updateItem(client, {
        TableName: table,
        Key: controlKey(`count#${key}`, String(minute)),
        UpdateExpression: 'ADD counted :one SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(counted) OR counted < :limit',
        ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
        ExpressionAttributeValues: attributes({ ':one': 1, ':limit': limit, ':ttl': secondsOf(endOfMinute(minute) + KEPT_MS) }),
        ReturnValues: 'UPDATED_NEW',
      });
      return updated && integer(updated, 'counted');
    },
  };
}
