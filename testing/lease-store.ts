// What every LeaseStore must do in addition to the UsageStore for the same accounts, and what must never happen when several processes take leases.

import { expect } from 'expect';
import fc from 'fast-check';
import type { Limits } from '../core/access/plans.ts';
import { LEASE_MS, LEASED_ABOVE_PER_MINUTE } from '../core/limits/lease.ts';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';
import type { Stores } from '../core/ports.ts';
import { createLeasedUsage } from '../service/admission/leases.ts';
import { NOON, sampleAccount, sampleKey } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export type LeaseStoreWorld = Required<Omit<Stores, 'pets'>>;

export interface LeaseStoreOptions extends SuiteOptions {
  /** Number of random histories tried, each with its own account. @default 20 */
  readonly runs?: number;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function leaseStoreContract(runner: TestFunction, make: Make<LeaseStoreWorld>, options: LeaseStoreOptions = {}): void {
  let stores: LeaseStoreWorld;

  const test = contractSuite(runner, 'LeaseStore contract', options, {
    setUp: once(async () => {
      stores = await make();
    }),
  });

  async function makeAccount(limits: Limits) {
    const account = sampleAccount(limits);
    await stores.accounts.createAccount(account);
    const { text: _, ...key } = sampleKey(account.id);
    await stores.accounts.addKey(key, 10, NOON);
    const request = { accountId: account.id, digest: key.digest };
    return {
      account,
      key,
      request,
      take: (take: number, back = 0, now = NOON, of = limits) => stores.leases.take(request, { take, back, limits: of }, now),
      used: async (now = NOON) => {
        const quotas = (await stores.usage.usage(account.id, now))?.quotas;
        return [limits.perMinute - (quotas?.minute.remaining ?? 0), limits.perDay - (quotas?.day.remaining ?? 0)];
      },
    };
  }

  test("takes a block from both windows, and returns the key's permissions", async () => {
    const { key, take, used } = await makeAccount({ perMinute: 100, perDay: 200 });
    const grant = await take(40);
    expect(grant).toEqual({
      plan: 'enterprise',
      scopes: key.scopes,
      expiresAt: key.expiresAt,
      quotas: {
        minute: { limit: 100, remaining: 60, resetAt: NOON + MINUTE_MS },
        day: { limit: 200, remaining: 160, resetAt: Math.floor(NOON / DAY_MS) * DAY_MS + DAY_MS },
      },
    });
    expect(await used()).toEqual([40, 40]);
    expect((await take(0))?.quotas.minute.remaining).toBe(60);
    // Taking a block counts as a use of the key; a refused block does not.
    expect((await stores.accounts.getKey(key.id))?.lastUsedAt).toBe(NOON);
    await take(10, 0, NOON + 2 * MINUTE_MS + 1);
    await take(101, 0, NOON + 3 * MINUTE_MS);
    expect((await stores.accounts.getKey(key.id))?.lastUsedAt).toBe(NOON + 2 * MINUTE_MS);
  });

  test('takes blocks for a suspended account too, and reports that it is suspended', async () => {
    const { account, take, used } = await makeAccount({ perMinute: 100, perDay: 130 });
    expect((await take(10))?.suspended).not.toBe(true);
    await stores.accounts.setSuspension(account.id, { since: NOON, reason: 'not paid' });
    expect(await take(10)).toMatchObject({ suspended: true, quotas: { minute: { remaining: 80 }, day: { remaining: 110 } } });
    expect(await take(81)).toBeUndefined();
    await stores.accounts.setSuspension(account.id, undefined);
    expect((await take(10))?.suspended).not.toBe(true);
    expect(await used()).toEqual([30, 30]);
  });

  test('takes no block for a paused key until it is resumed', async () => {
    const { key, take, used } = await makeAccount({ perMinute: 100, perDay: 130 });
    expect(await take(10)).toBeDefined();
    expect(await stores.accounts.changeKey({ ...key, pausedAt: NOON }, key)).toBe(true);
    expect([await take(10), await take(0), await used()]).toEqual([undefined, undefined, [10, 10]]);
    expect(await stores.accounts.changeKey(key, { ...key, pausedAt: NOON })).toBe(true);
    expect(await take(10)).toMatchObject({ expiresAt: key.expiresAt, quotas: { minute: { remaining: 80 } } });
  });

  test('takes a whole block or nothing', async () => {
    const { take, used } = await makeAccount({ perMinute: 100, perDay: 130 });
    expect(await take(101)).toBeUndefined();
    expect(await take(60)).toBeDefined();
    expect(await take(41)).toBeUndefined();
    expect(await take(40)).toBeDefined();
    expect(await take(1)).toBeUndefined();
    expect(await take(31, 0, NOON + MINUTE_MS)).toBeUndefined();
    expect(await take(30, 0, NOON + MINUTE_MS)).toBeDefined();
    expect(await used(NOON + MINUTE_MS)).toEqual([30, 130]);
  });

  test('returns unspent requests to the daily quota, never more than were taken', async () => {
    const { take, used } = await makeAccount({ perMinute: 100, perDay: 100 });
    expect(await take(0, 1)).toBeUndefined();
    await take(100);
    expect(await take(10, 0, NOON + MINUTE_MS)).toBeUndefined();
    expect(await take(10, 30, NOON + MINUTE_MS)).toBeDefined();
    expect(await used(NOON + MINUTE_MS)).toEqual([10, 80]);
    expect(await take(0, 81, NOON + MINUTE_MS)).toBeUndefined();
    expect(await take(0, 80, NOON + MINUTE_MS)).toBeDefined();
    expect(await used(NOON + MINUTE_MS)).toEqual([10, 0]);
  });

  test('refuses an invalid or banned key, and outdated limits', async () => {
    const limits = { perMinute: 100, perDay: 200 };
    const { account, key, request, take } = await makeAccount(limits);
    expect(await stores.leases.take({ ...request, digest: 'other' }, { take: 1, back: 0, limits }, NOON)).toBeUndefined();
    expect(await stores.leases.take({ accountId: 'acc_nobody', digest: key.digest }, { take: 1, back: 0, limits }, NOON)).toBeUndefined();
    expect(await take(1, 0, key.expiresAt)).toBeUndefined();
    await stores.usage.ban(request, { since: NOON, until: NOON + 1_000, level: 1 });
    expect(await take(1, 0, NOON + 999)).toBeUndefined();
    expect(await take(1, 0, NOON + 1_000)).toBeDefined();
    await stores.accounts.setPlan(account.id, 'enterprise', { perMinute: 100, perDay: 201 });
    expect(await take(1)).toBeUndefined();
    await stores.accounts.setPlan(account.id, 'enterprise', { perMinute: 101, perDay: 200 });
    expect(await take(1)).toBeUndefined();
    // Includes the block that was taken between the ban and the new plan.
    const quotas = (await stores.usage.usage(account.id, NOON))?.quotas;
    expect([quotas?.minute.remaining, quotas?.day.remaining]).toEqual([100, 199]);
  });

  test('concurrent blocks and single requests use up the limit exactly', async () => {
    const { request, take, used } = await makeAccount({ perMinute: 100, perDay: 1_000 });
    const blocks = await Promise.all(Array.from({ length: 30 }, () => take(7)));
    expect(blocks.filter((block) => block !== undefined)).toHaveLength(14);
    const singles = await Promise.all(Array.from({ length: 10 }, () => stores.usage.admit(request, NOON)));
    expect(singles.filter(({ kind }) => kind === 'admitted')).toHaveLength(2);
    expect(await used()).toEqual([100, 100]);
  });

  test('leasing processes never admit more than either limit, whatever they do', async () => {
    const step = fc.record({
      process: fc.nat({ max: 2 }),
      key: fc.nat({ max: 1 }),
      times: fc.integer({ min: 1, max: 150 }),
      together: fc.boolean(),
      everyMs: fc.constantFrom(0, 1, 20),
      pauseMs: fc.constantFrom(0, 0, 1_000, LEASE_MS, 45_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), fc.integer({ min: 0, max: 500 }), async (steps, room) => {
        // Most of the quota is already used, so the processes compete for the rest.
        const limits = { perMinute: LEASED_ABOVE_PER_MINUTE + 1 + room, perDay: LEASED_ABOVE_PER_MINUTE + 700 };
        const { account, request, take } = await makeAccount(limits);
        await take(LEASED_ABOVE_PER_MINUTE);
        const { text: _, ...other } = sampleKey(account.id);
        await stores.accounts.addKey(other, 10, NOON);
        const digests = [request.digest, other.digest];
        const processes = Array.from({ length: 3 }, () => createLeasedUsage(stores.usage, stores.leases));
        const admitted = new Map<number, number>([[NOON / MINUTE_MS, LEASED_ABOVE_PER_MINUTE]]);
        const ask = async (process: number, key: number, at: number) => {
          const decision = await processes[process]?.admit({ accountId: account.id, digest: String(digests[key]) }, at);
          const minute = Math.floor(at / MINUTE_MS);
          if (decision?.kind === 'admitted') admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
        };
        let now = NOON;
        for (const { process, key, times, together, everyMs, pauseMs } of steps) {
          now += pauseMs;
          const calls = [];
          for (let n = 0; n < times; n += 1) {
            now += everyMs;
            const call = ask(process, key, now);
            if (together) calls.push(call);
            else await call;
          }
          await Promise.all(calls);
        }
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(limits.perMinute);
        const total = [...admitted.values()].reduce((sum, count) => sum + count, 0);
        expect(total).toBeLessThanOrEqual(limits.perDay);
        const day = (await stores.usage.usage(account.id, now))?.quotas.day;
        // A process may hold requests that are counted but not admitted yet; none is admitted without being counted.
        expect(limits.perDay - (day?.remaining ?? 0)).toBeGreaterThanOrEqual(total);
      }),
      { numRuns: options.runs ?? 20 },
    );
  });
}
