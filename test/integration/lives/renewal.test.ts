// Domains that are live, whose certificate is renewed while the authority fails: once, in each way, at each step, or until the certificate has ended.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAULTY_LIVES, faultOf } from '../../support/lives/faults.ts';
import type { Fault } from '../../support/lives/faulty-authority.ts';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

/** Of the certificates here. They are renewed after 20 days, late after 25, and end after 30. */
const LIFE_DAYS = 30;

describe.runIf(pebbleInstalled)('a renewal', () => {
  let world: World;

  // A world of its own for each test: the renewals of the others' domains would take most of its time.
  beforeEach(async () => {
    world = await startWorld({ lifeDays: LIFE_DAYS });
  });
  afterEach(() => world.stop());

  const stateOf = async (life: Life) => (await life.domain()).state.name;

  async function allLive(hosts: readonly string[]): Promise<readonly Life[]> {
    const lives = await Promise.all(hosts.map((host) => world.begin(host)));
    await world.pass(3 * HOUR_MS);
    for (const life of lives) expect([life.host, await stateOf(life)]).toEqual([life.host, 'live']);
    return lives;
  }

  test('comes by itself after any fault at any step, and visitors never notice', async () => {
    const lives = await allLive(FAULTY_LIVES.map(({ host }) => host));
    const mails = new Map(lives.map(({ host }) => [host, world.mailsOn(host).length]));
    const played = new Map<string, number>();
    world.authority.play(
      faultOf(({ host }) => {
        played.set(host, (played.get(host) ?? 0) + 1);
        return (played.get(host) ?? 0) <= 3;
      }),
    );
    const first = new Map(await Promise.all(lives.map(async (life) => [life.host, (await life.domain()).certificate?.notAfter] as const)));
    await world.pass(24 * DAY_MS);
    for (const life of lives) {
      const { state, certificate, lastFailure } = await life.domain();
      expect([life.host, state.name, lastFailure]).toEqual([life.host, 'live', undefined]);
      expect([life.host, (certificate?.notAfter ?? 0) > (first.get(life.host) ?? 0)]).toEqual([life.host, true]);
      expect(await world.isValidAtEdge(life.host)).toBe(true);
      // Nobody is told of what has passed in time.
      expect(world.mailsOn(life.host).slice(mails.get(life.host)), world.lines.filter((line) => line.startsWith(life.host)).join('\n')).toEqual([]);
    }
    // The faults have been met, but for the authorizations that Pebble uses again: one in a hundred.
    expect(played.size).toBeGreaterThan(0.9 * lives.length);
    expect(world.faults).toEqual([]);
  });

  const LASTING: Readonly<Record<string, Fault>> = {
    'an internal error': { invalid: { type: 'serverInternal', detail: 'Error finalizing order' } },
    'a failed validation': { invalid: { type: 'connection', detail: 'Timeout during connect' } },
    'a CAA record that only the authority sees': { invalid: { type: 'caa', detail: 'CAA record prevents issuance' } },
    'a limit': { status: 429, type: 'rateLimited', headers: { 'retry-after': '86400' } },
    silence: 'silent',
  };

  test.each(Object.entries(LASTING))('that fails with %s until its end is told, shown and made up for', async (name, fault) => {
    const host = `shop.${name.toLowerCase().replaceAll(' ', '-')}.test`;
    const [life] = (await allLive([host])) as [Life];
    const isRefusal = typeof fault === 'string' || 'status' in fault;
    const asked: number[] = [];
    world.authority.play((each) => {
      if (each.host !== host) return undefined;
      asked.push(world.clock.now);
      return each.step === (isRefusal ? 'order' : 'finalize') ? fault : undefined;
    });
    const linesBefore = world.lines.length;
    await world.pass(24 * DAY_MS);
    const failing = await life.view();
    expect([failing.state, failing.advice?.code, failing.lastFailure?.actor]).toEqual(['live', 'renewal_late', 'nobody']);
    expect(failing.advice?.seen).toContain('the certificate is valid until');
    expect(world.lines.slice(linesBefore).filter((line) => line.startsWith(`${host}: its certificate could not be renewed`)).length).toBeGreaterThan(
      2,
    );
    expect(world.mailsOn(host)).toEqual([`${host} is live`]);
    await world.pass(2 * DAY_MS);
    // Half of what was left at the renewal has passed.
    expect(world.mailsOn(host).at(-1)).toBe(`${host} is still waiting for its new certificate`);
    await world.pass(5 * DAY_MS);
    const ended = await life.view();
    expect([ended.state, ended.advice?.code, ended.advice?.actor]).toEqual(['certificate_expired', 'certificate_expired', 'nobody']);
    expect(world.mailsOn(host).at(-1)).toBe(`${host} has no valid certificate`);
    expect(await world.isValidAtEdge(host)).toBe(false);
    // At most a day apart, however long it takes.
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(Math.max(...gaps, world.clock.now - (asked.at(-1) ?? 0)) / HOUR_MS).toBeLessThan(26);
    world.authority.play(() => undefined);
    await world.pass(26 * HOUR_MS);
    expect([await stateOf(life), await world.isValidAtEdge(host)]).toEqual(['live', true]);
    expect(world.mailsOn(host).at(-1)).toBe(`${host} works again`);
  });

  test.each(['suspended', 'removed'])('of a domain that is %s meanwhile does not serve it again', async (what) => {
    const host = `shop.${what}-in-between.test`;
    const [life] = (await allLive([host])) as [Life];
    const { accountId } = await life.domain();
    let stopped: Promise<unknown> | undefined;
    world.authority.play((asked) => {
      if (asked.host === host && asked.step === 'download') stopped ??= what === 'suspended' ? world.suspend(accountId) : world.remove(life);
      return undefined;
    });
    await world.pass(25 * DAY_MS);
    await stopped;
    expect([stopped === undefined, await stateOf(life), await world.isValidAtEdge(host)]).toEqual([false, what, false]);
  });
});
