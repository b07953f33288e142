// How a process leases: when it takes leases, what it returns, and when it notices that a key was revoked.

import { describe, expect, test } from 'vitest';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import { LEASE_MS, leaseSize } from '../../core/limits/lease.ts';
import type { LeaseStore, UsageStore } from '../../core/limits/ports.ts';
import { DAY_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import { StoreFault } from '../../core/refusal.ts';
import { createLeasedUsage } from '../../service/admission/leases.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from '../../testing/samples.ts';

const BUSY = { perMinute: 600_000, perDay: 10_000_000 };

async function makeProcess(limits = BUSY, change: (leases: LeaseStore) => LeaseStore = (leases) => leases) {
  const { accounts, usage, leases } = createMemoryStores();
  const account = sampleAccount(limits);
  const { text: _, ...key } = sampleKey(account.id);
  await accounts.createAccount(account);
  await accounts.addKey(key, 10, NOON);
  const written = { singles: 0, blocks: 0 };
  const counting: UsageStore = {
    ...usage,
    admit: (...args) => {
      written.singles += 1;
      return usage.admit(...args);
    },
  };
  const changed = change(leases);
  const countingLeases: LeaseStore = {
    take: (...args) => {
      written.blocks += 1;
      return changed.take(...args);
    },
  };
  const request = { accountId: account.id, digest: key.digest };
  const process = createLeasedUsage(counting, countingLeases);
  /** Sends requests, one a millisecond. @returns the number of answers of each kind */
  const run = async (from: number, count: number) => {
    const kinds: Record<string, number> = {};
    for (let n = 0; n < count; n += 1) {
      const { kind } = await process.admit(request, from + n);
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  };
  const used = async (now: number) => {
    const quotas = (await usage.usage(account.id, now))?.quotas;
    return { minute: limits.perMinute - (quotas?.minute.remaining ?? 0), day: limits.perDay - (quotas?.day.remaining ?? 0) };
  };
  return { accounts, account, key, request, process, run, used, written };
}

describe('leases', () => {
  test('a key that is paused is refused within ten seconds; once it was refused, it spends nothing that another key has taken', async () => {
    const { accounts, account, key, request, process, run } = await makeProcess();
    const { text: _, ...other } = sampleKey(account.id);
    await accounts.addKey(other, 10, NOON);
    expect(await run(NOON, 3_000)).toEqual({ admitted: 3_000 });
    await accounts.changeKey({ ...key, pausedAt: NOON + 3_000 }, key);
    const kinds: string[] = [];
    for (let now = NOON + 3_000; now <= NOON + 3_000 + LEASE_MS; now += 1) {
      await process.admit({ accountId: account.id, digest: other.digest }, now);
      kinds.push((await process.admit(request, now)).kind);
    }
    const refused = kinds.indexOf('paused');
    expect(refused).toBeGreaterThan(-1);
    expect(kinds.lastIndexOf('admitted')).toBeLessThan(refused);
    expect(new Set(kinds.slice(refused))).toEqual(new Set(['paused']));
    await accounts.changeKey(key, { ...key, pausedAt: NOON + 3_000 });
    expect(await run(NOON + 2 * LEASE_MS, 100)).toEqual({ admitted: 100 });
  });

  test('a busy account that is suspended is refused within ten seconds, still counted in blocks, and ends in 429', async () => {
    const limits = { perMinute: 40_000, perDay: 10_000_000 };
    const { accounts, account, run, written, used } = await makeProcess(limits);
    expect(await run(NOON, 5_000)).toEqual({ admitted: 5_000 });
    await accounts.setSuspension(account.id, { since: NOON, reason: 'not paid' });
    await run(NOON + 5_000, LEASE_MS);
    const before = written.singles + written.blocks;
    expect(await run(NOON + 5_000 + LEASE_MS, 5_000)).toEqual({ suspended: 5_000 });
    expect(written.singles + written.blocks - before).toBeLessThan(20);
    await accounts.setPlan(account.id, 'enterprise', { ...limits, perMinute: 35_000 });
    expect(await run(NOON + 10_000 + LEASE_MS, 20_000)).toEqual({ suspended: expect.any(Number), limited: expect.any(Number) });
    expect((await used(NOON)).minute).toBeLessThanOrEqual(40_000);
    await accounts.setSuspension(account.id, undefined);
    expect(await run(NOON + 2 * MINUTE_MS, 1_000)).toEqual({ admitted: 1_000 });
  });

  test('a busy account is counted in blocks', async () => {
    const { run, written, used } = await makeProcess();
    expect(await run(NOON, 5_000)).toEqual({ admitted: 5_000 });
    expect(written.singles + written.blocks).toBeLessThan(20);
    expect((await used(NOON)).minute).toBeGreaterThanOrEqual(5_000);
  });

  test('an account with a smaller quota is counted request by request', async () => {
    const { run, written } = await makeProcess({ perMinute: 30_000, perDay: 100_000 });
    await run(NOON, 1_000);
    expect(written).toEqual({ singles: 1_000, blocks: 0 });
  });

  test('a quiet account with a large quota is counted request by request', async () => {
    const { process, request, written } = await makeProcess();
    for (let n = 0; n < 100; n += 1) await process.admit(request, NOON + n * 50);
    expect(written).toEqual({ singles: 100, blocks: 0 });
  });

  test('concurrent requests share one write', async () => {
    const { process, request, run, written } = await makeProcess();
    await run(NOON, 100);
    const later = NOON + MINUTE_MS;
    const before = written.blocks;
    const answers = await Promise.all(Array.from({ length: 40 }, () => process.admit(request, later)));
    expect(answers.every(({ kind }) => kind === 'admitted')).toBe(true);
    expect(written.blocks - before).toBe(1);
  });

  test('the headers count down, including the requests that the process still holds', async () => {
    const { process, request, run } = await makeProcess();
    await run(NOON, 200);
    const remaining = async () => {
      const decision = await process.admit(request, NOON + 201);
      return decision.kind === 'admitted' ? decision.quotas : undefined;
    };
    const [one, two] = [await remaining(), await remaining()];
    expect(one?.minute).toEqual({ limit: BUSY.perMinute, remaining: BUSY.perMinute - 201, resetAt: NOON + MINUTE_MS });
    expect(two?.minute.remaining).toBe(BUSY.perMinute - 202);
    expect(two?.day.remaining).toBe(BUSY.perDay - 202);
  });

  test('a process returns unspent requests to the daily quota', async () => {
    const { process, request, run, used } = await makeProcess();
    await run(NOON, 1_000);
    const held = (await used(NOON)).day - 1_000;
    expect(held).toBeGreaterThan(0);
    await process.admit(request, NOON + MINUTE_MS);
    const { minute, day } = await used(NOON + MINUTE_MS);
    expect(day).toBe(1_000 + minute);
  });

  test('unspent requests are not returned to a different day', async () => {
    const { process, request, run, used } = await makeProcess();
    await run(NOON, 1_000);
    const tomorrow = NOON + DAY_MS;
    await process.admit(request, tomorrow);
    const { minute, day } = await used(tomorrow);
    expect(day).toBe(minute);
    expect(minute).toBeGreaterThan(1);
  });

  test('a block is not returned if storage may not have counted it', async () => {
    let failing = false;
    const { process, request, run, used } = await makeProcess(BUSY, (leases) => ({
      take: async (...args) => {
        const grant = await leases.take(...args);
        if (failing) throw new StoreFault('unavailable', 'no answer');
        return grant;
      },
    }));
    await run(NOON, 1_000);
    failing = true;
    await expect(process.admit(request, NOON + MINUTE_MS)).rejects.toThrow('no answer');
    failing = false;
    await process.admit(request, NOON + MINUTE_MS + 1);
    const { minute, day } = await used(NOON + MINUTE_MS + 1);
    // The requests were returned once, by the write that got no answer.
    expect(day).toBe(1_000 + minute);
  });

  test('a revoked key, a new plan and an approaching expiry end a lease in time', async () => {
    const { accounts, account, key, process, request, run } = await makeProcess();
    await run(NOON, 100);
    await accounts.expireKey(key.id, NOON + LEASE_MS + 5_000);
    await run(NOON + LEASE_MS, 100);
    expect((await process.admit(request, NOON + LEASE_MS + 4_999)).kind).toBe('admitted');
    expect((await process.admit(request, NOON + LEASE_MS + 5_000)).kind).toBe('unknown_key');
    await accounts.expireKey(key.id, NOON + DAY_MS);

    await run(NOON + MINUTE_MS, 100);
    await accounts.setPlan(account.id, 'free', { perMinute: 60, perDay: 1_000 });
    expect(await run(NOON + MINUTE_MS + LEASE_MS + 100, 10)).toEqual({ limited: 10 });

    await accounts.setPlan(account.id, 'enterprise', BUSY);
    await run(NOON + 2 * MINUTE_MS, 500);
    await accounts.revokeKey(key.id, REVOKED);
    expect(await run(NOON + 2 * MINUTE_MS + 500 + LEASE_MS, 10)).toEqual({ unknown_key: 10 });
  });

  test('after the clock steps back to an earlier minute, the store is used, not the lease', async () => {
    const { process, request, run, written } = await makeProcess();
    await run(NOON + MINUTE_MS, 500);
    const before = { ...written };
    expect((await process.admit(request, NOON + MINUTE_MS - 1)).kind).toBe('admitted');
    expect(written).toEqual({ singles: before.singles + 1, blocks: before.blocks });
  });

  test('after the clock is set back by 400 days, a process leases again, and admits as many requests as before', async () => {
    const { run, written } = await makeProcess();
    await run(NOON + 400 * DAY_MS, 1_000);
    const before = written.singles + written.blocks;
    expect(await run(NOON, 1_000)).toEqual({ admitted: 1_000 });
    expect(written.singles + written.blocks - before).toBeLessThan(20);
  });

  test('the last requests of a quota can be used as well', async () => {
    const { run, written } = await makeProcess({ perMinute: 31_000, perDay: 100_000 });
    const kinds = await run(NOON, 31_005);
    expect(kinds).toEqual({ admitted: 31_000, limited: 5 });
    expect(written.singles + written.blocks).toBeLessThan(100);
  });
});

describe('lease size', () => {
  test.each([
    [{ own: 0, total: 0 }, 1e6, 1],
    [{ own: 100, total: 199 }, 1e6, 1],
    [{ own: 100, total: 200 }, 1e6, 100],
    [{ own: 5, total: 5_000 }, 1e6, 50],
    [{ own: 0.5, total: 5_000 }, 1e6, 5],
    [{ own: 5_000, total: 5_000 }, 1e6, 5_000],
    [{ own: 100, total: 100_000 }, 1e7, 500],
    // A share of what is left, but at least 1.
    [{ own: 100, total: 1_000 }, 500, 50],
    [{ own: 100, total: 1_000 }, 100, 20],
    [{ own: 100, total: 1_000 }, 7, 7],
    [{ own: 100, total: 1_000 }, 0, 1],
  ])('%j with room for %d is %d', (pace, room, size) => {
    expect(leaseSize(pace, room)).toBe(size);
  });
});
