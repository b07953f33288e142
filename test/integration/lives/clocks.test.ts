// Clocks that are wrong for a while, under a thousand domains that are live.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

const YEAR_MS = 365 * DAY_MS;

describe.runIf(pebbleInstalled)('a clock that is wrong', () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.stop());

  const populate = (count: number) => world.populate(Array.from({ length: count }, (_, at) => `shop.clock${at}.test`));

  async function expectAllInTime(lives: readonly Life[]): Promise<void> {
    const now = world.clock.now;
    const late: string[] = [];
    for (const life of lives) {
      const { state } = await life.domain();
      const isInTime = state.name === 'live' && state.nextCheckAt <= now + DAY_MS && (state.recordCheckAt ?? 0) > now && state.misses === 0;
      if (!isInTime) late.push(`${life.host}: ${JSON.stringify(state)}`);
    }
    expect(late).toEqual([]);
    expect(world.faults).toEqual([]);
  }

  test('by a year for 20 seconds: of 1,000 live domains, none is late by more than a day', { timeout: 240_000 }, async () => {
    const lives = await populate(1_000);
    // In the middle of what is due.
    await world.pass(DAY_MS - 10_000);
    world.clock.wrongBy = YEAR_MS;
    await world.pass(20_000);
    world.clock.wrongBy = 0;
    await world.pass(DAY_MS);
    await expectAllInTime(lives);
    expect(world.authority.orders).toEqual([]);
    expect(world.mails).toEqual([]);
  });

  test('set back by two days, and an hour more each hour: nothing is late, and nothing is asked for twice', { timeout: 240_000 }, async () => {
    const lives = await populate(50);
    await world.pass(DAY_MS);
    world.clock.wrongBy = -2 * DAY_MS;
    await world.pass(HOUR_MS);
    world.clock.wrongBy = 0;
    // A clock that is ahead is believed after an hour.
    await world.pass(DAY_MS + 2 * HOUR_MS);
    await expectAllInTime(lives);
    for (let hour = 0; hour < 30; hour += 1) {
      world.clock.wrongBy += HOUR_MS;
      await world.pass(HOUR_MS);
    }
    world.clock.wrongBy = 0;
    await world.pass(DAY_MS);
    await expectAllInTime(lives);
    expect(world.authority.orders).toEqual([]);
    expect(world.mails).toEqual([]);
  });
});
