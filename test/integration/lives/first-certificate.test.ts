// Domains whose first certificate does not come at once, because the authority fails for a while. Nobody clicks.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FAULTY_LIVES, faultOf, PASSING_FAULTS } from '../../support/lives/faults.ts';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

describe.runIf(pebbleInstalled)('a first certificate', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(() => world.authority.play(() => undefined));
  afterAll(() => world.stop());

  const stateOf = async (life: Life) => (await life.domain()).state.name;

  test('comes by itself after any fault at any step of its order, with one order', async () => {
    const until = world.clock.now + 2 * HOUR_MS;
    world.authority.play(faultOf(() => world.clock.now < until));
    const lives = await Promise.all(FAULTY_LIVES.map(({ host }) => world.begin(host)));
    await world.pass(HOUR_MS + 50 * 60_000);
    for (const life of lives) {
      const { state, lastFailure, advice } = await life.view();
      // What the authority has received counts, even if its answer is lost.
      if (/lost-at-(challenge|finalize)/.test(life.host)) continue;
      expect([life.host, state, lastFailure?.actor === 'owner', advice?.actor === 'owner']).toEqual([life.host, 'certificate_pending', false, false]);
      expect(advice?.fix).toContain('nothing: we will try again at');
      expect(world.mailsOn(life.host)).toEqual([`${life.host} is still waiting for its certificate`]);
      expect(world.lines.some((line) => line.startsWith(`${life.host}: no certificate yet (`))).toBe(true);
    }
    await world.pass(DAY_MS);
    for (const life of lives) {
      expect([life.host, await stateOf(life), await world.isValidAtEdge(life.host)]).toEqual([life.host, 'live', true]);
      expect(world.mailsOn(life.host).at(-1)).toBe(`${life.host} is live`);
      // The authority has the order, and we don't know its name, or it says that it has no such order: only another one helps.
      const orders = world.authority.orders.filter(({ host }) => host === life.host).length;
      if (!/lost-at-order|not-found-at-poll/.test(life.host))
        expect([life.host, orders], world.lines.filter((line) => line.startsWith(life.host)).join('\n')).toEqual([life.host, 1]);
    }
    expect(world.faults).toEqual([]);
  });

  test.each(Object.entries(PASSING_FAULTS))('comes after %s at the directory, the nonces and the account', async (name, fault) => {
    for (const step of ['directory', 'nonce', 'account'] as const) {
      const until = world.clock.now + 2 * HOUR_MS;
      world.authority.play((asked) => (asked.step === step && world.clock.now < until ? fault : undefined));
      const life = await world.begin(`shop.${name}-of-${step}.test`);
      await world.pass(5 * HOUR_MS);
      expect([step, await stateOf(life)]).toEqual([step, 'live']);
    }
  });
});
