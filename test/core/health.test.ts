import { expect, test } from 'vitest';
import { createReadiness } from '../../core/health.ts';

test('a service is ready unless a check has failed; one that throws has', async () => {
  let state: 'ok' | 'warning' | 'failed' | 'throws' = 'ok';
  let now = 0;
  const readiness = createReadiness(
    {
      part: () => {
        if (state === 'throws') throw new Error('secret');
        return { name: 'part', state };
      },
      other: async () => ({ name: 'other', state: 'ok' }),
    },
    () => now,
  );
  const seen: unknown[] = [];
  for (state of ['ok', 'warning', 'failed', 'throws'] as const) {
    now += 1_000;
    const { isReady, checks } = await readiness();
    seen.push([isReady, checks[0]]);
  }
  expect(seen).toEqual([
    [true, { name: 'part', state: 'ok' }],
    [true, { name: 'part', state: 'warning' }],
    [false, { name: 'part', state: 'failed' }],
    [false, { name: 'part', state: 'failed', reason: 'it does not answer' }],
  ]);
});

test('parts are looked at once a second at most, however many ask, and again when the clock is set back', async () => {
  let now = 10_000;
  let looks = 0;
  const readiness = createReadiness({ part: () => ({ name: 'part', state: ++looks > 0 ? 'ok' : 'failed' }) }, () => now);
  await Promise.all(Array.from({ length: 100 }, readiness));
  now += 999;
  await readiness();
  expect(looks).toBe(1);
  now += 1;
  await readiness();
  expect(looks).toBe(2);
  now = 0;
  await readiness();
  expect(looks).toBe(3);
});
