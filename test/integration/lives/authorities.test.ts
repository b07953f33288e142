// What changes at the authority: the account, the directory, and what it says of certificates that it has issued.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultyAuthority } from '../../support/lives/faulty-authority.ts';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

describe.runIf(pebbleInstalled)("an authority's account", () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.stop());

  const stateOf = async (life: Life) => (await life.domain()).state.name;

  test('that it has forgotten, or deactivated, is registered again without a restart', async () => {
    await world.begin('shop.before.test');
    await world.pass(HOUR_MS);
    for (const [name, type, detail] of [
      ['forgotten', 'accountDoesNotExist', 'unable to find existing account'],
      ['deactivated', 'unauthorized', 'Account is not valid, has status "deactivated"'],
    ] as const) {
      const since = world.authority.asked.length;
      let refusals = 0;
      // With the account's old URL; a new registration is accepted.
      world.authority.play(({ step }) => {
        const hasRegistered = world.authority.asked.slice(since).some((each) => each.step === 'account');
        if (step !== 'order' || hasRegistered) return undefined;
        refusals += 1;
        return { status: name === 'forgotten' ? 400 : 403, type, detail };
      });
      const life = await world.begin(`shop.${name}.test`);
      await world.pass(HOUR_MS);
      expect([name, await stateOf(life), refusals > 0]).toEqual([name, 'live', true]);
    }
  });

  test('that needs its operator is one line for them, and nothing to do for owners', async () => {
    world.authority.play(({ step }) =>
      step === 'order' ? { status: 403, type: 'userActionRequired', detail: 'terms of service have changed' } : undefined,
    );
    const lives = [await world.begin('shop.one.test'), await world.begin('shop.two.test')];
    const before = world.lines.length;
    await world.pass(3 * HOUR_MS);
    for (const life of lives) {
      const { state, advice, lastFailure } = await life.view();
      expect([state, advice?.actor, lastFailure?.code]).toEqual(['certificate_pending', 'platform', 'account']);
      expect(advice?.fix).toMatch(/^nothing: we will try again at /);
    }
    const told = world.lines.slice(before).filter((line) => line.includes("refuses this installation's account"));
    expect(told).toEqual([expect.stringContaining('terms of service have changed')]);
    world.authority.play(() => undefined);
    // Within an hour after the operator has acted.
    await world.pass(HOUR_MS + 60_000);
    for (const life of lives) expect(await stateOf(life)).toBe('live');
    expect(world.lines.some((line) => line.includes("accepts this installation's account again"))).toBe(true);
  });
});

describe.runIf(pebbleInstalled)('renewal information', () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld({ renewalInfo: true });
  });
  afterEach(() => world.stop());

  test('is followed: a mass revocation is survived, and the renewals say what they replace', async () => {
    const lives = await Promise.all(Array.from({ length: 12 }, (_, at) => world.begin(`shop.revoked${at}.test`)));
    await world.pass(3 * DAY_MS);
    const before = await Promise.all(lives.map(async (life) => (await life.domain()).certificate?.notAfter ?? 0));
    // All of them will be revoked in five days: their windows are past or near.
    for (const { host } of lives) world.authority.setWindow(host, { start: world.clock.now - DAY_MS, end: world.clock.now + HOUR_MS });
    const ordersBefore = world.authority.orders.length;
    await world.pass(DAY_MS);
    for (const { host } of lives) world.authority.setWindow(host, undefined);
    const replaced = await Promise.all(lives.map(async (life, at) => ((await life.domain()).certificate?.notAfter ?? 0) > (before[at] ?? 0)));
    expect(replaced).toEqual(lives.map(() => true));
    const renewals = world.authority.orders.slice(ordersBefore);
    expect(renewals.length).toBe(lives.length);
    expect(renewals.every(({ replaces }) => replaces?.includes('.'))).toBe(true);
    for (const { host } of lives) expect(await world.isValidAtEdge(host)).toBe(true);
  });

  test('that fails, or says nonsense, changes nothing', async () => {
    const life = await world.begin('shop.nonsense.test');
    await world.pass(HOUR_MS);
    world.authority.setWindow('shop.nonsense.test', { start: Number.MAX_SAFE_INTEGER / 2 ** 10, end: 0 });
    world.authority.play(({ step, before }) => (step === 'renewal_info' ? (['garbage', 'silent', { status: 500 }] as const)[before % 3] : undefined));
    const { certificate } = await life.domain();
    await world.pass(10 * DAY_MS);
    expect((await life.domain()).certificate?.notAfter).toBe(certificate?.notAfter);
    expect((await life.view()).lastFailure).toBe(null);
    world.authority.play(() => undefined);
    await world.pass(70 * DAY_MS);
    expect([(await life.domain()).state.name, await world.isValidAtEdge(life.host)]).toEqual(['live', true]);
  });
});

describe.runIf(pebbleInstalled)('another directory', () => {
  let world: World;

  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.stop());

  const isByProduction = async (life: Life, production: FaultyAuthority) => {
    const domain = await life.domain();
    const { certificate } = domain.state as { certificate?: string };
    const { issuer = '' } = domain.certificate ?? {};
    return production.orders.some(({ host }) => host === life.host) && certificate !== undefined && issuer !== '';
  };

  test('replaces all certificates of the one before, and gives none of them back', async () => {
    const lives = await Promise.all(Array.from({ length: 8 }, (_, at) => world.begin(`shop.staging${at}.test`)));
    await world.pass(2 * HOUR_MS);
    for (const life of lives) expect((await life.domain()).state.name).toBe('live');
    const [removed, ...kept] = lives as [Life, ...Life[]];
    const production = await world.changeDirectory();
    await world.remove(removed);
    await world.settle();
    const again = await world.begin(removed.host);
    await world.pass(DAY_MS + HOUR_MS);
    for (const life of [again, ...kept]) {
      expect([life.host, (await life.domain()).state.name, await isByProduction(life, production)]).toEqual([life.host, 'live', true]);
      expect(await world.isValidAtEdge(life.host)).toBe(true);
      // Each of them once.
      expect(production.orders.filter(({ host }) => host === life.host)).toHaveLength(1);
    }
    expect(world.mails.filter(({ subject }) => /waiting|no valid/.test(subject))).toEqual([]);
  });
});
