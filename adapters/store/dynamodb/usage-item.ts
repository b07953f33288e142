// An account's item in the usage table. Attribute names are short: with ten keys, none of them banned, the item stays under 1 KB, one write unit. A
// ban adds some 75 bytes until a day after its end.
// accountId · plan · ml, dl (limits a minute, a day) · k:<digest> {e: expiry, s: scopes} · b:<digest> {f: from, u: until, l: level}
// m<minute> and d<day>: requests admitted in that window · u<start of a digest>: the minute in which that key was last used Refusals are counted in
// a separate item, so that a flood of them never slows down admission: r<day>.

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Limits, PlanName } from '../../../core/access/plans.ts';
import type { Scope } from '../../../core/access/scopes.ts';
import type { Counters } from '../../../core/limits/admit.ts';
import { type Ban, isForgotten } from '../../../core/limits/ban.ts';
import type { AccountSnapshot } from '../../../core/limits/decide.ts';
import { DAYS_KEPT, isStale, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../core/limits/windows.ts';
import { type Item, integer, malformed, planOf, text } from './items.ts';

const SCOPE_LETTERS: Readonly<Record<Scope, string>> = { 'pets:read': 'r', 'pets:write': 'w' };

/** Returns a key's attribute. */
export const keyAttribute = (digest: string) => `k:${digest}`;
/** Returns the attribute of a key's last ban. */
export const banAttribute = (digest: string) => `b:${digest}`;
/** Returns the attribute that counts a minute's requests. */
export const minuteAttribute = (minute: number) => `m${minute}`;
/** Returns the attribute that counts a day's requests. */
export const dayAttribute = (day: number) => `d${day}`;
/** Returns the attribute with a key's last use. 36 bits of the digest are enough to tell ten keys apart. */
export const lastUseAttribute = (digest: string) => `u${digest.slice(0, 6)}`;
/** Returns the attribute that counts a day's refusals. */
export const refusalsAttribute = (day: number) => `r${day}`;
/** Returns the key of an account's item. */
export const usageKey = (accountId: string): Item => ({ accountId: { S: accountId } });
/** Returns the key of an account's refusals item. */
export const refusalsKey = (accountId: string): Item => ({ accountId: { S: `${accountId}#refusals` } });

/** Builds the item of a new account, without keys or counters. */
export function usageItem(accountId: string, plan: PlanName, limits: Limits): Item {
  return { accountId: { S: accountId }, plan: { S: plan }, ml: { N: String(limits.perMinute) }, dl: { N: String(limits.perDay) } };
}

/** Builds the value of a key's attribute. */
export function keyValue(scopes: readonly Scope[], expiresAt: number): AttributeValue {
  return { M: { e: { N: String(expiresAt) }, s: { S: scopes.map((scope) => SCOPE_LETTERS[scope]).join('') } } };
}

/** Builds the value of a ban's attribute. */
export function banValue(ban: Ban): AttributeValue {
  return { M: { f: { N: String(ban.since) }, u: { N: String(ban.until) }, l: { N: String(ban.level) } } };
}

/** Returns what the item says about one key at a given time. */
export function snapshotOfItem(item: Item, digest: string, now: number): AccountSnapshot {
  const { minute, day } = windowsAt(now);
  const key = item[keyAttribute(digest)];
  return {
    plan: planOf(item, 'plan'),
    limits: { perMinute: integer(item, 'ml'), perDay: integer(item, 'dl') },
    key: key && { scopes: scopesOf(mapOf(key)), expiresAt: integer(mapOf(key), 'e') },
    ban: banOf(item, digest),
    used: { minute: countOf(item, minuteAttribute(minute)), day: countOf(item, dayAttribute(day)) },
  };
}

/** Returns the item's bans, by digest. */
export function bansOfItem(item: Item): readonly (readonly [digest: string, ban: Ban])[] {
  return Object.entries(item).flatMap(([name, value]) => (name.startsWith('b:') ? [[name.slice(2), toBan(value)] as const] : []));
}

/** Returns the digests of the keys that have expired by this time. */
export function expiredKeys(item: Item, now: number): readonly string[] {
  return Object.entries(item).flatMap(([name, value]) => (name.startsWith('k:') && integer(mapOf(value), 'e') <= now ? [name.slice(2)] : []));
}

/** Returns the start of the minute in which a key was last used, in milliseconds since 1970; undefined if the item has no record of it. */
export function lastUseOf(item: Item, digest: string): number | undefined {
  const attribute = lastUseAttribute(digest);
  return item[attribute] && integer(item, attribute) * MINUTE_MS;
}

/** Returns how many of the item's keys have not expired. */
export function countKeys(item: Item, now: number): number {
  return Object.keys(item).filter((name) => name.startsWith('k:')).length - expiredKeys(item, now).length;
}

/** Returns the item's counters of one kind, by window. */
export function countersOf(item: Item, kind: 'm' | 'd' | 'r'): Counters {
  return new Map(windowsOf(item).flatMap(({ name, kind: each, window }) => (each === kind ? [[window, integer(item, name)]] : [])));
}

/** Returns the attributes of counters and bans that are no longer needed. */
export function staleAttributes(item: Item, now: number): readonly string[] {
  const { minute, day } = windowsAt(now);
  const counters = windowsOf(item).flatMap(({ name, kind, window }) =>
    (kind === 'm' ? isStale(window, minute, MINUTES_KEPT) : isStale(window, day, DAYS_KEPT)) ? [name] : [],
  );
  const bans = bansOfItem(item).flatMap(([digest, ban]) => (isForgotten(ban, now) ? [banAttribute(digest)] : []));
  return [...counters, ...bans];
}

function windowsOf(item: Item): { readonly name: string; readonly kind: string | undefined; readonly window: number }[] {
  return Object.keys(item).flatMap((name) => {
    const match = /^([mdr])(\d+)$/.exec(name);
    return match === null ? [] : [{ name, kind: match[1], window: Number(match[2]) }];
  });
}

function countOf(item: Item, attribute: string): number {
  return item[attribute] === undefined ? 0 : integer(item, attribute);
}

/** Bans stored before the field existed have no start; they began long ago. */
function toBan(value: AttributeValue): Ban {
  const ban = mapOf(value);
  return { since: ban.f === undefined ? 0 : integer(ban, 'f'), until: integer(ban, 'u'), level: integer(ban, 'l') };
}

/** Returns a key's last ban; undefined if the item has none. */
export function banOf(item: Item, digest: string): Ban | undefined {
  const ban = item[banAttribute(digest)];
  return ban && toBan(ban);
}

function scopesOf(key: Item): Scope[] {
  const letters = text(key, 's');
  return (Object.keys(SCOPE_LETTERS) as Scope[]).filter((scope) => letters.includes(SCOPE_LETTERS[scope]));
}

function mapOf(value: AttributeValue): Item {
  if (value.M === undefined) throw malformed('of a key or ban', value);
  return value.M;
}
