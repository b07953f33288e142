// Domains that are live, and whose DNS record goes away, comes back, or can't be looked up for a while.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DnsFacts, ServerAnswer } from '../../../core/domains/diagnosis/dns-facts.ts';
import { DAY_MS, HOUR_MS, type Life, startWorld, type World } from '../../support/lives/world.ts';
import { pebbleInstalled } from '../../support/pebble.ts';

const SERVER = 'ns.lives.test';
const seen = (answer: ServerAnswer): Partial<DnsFacts> => ({ authoritative: [answer], recursive: [] });
const GONE = seen({ server: SERVER, kind: 'none' });
const SILENT = seen({ server: SERVER, kind: 'failed', reason: 'timeout' });

describe.runIf(pebbleInstalled)('the record of a live domain', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ lifeDays: 30 });
  });
  afterAll(() => world.stop());

  const stateOf = async (life: Life) => (await life.domain()).state.name;

  async function live(host: string): Promise<Life> {
    const life = await world.begin(host);
    await world.pass(HOUR_MS);
    expect(await stateOf(life)).toBe('live');
    return life;
  }

  test('that is gone is reported on the same day, and once it is back, all is well again', async () => {
    const life = await live('shop.gone.test');
    world.dns.set(life.host, GONE);
    await world.pass(DAY_MS);
    const { state, advice, served } = await life.view();
    expect([state, advice?.code, advice?.actor, served]).toEqual(['degraded', 'not_found', 'owner', true]);
    expect(world.mailsOn(life.host)).toHaveLength(2);
    world.dns.delete(life.host);
    await world.pass(HOUR_MS);
    expect([await stateOf(life), (await life.view()).advice]).toEqual(['live', null]);
  });

  test('that is missing at one look only, or can not be looked up for hours, is no one’s concern', async () => {
    const [once, silent] = [await live('shop.once.test'), await live('shop.silent.test')];
    world.dns.set(once.host, GONE);
    world.dns.set(silent.host, SILENT);
    const isMissed = async () => ((await once.domain()).state as { misses?: number }).misses === 1;
    for (let minute = 0; minute < 2 * 24 * 60 && !(await isMissed()); minute += 10) await world.pass(600_000);
    expect(await isMissed()).toBe(true);
    world.dns.delete(once.host);
    await world.pass(20 * HOUR_MS);
    for (const life of [once, silent]) expect([life.host, await stateOf(life), world.mailsOn(life.host).length]).toEqual([life.host, 'live', 1]);
    world.dns.delete(silent.host);
    await world.pass(2 * HOUR_MS);
    expect((await silent.view()).advice).toBe(null);
  });

  test('that is wrong when a renewal is due asks for the record, and the certificate follows once it is right, even after its end', async () => {
    const life = await live('shop.wrong.test');
    world.dns.set(life.host, seen({ server: SERVER, kind: 'records', records: { cname: ['old.host.test'], a: [], aaaa: [], txt: [] } }));
    await world.pass(31 * DAY_MS);
    const { state, advice } = await life.view();
    expect([state, advice?.code, advice?.actor]).toEqual(['certificate_expired', 'wrong_target', 'owner']);
    // No order that would fail.
    expect(world.authority.orders.filter(({ host }) => host === life.host)).toHaveLength(1);
    expect(await world.isValidAtEdge(life.host)).toBe(false);
    world.dns.delete(life.host);
    await world.pass(7 * HOUR_MS);
    expect([await stateOf(life), await world.isValidAtEdge(life.host)]).toEqual(['live', true]);
    expect(world.mailsOn(life.host).at(-1)).toBe(`${life.host} works again`);
    expect(world.faults).toEqual([]);
  });
});
