// An authority that fails at random, in any way, at any step, for two months.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mostWithin } from '../../support/lives/counts.ts';
import { PASSING_FAULTS } from '../../support/lives/faults.ts';
import type { Asked, Fault } from '../../support/lives/faulty-authority.ts';
import { DAY_MS, HOUR_MS, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';
import { seededRandom32 } from '../../support/samples.ts';

/** As many as in a small installation; LIVES=200 takes eight minutes. */
const DOMAINS = Number(process.env.LIVES ?? 12);
const DAYS = 60;
/** Two renewals fall within that time. */
const LIFE_DAYS = 30;

/** Those that end an order, too. */
const FAULTS: readonly Fault[] = [
  ...Object.values(PASSING_FAULTS),
  { invalid: { type: 'serverInternal', detail: 'Error finalizing order' } },
  { invalid: { type: 'connection', detail: 'Timeout during connect' } },
  { invalid: { type: 'caa', detail: 'CAA record prevents issuance' } },
];

describe.runIf(pebbleInstalled)('an authority of which 30 of 100 answers are faults', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ lifeDays: LIFE_DAYS, renewalInfo: true });
  });
  afterAll(() => world.stop());

  test('all go live and stay live, within the published limits', async () => {
    const random = seededRandom32(30);
    const failedValidations = new Map<string, number[]>();
    const choose = ({ step, host = '' }: Asked): Fault | undefined => {
      if (random() / 2 ** 32 >= 0.3) return undefined;
      const fault = FAULTS[random() % FAULTS.length];
      if (typeof fault === 'object' && 'invalid' in fault && step === 'challenge')
        failedValidations.set(host, [...(failedValidations.get(host) ?? []), world.clock.now]);
      return fault;
    };
    world.authority.play(choose);
    const lives = await Promise.all(
      Array.from({ length: DOMAINS }, (_, at) => world.begin(`${at % 2 === 0 ? 'www' : 'shop'}.random${at >> 1}.test`)),
    );
    await world.pass(3 * DAY_MS);
    const expired: string[] = [];
    for (let day = 3; day < DAYS; day += 1) {
      await world.pass(DAY_MS);
      for (const { host } of lives) if (!(await world.isValidAtEdge(host))) expired.push(`${host} on day ${day}`);
    }
    expect(expired).toEqual([]);
    const states = await Promise.all(lives.map(async (life) => (await life.domain()).state.name));
    expect(states.filter((state) => state !== 'live')).toEqual([]);
    // Let's Encrypt: 300 new orders of an account in 3 hours, 5 failed validations of a name in an hour, 5 certificates for a name in 7 days, not
    // counting renewals that say what they replace.
    const { orders } = world.authority;
    expect(
      mostWithin(
        orders.map(({ at }) => at),
        3 * HOUR_MS,
      ),
    ).toBeLessThanOrEqual(300);
    for (const times of failedValidations.values()) expect(mostWithin(times, HOUR_MS)).toBeLessThanOrEqual(5);
    expect(world.faults).toEqual([]);
  });
});
