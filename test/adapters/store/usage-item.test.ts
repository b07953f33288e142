import { describe, expect, test } from 'vitest';
import { type Item, itemSize, keyAttribute, WRITE_UNIT_BYTES } from '../../../adapters/store/dynamodb/items.ts';
import { banAttribute, banOf, banValue, momentValue } from '../../../adapters/store/dynamodb/usage/bans.ts';
import {
  dayAttribute,
  keyValue,
  lastUseAttribute,
  minuteAttribute,
  snapshotOfItem,
  staleAttributes,
  usageItem,
} from '../../../adapters/store/dynamodb/usage/usage-item.ts';
import { MAX_KEYS_PER_ACCOUNT, NEVER } from '../../../core/access/account.ts';
import { MAX_LIMIT, SCOPES } from '../../../core/access/plans.ts';
import { DAY_MS, DAYS_KEPT, MINUTE_MS, MINUTES_KEPT, windowsAt } from '../../../core/limits/windows.ts';
import { NOON, sampleAccount, sampleKey } from '../../../testing/samples.ts';

/** Nine digits, the longest number that a limit or a counter can be. */
const LONGEST = MAX_LIMIT - 1;
const BAN = { since: NOON - 1, until: NOON + DAY_MS - 1, level: 12 };
const account = sampleAccount({ perMinute: LONGEST, perDay: LONGEST });
const { minute, day } = windowsAt(NOON);
/** Nothing is in the history yet. */
const NONE: ReadonlySet<string> = new Set();

/** The item of an account with keys of every permission that have all been used, and full counters of so many windows. */
function fullItem({ keys = MAX_KEYS_PER_ACCOUNT, minutes = MINUTES_KEPT, days = DAYS_KEPT } = {}) {
  const digests = Array.from({ length: keys }, () => sampleKey(account.id).digest);
  const count = (attribute: (window: number) => string, current: number, kept: number) =>
    Object.fromEntries(Array.from({ length: kept }, (_, n) => [attribute(current - n), { N: String(LONGEST) }]));
  const item: Item = {
    ...usageItem(account.id, 'enterprise', account.limits),
    ...Object.fromEntries(digests.map((digest) => [keyAttribute(digest), keyValue({ scopes: SCOPES, expiresAt: NEVER })])),
    ...Object.fromEntries(digests.map((digest) => [lastUseAttribute(digest), { N: String(minute) }])),
    ...count(minuteAttribute, minute, minutes),
    ...count(dayAttribute, day, days),
  };
  return { item, digests };
}

const bansOf = (digests: readonly string[]) => Object.fromEntries(digests.map((digest) => [banAttribute(digest), momentValue(BAN.until)]));
const without = (item: Item, names: readonly string[]) => Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
/** Every admitted request removes what the one before it has found. */
const tidied = (item: Item, now = NOON) => without(item, staleAttributes(item, now, NONE));

describe('size of an item', () => {
  test('counts names, values and overhead as the developer guide says', () => {
    expect(itemSize({ name: { S: 'né' } })).toBe(4 + 3);
    const sizes = { '0': 1, '1': 2, '60': 2, '1000': 2, '12': 2, '123': 3, '1234567890123': 8, '-12': 3, '0.5': 2 };
    for (const [text, bytes] of Object.entries(sizes)) expect([text, itemSize({ n: { N: text } })]).toEqual([text, 1 + bytes]);
    expect(itemSize({ b: { B: new Uint8Array(6) } })).toBe(1 + 6);
    expect(itemSize({ m: { M: { e: { N: '12' }, s: { S: 'rw' } } } })).toBe(1 + 3 + (1 + 1 + 2) + (1 + 1 + 2));
    expect(itemSize({ l: { L: [{ S: 'ab' }, { BOOL: true }] } })).toBe(1 + 3 + (1 + 2) + (1 + 1));
  });
});

describe('the item that every admission writes', () => {
  test('is one write unit in the worst case: ten banned keys with the longest values, at the turn of a day', () => {
    const { item, digests } = fullItem();
    const worst = tidied({ ...item, ...bansOf(digests) });
    expect(itemSize(worst)).toBe(987);
    // The first request of the next day adds a counter of each kind before it removes the oldest ones.
    const next = { ...worst, [minuteAttribute(minute + 1)]: { N: String(LONGEST) }, [dayAttribute(day + 1)]: { N: String(LONGEST) } };
    expect(itemSize(next)).toBe(1_014);
    expect(itemSize(next)).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
  });

  test('is one write unit with nine paused keys too', () => {
    const { item, digests } = fullItem();
    const paused = Object.fromEntries(
      digests.slice(1).map((digest) => [keyAttribute(digest), keyValue({ scopes: SCOPES, expiresAt: NEVER, pausedAt: NOON })]),
    );
    const worst = tidied({ ...item, ...bansOf(digests), ...paused });
    const next = { ...worst, [minuteAttribute(minute + 1)]: { N: String(LONGEST) }, [dayAttribute(day + 1)]: { N: String(LONGEST) } };
    expect(itemSize(next)).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
  });

  test.each([0, 5])('keeps its whole history with eight keys, %i of them banned', (banned) => {
    const { item, digests } = fullItem({ keys: 8 });
    expect(staleAttributes({ ...item, ...bansOf(digests.slice(0, banned)) }, NOON, NONE)).toEqual([]);
  });

  test('always keeps the windows that admission needs, and drops the oldest minutes before any day', () => {
    const { item, digests } = fullItem();
    const dropped = staleAttributes({ ...item, ...bansOf(digests) }, NOON, NONE);
    for (const needed of [minuteAttribute(minute), minuteAttribute(minute - 1), dayAttribute(day), dayAttribute(day - 1)])
      expect(dropped).not.toContain(needed);
    expect(dropped[0]).toBe(minuteAttribute(minute - MINUTES_KEPT + 1));
    const firstDay = dropped.findIndex((name) => name.startsWith('d'));
    expect(dropped.slice(0, firstDay)).toHaveLength(MINUTES_KEPT - 2);
  });

  test('keeps its history if dropping all of it would not save a write unit', () => {
    const { item } = fullItem({ keys: 2 * MAX_KEYS_PER_ACCOUNT });
    expect(staleAttributes(item, NOON, NONE)).toEqual([]);
    expect(staleAttributes(item, NOON + MINUTE_MS, NONE)).toEqual([minuteAttribute(minute - MINUTES_KEPT + 1)]);
  });
});

describe('counters of windows that have ended', () => {
  const { item } = fullItem({ keys: 1, minutes: MINUTES_KEPT + 3, days: DAYS_KEPT + 1 });
  const old = [1, 2, 3].map((n) => minuteAttribute(minute - MINUTES_KEPT + 1 - n));
  const oldDay = dayAttribute(day - DAYS_KEPT);

  test('leave the item once the history has them and they are old', () => {
    expect(staleAttributes(item, NOON, NONE)).toEqual([]);
    expect(staleAttributes(item, NOON, new Set([old[1] ?? '', minuteAttribute(minute - 2)]))).toEqual([old[1]]);
    expect([...staleAttributes(item, NOON, new Set([...old, oldDay]))].sort()).toEqual([...old, oldDay].sort());
  });

  test("wait for most of an hour while the history can't be written, and then make room, copied ones first", () => {
    const crowded = fullItem({ keys: 1, minutes: 51 }).item;
    expect(itemSize(crowded)).toBeLessThanOrEqual(WRITE_UNIT_BYTES - 40);
    expect(staleAttributes(crowded, NOON, NONE)).toEqual([]);
    const full = fullItem({ keys: 1, minutes: 52 }).item;
    expect(staleAttributes(full, NOON, NONE)).toEqual([minuteAttribute(minute - 51)]);
    expect(staleAttributes(full, NOON, new Set([minuteAttribute(minute - 5)]))).toEqual([minuteAttribute(minute - 5)]);
    expect(itemSize(without(full, staleAttributes(full, NOON, NONE)))).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
  });
});

describe("a key's ban in two items", () => {
  const { item, digests } = fullItem();
  const digest = String(digests[0]);
  const marked = (until: number) => ({ ...item, [banAttribute(digest)]: momentValue(until) });
  const whole = (ban = BAN) => ({ [banAttribute(digest)]: banValue(ban) });

  test('is the whole ban if both agree', () => {
    expect(banOf(marked(BAN.until), whole(), digest)).toEqual(BAN);
    expect(snapshotOfItem(marked(BAN.until), digest, NOON, whole()).ban).toEqual(BAN);
    expect(banOf(item, whole(), digest)).toBeUndefined();
  });

  test('ends when the account item says, if the process that stored it died in between', () => {
    expect(banOf(marked(BAN.until), {}, digest)).toEqual({ since: 0, until: BAN.until, level: 1 });
    expect(banOf(marked(BAN.until + 1), whole(), digest)).toEqual({ since: 0, until: BAN.until + 1, level: BAN.level });
  });

  test.each([
    ['a number', { N: '7' }],
    ['of another length', { B: new Uint8Array(5) }],
  ])('is malformed if the account item has %s', (_what, value) => {
    expect(() => banOf({ ...item, [banAttribute(digest)]: value } as Item, {}, digest)).toThrow('malformed item');
  });
});
