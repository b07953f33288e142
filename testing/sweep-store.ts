// What every SweepStore must do.

import { expect } from 'expect';
import type { SweepProgress, SweepStore } from '../core/domains/queue.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

const PROGRESS: SweepProgress = { cycle: { startedAt: NOON, list: 1, after: 'a "b"', before: { tenants: 3 }, current: {} }, last: { tenants: 2 } };

/** Declares the suite for an adapter. @param make returns an empty store; called for each test */
export function sweepStoreContract(runner: TestFunction, make: Make<SweepStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'SweepStore contract', options, { setUp: make });

  test('a sweep belongs to one run until that run releases it or its time has passed; other sweeps are free', async (store) => {
    expect(await store.read('domains')).toEqual({});
    expect(await store.take('domains', 'run1', NOON, NOON + 100)).toEqual({});
    expect(await store.take('domains', 'run2', NOON + 99, NOON + 200)).toBeUndefined();
    expect(await store.take('edge', 'run2', NOON + 99, NOON + 200)).toEqual({});
    expect(await store.save('domains', 'run1', PROGRESS, NOON + 100)).toBe(true);
    expect([await store.read('domains'), await store.read('edge')]).toEqual([PROGRESS, {}]);
    expect(await store.save('domains', 'run1', PROGRESS, 0)).toBe(true);
    expect(await store.take('domains', 'run3', NOON + 99, NOON + 200)).toEqual(PROGRESS);
    expect(await store.take('edge', 'run4', NOON + 200, NOON + 300)).toEqual({});
  });

  test("stores a run's progress, and nothing from a run that no longer holds the sweep", async (store) => {
    await store.take('edge', 'run1', NOON, NOON + 100);
    expect(await store.save('edge', 'run1', PROGRESS, NOON + 150)).toBe(true);
    expect(await store.take('edge', 'run2', NOON + 149, NOON + 300)).toBeUndefined();
    expect(await store.take('edge', 'run2', NOON + 150, NOON + 300)).toEqual(PROGRESS);
    expect(await store.save('edge', 'run1', { last: { tenants: 9 } }, 0)).toBe(false);
    expect(await store.save('edge', 'run2', {}, 0)).toBe(true);
    expect(await store.take('edge', 'run3', NOON, NOON + 300)).toEqual({});
  });

  test('a sweep that was taken with a clock that is ahead is free', async (store) => {
    await store.take('edge', 'run1', NOON + DAY_MS, NOON + DAY_MS + 100);
    expect(await store.take('edge', 'run2', NOON, NOON + 100)).toEqual({});
  });

  test('only one of several concurrent runs gets the sweep, whether it is new or not', async (store) => {
    for (const at of [NOON, NOON + 1_000]) {
      const taken = await Promise.all(Array.from({ length: 8 }, (_, n) => store.take('domains', `run${at}-${n}`, at, at + 500)));
      expect(taken.filter((each) => each !== undefined)).toHaveLength(1);
    }
  });

  test('remembers for a week when something was first reported', async (store) => {
    const thing = `host www.shop.dev prj_${Math.random()}`;
    expect(await store.firstReported(thing, NOON)).toBe(NOON);
    expect(await store.firstReported(thing, NOON + DAY_MS)).toBe(NOON);
    expect(await store.firstReported(`${thing}2`, NOON + DAY_MS)).toBe(NOON + DAY_MS);
    expect(await store.firstReported(thing, NOON + 7 * DAY_MS - 1)).toBe(NOON);
    expect(await store.firstReported(thing, NOON + 7 * DAY_MS)).toBe(NOON + 7 * DAY_MS);
  });
}
