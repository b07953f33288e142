// Bans affect only persistent clients: the lists in docs/decisions/0003-bans.md against the pure model, starting at any moment of the minute, with
// one process and with many.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';
import {
  BANNED,
  bannedAfterMs,
  FREE,
  isBan,
  isRefusal,
  NEVER_BANNED,
  ONE_DAY_LEFT,
  runCase,
  runRepeatedBans,
  runUpgrade,
} from '../support/fairness.ts';
import { makeModelBench } from '../support/model-bench.ts';
import { seededRandom32 } from '../support/samples.ts';
import { after, type Behavior, ignores429, stopsAt429, waitsRetryAfter } from '../support/virtual-clients.ts';

/** The beginning of a minute, its middle, and just before its end. */
const STARTS = [0, 31_500, 59_900].map((offset) => NOON + offset);

describe('never banned', () => {
  test.each(NEVER_BANNED)('$name', async (each) => {
    for (const startAt of STARTS) {
      const sent = await runCase(makeModelBench(each.limits), each, startAt);
      expect(sent.some(isRefusal)).toBe(true);
      expect(sent.filter(isBan)).toEqual([]);
    }
  });

  test('an account that is upgraded while its client polls every 5 s', async () => {
    for (const upgradeAfterMs of [70_000, 3_600_000]) {
      const { bans, admittedAfterMs } = await runUpgrade(makeModelBench(ONE_DAY_LEFT), pollsFast(5_000), NOON, upgradeAfterMs);
      expect(bans).toBe(0);
      expect(admittedAfterMs).toBeLessThanOrEqual(60_000 + 5_000);
    }
  });

  test('any fleet of clients that wait, starting at any time, over any network', async () => {
    const client = fc.record({ startMs: fc.integer({ min: 0, max: 3 * MINUTE_MS }), stops: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(client, { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 1, max: 300 }),
        async (clients, networkMs, perMinute) => {
          const limits = { perMinute, perDay: 5_000 };
          const behaviors = clients.map(({ startMs, stops }) => after(startMs, stops ? stopsAt429 : waitsRetryAfter));
          const each = { name: 'fleet', limits, clients: behaviors, durationMs: 4 * MINUTE_MS, networkMs };
          expect((await runCase(makeModelBench(limits), each, NOON)).filter(isBan)).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('banned', () => {
  test.each(BANNED)('$name', async (each) => {
    for (const startAt of STARTS) {
      const after429 = bannedAfterMs(await runCase(makeModelBench(each.limits), each, startAt, isBan));
      expect(after429).toBeLessThanOrEqual(each.withinMs);
    }
  });

  test('any loop with a pause of at most 200 ms, starting at any time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 59_999 }), fc.integer({ min: 0, max: 200 }), async (offset, pauseMs) => {
        const each = { name: 'loop', limits: FREE, clients: [ignores429(pauseMs)], durationMs: 3 * MINUTE_MS, networkMs: 5 };
        expect(bannedAfterMs(await runCase(makeModelBench(FREE), each, NOON + offset, isBan))).toBeLessThanOrEqual(2 * MINUTE_MS);
      }),
      { numRuns: 20 },
    );
  });

  test('a client that does the same after its first ban, for longer', async () => {
    expect(await runRepeatedBans(makeModelBench(FREE), NOON)).toEqual([300, 600]);
  });
});

describe('fairness on Lambda, where each environment counts separately', () => {
  /** This is the worst case: any of the environments may answer a request. A client with a single connection usually reaches the same environment. */
  const spread = (environments: number) => {
    const random32 = seededRandom32();
    return () => Math.floor((random32() / 2 ** 32) * environments);
  };

  test.each([3, 50].flatMap((environments) => NEVER_BANNED.map((each) => ({ ...each, environments }))))(
    'never banned with $environments environments: $name',
    async (each) => {
      const sent = await runCase(makeModelBench(each.limits, spread(each.environments)), each, NOON);
      expect(sent.filter(isBan)).toEqual([]);
    },
  );

  test.each([
    // With one connection and one environment, nothing changes.
    ['a loop with a pause of 200 ms', 1, true],
    ['a loop with a pause of 200 ms', 3, true],
    // Each environment gives less than one refusal a second, so none ever bans.
    ['a loop with a pause of 200 ms', 6, false],
    ['a loop with a pause of 200 ms, after a day limit', 3, true],
    ['a loop without pause', 20, true],
    ['20 connections that never stop', 20, true],
    ['20 connections that never stop', 100, true],
  ])('%s, spread over %i environments: banned within 10 minutes: %s', async (name, environments, banned) => {
    const each = BANNED.find((one) => one.name === name);
    if (each === undefined) throw new Error(name);
    const bench = makeModelBench(each.limits, spread(environments));
    const after429 = bannedAfterMs(await runCase(bench, { ...each, durationMs: 10 * MINUTE_MS }, NOON, isBan));
    expect(after429 !== undefined).toBe(banned);
  });

  test('a client spread over several environments is never banned sooner than on one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 0, max: 200 }), async (environments, pauseMs) => {
        const each = { name: 'loop', limits: FREE, clients: [ignores429(pauseMs)], durationMs: 3 * MINUTE_MS, networkMs: 10 };
        const alone = bannedAfterMs(await runCase(makeModelBench(FREE), each, NOON, isBan)) ?? Infinity;
        const over = bannedAfterMs(await runCase(makeModelBench(FREE, spread(environments)), each, NOON, isBan)) ?? Infinity;
        expect(over).toBeGreaterThanOrEqual(alone);
      }),
      { numRuns: 20 },
    );
  });
});

test('an upgrade takes effect for a refused account within 60 s, whatever its client does', async () => {
  for (const pauseMs of [0, 50, 200, 1_000]) {
    // The first refusal was only moments ago, so the client is not banned yet.
    const { bans, admittedAfterMs } = await runUpgrade(makeModelBench(ONE_DAY_LEFT), ignores429(pauseMs), NOON, 70_000 - 62_000 + pauseMs * 61);
    expect([bans, admittedAfterMs]).toEqual([0, expect.any(Number)]);
    expect(admittedAfterMs).toBeLessThanOrEqual(60_000 + pauseMs + 10);
  }
});

/** Uses up the quota at once, and then polls occasionally. */
function pollsFast(everyMs: number): Behavior {
  return async (client) => {
    await stopsAt429(client);
    await ignores429(everyMs)(client);
  };
}
