import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPendingWork } from '../../local/health.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('pending work runs when it is due, or at once when the service stops, but never twice', async () => {
  const done: string[] = [];
  const pending = createPendingWork();
  pending.later(2_000, () => void done.push('early'));
  pending.later(9_000, async () => void done.push('late'));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['early']);
  await pending.finish();
  expect(done).toEqual(['early', 'late']);
  await vi.advanceTimersByTimeAsync(60_000);
  await pending.finish();
  expect(done).toEqual(['early', 'late']);
});
