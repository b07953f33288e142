// What every OrderLimiter must do.

import { expect } from 'expect';
import type { OrderBucket, OrderLimiter } from '../core/domains/ports.ts';
import { HOUR_MS } from '../core/limits/windows.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns a limiter with full buckets; called once */
export function orderLimiterContract(runner: TestFunction, make: Make<OrderLimiter>, options: SuiteOptions = {}): void {
  let buckets = 0;
  const test = contractSuite(runner, 'OrderLimiter contract', options, { setUp: once(make) });

  /** Returns a full bucket that no test has used. */
  const bucket = (size: number): OrderBucket => {
    buckets += 1;
    return { key: `bucket ${buckets}`, size, refillMs: HOUR_MS };
  };

  test('gives exactly as many tokens as there are, to any number of concurrent calls', async (limiter) => {
    const of = bucket(8);
    const taken = await Promise.all(Array.from({ length: 12 }, () => limiter.take([of], NOON)));
    expect(taken.toSorted()).toEqual([...Array(4).fill(NOON + HOUR_MS), ...Array(8).fill(undefined)]);
  });

  test('says when the next token is available, and gives it then', async (limiter) => {
    const of = bucket(2);
    expect([await limiter.take([of], NOON), await limiter.take([of], NOON + 1)]).toEqual([undefined, undefined]);
    expect(await limiter.take([of], NOON + 2)).toBe(NOON + HOUR_MS);
    expect(await limiter.take([of], NOON + HOUR_MS - 1)).toBe(NOON + HOUR_MS);
    expect(await limiter.take([of], NOON + HOUR_MS)).toBeUndefined();
    expect(await limiter.take([of], NOON + HOUR_MS)).toBe(NOON + 2 * HOUR_MS);
    // A full bucket does not fill any further, however long it is unused.
    const later = NOON + 100 * HOUR_MS;
    expect([await limiter.take([of], later), await limiter.take([of], later)]).toEqual([undefined, undefined]);
    expect(await limiter.take([of], later)).toBe(later + HOUR_MS);
  });

  test('takes from all buckets or from none, and waits until the last of them has a token', async (limiter) => {
    const [wide, narrow] = [bucket(2), { ...bucket(1), refillMs: 3 * HOUR_MS }];
    expect(await limiter.take([wide, narrow], NOON)).toBeUndefined();
    expect(await limiter.take([wide, narrow], NOON)).toBe(NOON + 3 * HOUR_MS);
    expect(await limiter.take([wide], NOON)).toBeUndefined();
    expect(await limiter.take([wide], NOON)).toBe(NOON + HOUR_MS);
  });

  test('ignores tokens that were taken with a clock that was ahead', async (limiter) => {
    const of = bucket(2);
    for (let n = 0; n < 2; n += 1) await limiter.take([of], NOON + 10_000 * HOUR_MS);
    expect([await limiter.take([of], NOON), await limiter.take([of], NOON)]).toEqual([undefined, undefined]);
    expect(await limiter.take([of], NOON)).toBe(NOON + HOUR_MS);
  });
}
