// Clocks that are wrong for a while, under a thousand domains that are live.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { transition } from '../../../core/domains/lifecycle.ts';
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

  test('by a year for 20 seconds: of 1,000 live domains, none is late by more than a day', async () => {
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

  test('set back by two days, and an hour more each hour: nothing is late, and nothing is asked for twice', async () => {
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

  describe('for three hours, so that it was believed, and then right again', () => {
    const AHEAD_MS = 30 * DAY_MS;
    const fail = () => world.authority.play(({ step }) => (step === 'order' ? { status: 500, type: 'serverInternal' } : undefined));

    async function beWrong(): Promise<void> {
      world.clock.wrongBy = AHEAD_MS;
      await world.pass(3 * HOUR_MS);
      world.clock.wrongBy = 0;
      world.authority.play(() => undefined);
    }

    test('the record of a live domain is looked at as before', async () => {
      const lives = await populate(1);
      await world.pass(DAY_MS);
      await beWrong();
      await world.pass(DAY_MS);
      await expectAllInTime(lives);
    });

    test('a first certificate that had failed is tried again', async () => {
      fail();
      const life = await world.begin('shop.first.test');
      await world.pass(60_000);
      await beWrong();
      await world.pass(HOUR_MS);
      await expectAllInTime([life]);
    });

    test('a renewal that had failed is tried again', async () => {
      const lives = await populate(1);
      fail();
      await world.pass(80 * DAY_MS);
      expect(await (lives[0] as Life).domain()).toMatchObject({ lastFailure: { failure: 'authority_unavailable' } });
      await beWrong();
      await world.pass(HOUR_MS);
      expect((await (lives[0] as Life).domain()).lastFailure).toBeUndefined();
    });
  });

  test('while an owner clicks Verify: the record is looked at as before', async () => {
    const lives = await populate(1);
    const read = await (lives[0] as Life).domain();
    // Requests go by the machine's clock.
    const verified = transition(read, { kind: 'verify' }, world.clock.now + YEAR_MS);
    if (verified.kind !== 'moved') throw new Error(verified.kind);
    await world.work.domains.saveDomain(verified.domain, read);
    await world.pass(DAY_MS);
    await expectAllInTime(lives);
  });
});
