// When the dashboard reads again.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterFailures, clockDifference, refreshAfterMs, soonestOf } from '../../dashboard/src/polling.ts';
import { NOON } from '../../testing/samples.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const at = (ms: number) => new Date(ms).toISOString();
const checking = (nextCheckAt: number) => ({ inProgress: true, since: at(NOON - HOUR), nextCheckAt: at(nextCheckAt) });

describe('a domain', () => {
  test('that only changes on command is not read again', () => {
    expect(refreshAfterMs({ inProgress: false, since: at(NOON - HOUR) }, NOON)).toBe(false);
  });

  test('is read when its next check is done, however far ahead', () => {
    expect(refreshAfterMs(checking(NOON + HOUR), NOON)).toBe(HOUR + SECOND);
    expect(refreshAfterMs(checking(NOON + 5 * SECOND), NOON)).toBe(6 * SECOND);
    // Also one that is live: Verify makes it due.
    expect(refreshAfterMs({ ...checking(NOON), inProgress: false }, NOON)).toBe(2 * SECOND);
    // Browsers fire a timer of more than 24.8 days at once.
    expect(refreshAfterMs(checking(NOON + 1_000 * HOUR), NOON)).toBe(2 ** 31 - 1);
  });

  test('whose check is due is read every two seconds, and less often the longer it is overdue', () => {
    expect([0, 4, 10, 40, 3_600].map((late) => refreshAfterMs(checking(NOON - late * SECOND), NOON))).toEqual(
      [2, 2, 5, 20, 30].map((seconds) => seconds * SECOND),
    );
  });

  test('without a time of its next check is due since it entered its state', () => {
    expect(refreshAfterMs({ inProgress: true, since: at(NOON - 20 * SECOND) }, NOON)).toBe(10 * SECOND);
  });

  test('is never read each second', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10 * HOUR, max: 10 * HOUR }), (untilDue) => {
        expect(refreshAfterMs(checking(NOON + untilDue), NOON)).toBeGreaterThanOrEqual(2 * SECOND);
      }),
    );
  });
});

test('several domains are read at the time of the first', () => {
  expect([soonestOf([false, 5_000, 2_000]), soonestOf([false]), soonestOf([])]).toEqual([2_000, false, false]);
});

test('failures double the interval, up to two minutes', () => {
  expect([0, 1, 2, 3, 10].map((failures) => afterFailures(5_000, failures))).toEqual([5_000, 10_000, 20_000, 40_000, 120_000]);
  expect(afterFailures(HOUR, 3)).toBe(HOUR);
  expect(afterFailures(false, 3)).toBe(false);
});

test("the service's clock is known from its responses", () => {
  expect(clockDifference('Sat, 21 Nov 2026 12:00:05 GMT', Date.parse('2026-11-21T12:00:00Z'))).toBe(5_000);
  expect([clockDifference(null, NOON), clockDifference('soon', NOON)]).toEqual([undefined, undefined]);
});
