// The limit per user of the control API: what is looked up, and what is repeated from memory.

import { expect, test } from 'vitest';
import { createMemoryMinuteCounter } from '../../adapters/store/memory/single-process.ts';
import { StoreFault } from '../../core/refusal.ts';
import { createUserLimiter } from '../../service/admission/minute-limiter.ts';
import { NOON } from '../../testing/samples.ts';

test('a refusal is repeated from memory until its minute ends; others are counted', async () => {
  const counter = createMemoryMinuteCounter();
  const asked: string[] = [];
  const limiter = createUserLimiter({
    count: (key, limit, now) => {
      asked.push(key);
      return counter.count(key, limit, now);
    },
  });
  for (let n = 0; n < 600; n += 1) expect((await limiter.admit('usr_1', NOON)).admitted).toBe(true);
  const refused = { admitted: false, quota: { limit: 600, remaining: 0, resetAt: NOON + 60_000 } };
  for (let n = 0; n < 50; n += 1) expect(await limiter.admit('usr_1', NOON + 59_999)).toEqual(refused);
  expect(asked).toHaveLength(601);
  expect(await limiter.admit('usr_2', NOON)).toMatchObject({ admitted: true, quota: { remaining: 599 } });
  expect(await limiter.admit('usr_1', NOON + 60_000)).toMatchObject({ admitted: true, quota: { remaining: 599 } });
  expect(asked).toHaveLength(603);
});

test('a fault of the counter is neither an admission nor a refusal that is remembered', async () => {
  const counter = createMemoryMinuteCounter();
  const faults = [new StoreFault('unavailable', 'throttled')];
  const limiter = createUserLimiter({
    count: async (key, limit, now) => {
      const fault = faults.pop();
      if (fault !== undefined) throw fault;
      return counter.count(key, limit, now);
    },
  });
  await expect(limiter.admit('usr_1', NOON)).rejects.toThrow('throttled');
  expect((await limiter.admit('usr_1', NOON)).admitted).toBe(true);
});
