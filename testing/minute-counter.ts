// What every MinuteCounter must do.

import { expect } from 'expect';
import type { MinuteCounter } from '../core/limits/ports.ts';
import { MINUTE_MS } from '../core/limits/windows.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns a counter without counts; called once */
export function minuteCounterContract(runner: TestFunction, make: Make<MinuteCounter>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'MinuteCounter contract', options, { setUp: once(make) });

  test('counts exactly up to the limit, for any number of concurrent calls', async (counter) => {
    const counts = await Promise.all(Array.from({ length: 120 }, () => counter.count('busy', 100, NOON)));
    const counted = counts.filter((count) => count !== undefined).sort((a, b) => a - b);
    expect(counted).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  });

  test('counts each key and each UTC minute separately', async (counter) => {
    expect(await counter.count('one', 1, NOON)).toBe(1);
    expect(await counter.count('one', 1, NOON + MINUTE_MS - 1)).toBeUndefined();
    expect(await counter.count('other', 1, NOON)).toBe(1);
    expect(await counter.count('one', 1, NOON + MINUTE_MS)).toBe(1);
    // A process whose clock is behind counts in its own minute, and does not reset this one.
    expect(await counter.count('one', 1, NOON)).toBeUndefined();
    expect(await counter.count('one', 1, NOON + MINUTE_MS)).toBeUndefined();
  });

  test('a refused call is not counted: a higher limit continues where the count ended', async (counter) => {
    for (const limit of [1, 1, 1]) await counter.count('raised', limit, NOON);
    expect(await counter.count('raised', 2, NOON)).toBe(2);
  });
}
