// One owner who asks for certificates without end, beside another one.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mostWithin } from '../../support/lives/counts.ts';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

describe.runIf(pebbleInstalled)('one owner with 300 names', () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.stop());

  const stateOf = async (life: Life) => (await life.domain()).state.name;

  test('uses up their own share, and another owner goes live in the usual time', async () => {
    const [settled] = await world.populate(['shop.settled.test']);
    const owner = (await (settled as Life).domain()).accountId;
    // Adding, waiting and removing, in a loop.
    for (let round = 0; round < 10; round += 1) {
      const lives = await Promise.all(Array.from({ length: 30 }, (_, at) => world.begin(`shop.loop${round}x${at}.test`, owner)));
      await world.pass(60_000);
      if (round === 4) {
        const other = await world.begin('shop.other.test');
        await world.pass(60_000);
        expect([await stateOf(other), await world.isValidAtEdge(other.host)]).toEqual(['live', true]);
      }
      for (const life of lives.slice(0, 20)) await world.remove(life);
    }
    const ofLoop = world.authority.orders.filter(({ host }) => host.includes('.loop'));
    expect(ofLoop.length).toBeGreaterThan(19);
    expect(
      mostWithin(
        ofLoop.map(({ at }) => at),
        HOUR_MS,
      ),
    ).toBeLessThan(30);
    await world.pass(DAY_MS);
    expect(
      mostWithin(
        world.authority.orders.map(({ at }) => at),
        3 * HOUR_MS,
      ),
    ).toBeLessThan(180);
    // Who is kept is served in the end, and told why it takes so long.
    await world.pass(2 * DAY_MS);
    const kept = world.authority.orders.filter(({ host }) => host.includes('.loop')).length;
    expect(kept).toBeGreaterThan(100);
    expect(world.faults).toEqual([]);
  });

  test('a limit of one name, which its owner has reached elsewhere, concerns no one else', async () => {
    const detail =
      'too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s, retry after 2026-12-01 09:13:16 UTC: see https://letsencrypt.org/docs/rate-limits/#new-certificates-per-exact-set-of-identifiers';
    world.authority.play(({ step, host }) =>
      step === 'order' && host === 'shop.many.test' ? { status: 429, type: 'rateLimited', detail, headers: { 'retry-after': '120000' } } : undefined,
    );
    const many = await world.begin('shop.many.test');
    await world.pass(60_000);
    const other = await world.begin('shop.beside.test');
    await world.pass(60_000);
    world.authority.play(() => undefined);
    expect([await stateOf(many), await stateOf(other)]).toEqual(['certificate_pending', 'live']);
  });

  test('a limit of the authority pauses all new orders, and not one name after the other', async () => {
    const since = world.clock.now;
    let refused = 0;
    world.authority.play(({ step }) => {
      if (step !== 'order') return undefined;
      refused += 1;
      return { status: 429, type: 'rateLimited', detail: 'too many new orders', headers: { 'retry-after': '10800' } };
    });
    const lives = await Promise.all(Array.from({ length: 20 }, (_, at) => world.begin(`shop.paused${at}.test`)));
    await world.pass(2 * HOUR_MS);
    // Those that were on their way together.
    expect(refused).toBeLessThan(25);
    const asked = refused;
    await world.pass(50 * 60_000);
    expect(refused).toBe(asked);
    world.authority.play(() => undefined);
    await world.pass(4 * HOUR_MS);
    for (const life of lives) expect([life.host, await stateOf(life)]).toEqual([life.host, 'live']);
    expect(world.clock.now - since).toBeLessThan(8 * HOUR_MS);
  });

  test('an authority that asks everyone to wait for a year is asked again after a week', async () => {
    world.authority.play(({ step }) => (step === 'order' ? { status: 503, headers: { 'retry-after': '31536000' } } : undefined));
    const first = await world.begin('shop.year.test');
    await world.pass(60_000);
    world.authority.play(() => undefined);
    const second = await world.begin('shop.later.test');
    await world.pass(7 * DAY_MS + 2 * HOUR_MS);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['live', 'live']);
  });
});
