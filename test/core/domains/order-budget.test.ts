// The budget of certificate orders: in any period, it stays below what Let's Encrypt allows, and one account can't use up what others need.

import { describe, expect, test } from 'vitest';
import { bucketsOf, type Order, takeToken } from '../../../core/domains/order-budget.ts';
import { mostWithin } from '../../support/lives/counts.ts';
import { seededRandom32 } from '../../support/samples.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOON = 1_800_000_000_000;

/** Orders of a sequence that the budget lets pass, as the limiters store it. */
function run(orders: Iterable<{ readonly at: number; readonly order: Order }>): { readonly at: number; readonly order: Order }[] {
  const fullAt = new Map<string, number>();
  const passed: { at: number; order: Order }[] = [];
  for (const { at, order } of orders) {
    const results = bucketsOf(order).map((bucket) => ({ key: bucket.key, ...takeToken(bucket, fullAt.get(bucket.key), at) }));
    if (results.some(({ kind }) => kind === 'empty')) continue;
    for (const result of results) if (result.kind === 'taken') fullAt.set(result.key, result.fullAt);
    passed.push({ at, order });
  }
  return passed;
}

/** An order a minute, for days. */
function* everyMinute(days: number, order: (n: number) => Order) {
  for (let n = 0; n < days * 24 * 60; n += 1) yield { at: NOON + n * MINUTE_MS, order: order(n) };
}

const times = (passed: readonly { readonly at: number }[]) => passed.map(({ at }) => at);

describe('the budget of orders', () => {
  test('keeps any three hours below 300 orders, and has a reserve for renewals', () => {
    const first = (n: number): Order => ({ host: `shop.n${n}.dev`, accountId: `acc_${n}`, purpose: 'first' });
    // More than everybody may have: ten a minute.
    const flood = function* () {
      for (let n = 0; n < 2 * 24 * 600; n += 1) yield { at: NOON + n * 6_000, order: first(n) };
    };
    const most = mostWithin(times(run(flood())), 3 * HOUR_MS);
    expect([most > 150, most <= 180]).toEqual([true, true]);
    const both = function* () {
      for (const each of flood()) {
        yield each;
        yield { at: each.at, order: { ...each.order, purpose: 'renewal' } as const };
      }
    };
    const passed = run(both());
    expect(mostWithin(times(passed), 3 * HOUR_MS)).toBeLessThanOrEqual(300);
    const renewals = passed.filter(({ order }) => order.purpose === 'renewal').length;
    expect(renewals).toBeGreaterThan((passed.length - renewals) / 4);
  });

  test('keeps any week below 50 certificates for one registered domain, whoever orders them; an authority without that limit has none', () => {
    const below = (isLimitedByDomain: boolean) =>
      run(everyMinute(21, (n) => ({ host: `n${n}.shop.dev`, accountId: `acc_${n % 100}`, purpose: 'first', isLimitedByDomain })));
    const limited = mostWithin(times(below(true)), 7 * DAY_MS);
    expect([limited > 40, limited < 50]).toEqual([true, true]);
    expect(below(false).length).toBeGreaterThan(1_000);
  });

  test('gives an account a hundred a day, and its own addresses twenty', () => {
    for (const [purpose, least, most] of [
      ['first', 90, 120],
      ['own_address', 15, 21],
    ] as const) {
      const passed = run(everyMinute(3, (n) => ({ host: `shop.n${n}.dev`, accountId: 'acc_1', purpose })));
      const aDay = mostWithin(times(passed), DAY_MS);
      expect([purpose, aDay >= least, aDay <= most]).toEqual([purpose, true, true]);
    }
  });

  test('gives everyone a turn within the hour, even if twenty accounts always ask for more', () => {
    const random = seededRandom32(6);
    const greedy = Array.from({ length: 20 }, (_, n): Order => ({ host: `shop.g${n}.dev`, accountId: `acc_g${n}`, purpose: 'first' }));
    const modest: Order = { host: 'shop.modest.dev', accountId: 'acc_modest', purpose: 'first' };
    const attempts = function* () {
      for (let minute = 0; minute < 14 * 60; minute += 1) {
        // Once a minute each, as QUEUE_SCHEDULE says, in any order; the modest one begins after twelve hours.
        const asking = [...greedy, ...(minute >= 12 * 60 ? [modest] : [])];
        const order = asking.map((each) => [random(), each] as const).toSorted(([a], [b]) => a - b);
        for (const [, each] of order) yield { at: NOON + minute * MINUTE_MS, order: { ...each, host: `n${random()}.${each.host}x${random()}.dev` } };
      }
    };
    const first = run(attempts()).find(({ order }) => order.accountId === modest.accountId);
    expect(((first?.at ?? Number.POSITIVE_INFINITY) - NOON) / MINUTE_MS - 12 * 60).toBeLessThan(60);
  });

  test('is not kept empty for years by a time that a wrong clock has stored', () => {
    const [bucket] = bucketsOf({ host: 'shop.dev', accountId: 'acc_1', purpose: 'first' });
    if (bucket === undefined) throw new Error('no bucket');
    expect(takeToken(bucket, NOON + 365 * DAY_MS, NOON)).toMatchObject({ kind: 'taken' });
    const full = NOON + bucket.size * bucket.refillMs;
    expect(takeToken(bucket, full, NOON)).toEqual({ kind: 'empty', until: NOON + bucket.refillMs });
  });
});

test.each([
  ['www.shop.co.uk', 'below shop.co.uk'],
  // Its customers have nothing to do with each other.
  ['www.shop.eu.org', 'below shop.eu.org'],
  ['shop.eu.org', 'below shop.eu.org'],
])('%s takes from the bucket of what its owner has', (host, key) => {
  expect(bucketsOf({ host, accountId: 'acc_1', purpose: 'first' }).map((bucket) => bucket.key)).toContain(key);
});
