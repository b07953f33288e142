// The item of an account in the usage table. Attribute names are short: with ten keys, none of them banned, the item stays under 1 KB, one
// write unit. A ban adds some 75 bytes until a day after its end.
//   accountId · plan · ml, dl (limits a minute, a day) · k:<digest> {e: expiry, s: scopes} · b:<digest> {f: from, u: until, l: level}
//   m<minute> and d<day>: requests admitted in that window · u<start of a digest>: the minute in which that key was last used
// Refusals have an item of their own, so that a flood of them never touches the one that admits: r<day>.

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Limits, PlanName } from '../../../core/access/plans.ts';
import type { Scope } from '../../../core/access/scopes.ts';
import type { Counters } from '../../../core/limits/admit.ts';
import { type Ban, isForgotten } from '../../../core/limits/ban.ts';
import type { AccountSnapshot } from '../../../core/limits/decide.ts';
import { DAYS_KEPT, isStale, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../core/limits/windows.ts';
import { type Item, integer, malformed, planOf, text } from './items.ts';

const SCOPE_LETTERS: Readonly<Record<Scope, string>> = { 'pets:read': 'r', 'pets:write': 'w' };

export const keyAttribute = (digest: string) => `k:${digest}`;
export const banAttribute = (digest: string) => `b:${digest}`;
export const minuteAttribute = (minute: number) => `m${minute}`;
export const dayAttribute = (day: number) => `d${day}`;
/** 36 bits tell ten keys apart. */
export const lastUseAttribute = (digest: string) => `u${digest.slice(0, 6)}`;
export const refusalsAttribute = (day: number) => `r${day}`;
export const usageKey = (accountId: string): Item => ({ accountId: { S: accountId } });
export const refusalsKey = (accountId: string): Item => ({ accountId: { S: `${accountId}#refusals` } });

export function usageItem(accountId: string, plan: PlanName, limits: Limits): Item {
  return { accountId: { S: accountId }, plan: { S: plan }, ml: { N: String(limits.perMinute) }, dl: { N: String(limits.perDay) } };
}

export function keyValue(scopes: readonly Scope[], expiresAt: number): AttributeValue {
  return { M: { e: { N: String(expiresAt) }, s: { S: scopes.map((scope) => SCOPE_LETTERS[scope]).join('') } } };
}

export function banValue(ban: Ban): AttributeValue {
  return { M: { f: { N: String(ban.since) }, u: { N: String(ban.until) }, l: { N: String(ban.level) } } };
}

/** What the item says of one key at a moment. */
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

/** The bans of the item, by digest. */
export function bansOfItem(item: Item): readonly (readonly [digest: string, ban: Ban])[] {
  return Object.entries(item).flatMap(([name, value]) => (name.startsWith('b:') ? [[name.slice(2), toBan(value)] as const] : []));
}

/** The digests of the item's keys that ended before this moment. */
export function endedKeys(item: Item, now: number): readonly string[] {
  return Object.entries(item).flatMap(([name, value]) => (name.startsWith('k:') && integer(mapOf(value), 'e') <= now ? [name.slice(2)] : []));
}

/** The beginning of the minute in which a key was last used, in milliseconds since 1970; undefined if the item does not know. */
export function lastUseOf(item: Item, digest: string): number | undefined {
  const attribute = lastUseAttribute(digest);
  return item[attribute] && integer(item, attribute) * MINUTE_MS;
}

/** How many keys the item has that have not ended. */
export function countKeys(item: Item, now: number): number {
  return Object.keys(item).filter((name) => name.startsWith('k:')).length - endedKeys(item, now).length;
}

/** The item's counters of one kind, by window. */
export function countersOf(item: Item, kind: 'm' | 'd' | 'r'): Counters {
  return new Map(windowsOf(item).flatMap(({ name, kind: each, window }) => (each === kind ? [[window, integer(item, name)]] : [])));
}

/** The names of counters and bans that nobody needs any more. */
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

/** Bans that were stored before their beginning was kept began long ago. */
function toBan(value: AttributeValue): Ban {
  const ban = mapOf(value);
  return { since: ban.f === undefined ? 0 : integer(ban, 'f'), until: integer(ban, 'u'), level: integer(ban, 'l') };
}

/** The last ban of a key; undefined if the item knows of none. */
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
