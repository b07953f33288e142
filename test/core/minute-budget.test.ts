import { expect, test } from 'vitest';
import { createMinuteBudget } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';

test('a minute budget allows each key its requests in a minute, and then returns the seconds until the next minute', () => {
  const budget = createMinuteBudget(2, 10);
  expect([1, 2, 3].map(() => budget.take('a', NOON + 10_000))).toEqual([0, 0, 50]);
  expect([budget.take('b', NOON + 10_000), budget.take('a', NOON + 59_999), budget.take('a', NOON + 60_000)]).toEqual([0, 1, 0]);
});

test('a minute budget makes no key wait when the clock is set back', () => {
  const budget = createMinuteBudget(1, 10);
  expect([budget.take('a', NOON), budget.take('a', NOON - 3_600_000), budget.take('a', NOON - 3_600_000)]).toEqual([0, 0, 60]);
});

test('a minute budget drops the key that has been idle longest', () => {
  const budget = createMinuteBudget(1, 2);
  expect(['a', 'b', 'c', 'b', 'a'].map((key) => budget.take(key, NOON))).toEqual([0, 0, 0, 60, 0]);
});
