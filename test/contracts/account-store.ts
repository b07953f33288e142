// What every AccountStore and UsageStore must do together: accounts and keys as people see them, and as admission does.

import { beforeAll, describe, expect, test } from 'vitest';
import { lifted } from '../../core/limits/ban.ts';
import { DAY_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import type { Stores } from '../../core/stores.ts';
import { NOON, sampleAccount, sampleKey } from '../support/samples.ts';

const HOUR_MS = 3_600_000;

type AccessStores = Pick<Stores, 'accounts' | 'usage'>;

export function accountStoreContract(name: string, makeStores: () => Promise<AccessStores>): void {
  describe(`AccountStore and UsageStore contract: ${name}`, () => {
    let stores: AccessStores;

    beforeAll(async () => {
      stores = await makeStores();
    });

    async function makeAccount(limits = { perMinute: 3, perDay: 5 }) {
      const account = sampleAccount(limits);
      expect(await stores.accounts.createAccount(account)).toBe(true);
      const key = sampleKey(account.id);
      expect(await stores.accounts.addKey(withoutText(key), 10, NOON)).toBe('added');
      return {
        account,
        key,
        kind: async (now = NOON, digest = key.digest) => (await stores.usage.admit({ accountId: account.id, digest }, now)).kind,
      };
    }

    test('stores an account once', async () => {
      const { account } = await makeAccount();
      expect(await stores.accounts.getAccount(account.id)).toEqual(account);
      expect(await stores.accounts.createAccount({ ...account, name: 'Thief' })).toBe(false);
      expect(await stores.accounts.getAccount(account.id)).toEqual(account);
      expect(await stores.accounts.getAccount('acc_nobody')).toBeUndefined();
    });

    test('lists accounts and keys, oldest first', async () => {
      const older = sampleAccount(undefined, NOON - 2);
      const newer = sampleAccount(undefined, NOON - 1);
      await stores.accounts.createAccount(newer);
      await stores.accounts.createAccount(older);
      const ids = (await stores.accounts.listAccounts()).map(({ id }) => id);
      expect(ids.indexOf(older.id)).toBeLessThan(ids.indexOf(newer.id));
      const second = sampleKey(older.id, { createdAt: NOON + 1, scopes: ['pets:read'], expiresAt: NOON + DAY_MS, name: 'B' });
      const first = sampleKey(older.id, { createdAt: NOON });
      await stores.accounts.addKey(withoutText(second), 10, NOON);
      await stores.accounts.addKey(withoutText(first), 10, NOON);
      expect(await stores.accounts.listKeys(older.id)).toEqual([withoutText(first), withoutText(second)]);
      expect(await stores.accounts.getKey(second.id)).toEqual(withoutText(second));
      expect(await stores.accounts.listKeys('acc_nobody')).toEqual([]);
    });

    test('says so when there is no account or key', async () => {
      const stranger = sampleKey('acc_0000000000');
      expect(await stores.accounts.addKey(withoutText(stranger), 10, NOON)).toBe('account_not_found');
      expect(await stores.accounts.getKey(stranger.id)).toBeUndefined();
      expect(await stores.accounts.getKey('nonsense')).toBeUndefined();
      expect(await stores.accounts.revokeKey(stranger.id)).toBe(false);
      expect(await stores.accounts.expireKey(stranger.id, NOON)).toBe(false);
      expect(await stores.accounts.setPlan('acc_0000000000', 'free', { perMinute: 1, perDay: 1 })).toBe(false);
      expect(await stores.usage.usage('acc_0000000000', NOON)).toBeUndefined();
      expect(await stores.usage.admit({ accountId: 'acc_0000000000', digest: stranger.digest }, NOON)).toEqual({ kind: 'unknown_key' });
      await stores.usage.ban({ accountId: 'acc_0000000000', digest: stranger.digest }, { since: NOON, until: NOON, level: 1 });
      expect(await stores.usage.hasKey({ accountId: 'acc_0000000000', digest: stranger.digest }, NOON)).toBe(false);
      expect(await stores.accounts.liftBan(stranger.id, NOON)).toBe(false);
      expect(await stores.accounts.liftBan('nonsense', NOON)).toBe(false);
    });

    test('bounds the keys of an account, and does not count those that ended', async () => {
      const { account } = await makeAccount();
      await stores.accounts.addKey(withoutText(sampleKey(account.id, { expiresAt: NOON + 10 })), 2, NOON);
      expect(await stores.accounts.addKey(withoutText(sampleKey(account.id)), 2, NOON + 9)).toBe('too_many_keys');
      expect(await stores.accounts.addKey(withoutText(sampleKey(account.id)), 2, NOON + 10)).toBe('added');
    });

    test('counts both windows, and neither for a refused request', async () => {
      const { account, key, kind } = await makeAccount();
      expect(await stores.usage.admit({ accountId: account.id, digest: key.digest }, NOON)).toEqual({
        kind: 'admitted',
        plan: 'enterprise',
        scopes: ['pets:read', 'pets:write'],
        standings: {
          minute: { limit: 3, remaining: 2, resetAt: NOON + MINUTE_MS },
          day: { limit: 5, remaining: 4, resetAt: Date.UTC(2026, 10, 22) },
        },
      });
      expect([await kind(), await kind(), await kind(), await kind()]).toEqual(['admitted', 'admitted', 'limited', 'limited']);
      expect((await stores.usage.usage(account.id, NOON))?.standings.day.remaining).toBe(2);
      expect([await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS)]).toEqual(['admitted', 'admitted', 'limited']);
      const refused = await stores.usage.admit({ accountId: account.id, digest: key.digest }, NOON + MINUTE_MS);
      expect(refused).toMatchObject({ kind: 'limited', retryAt: Date.UTC(2026, 10, 22), lastBan: undefined });
      expect(await kind(NOON + DAY_MS)).toBe('admitted');
    });

    test('admits exactly as many of concurrent requests as the limit allows', async () => {
      const { account, kind } = await makeAccount({ perMinute: 60, perDay: 1_000 });
      const kinds = await Promise.all(Array.from({ length: 500 }, () => kind()));
      expect(kinds.filter((each) => each === 'admitted')).toHaveLength(60);
      expect(kinds.filter((each) => each === 'limited')).toHaveLength(440);
      const usage = await stores.usage.usage(account.id, NOON);
      expect(usage?.standings.day).toMatchObject({ limit: 1_000, remaining: 940 });
      expect(usage?.standings.minute).toMatchObject({ limit: 60, remaining: 0 });
    });

    test('counts all keys of an account together, each with its scopes', async () => {
      const { account, kind } = await makeAccount();
      const reader = sampleKey(account.id, { scopes: ['pets:read'] });
      await stores.accounts.addKey(withoutText(reader), 10, NOON);
      expect(await stores.usage.admit({ accountId: account.id, digest: reader.digest }, NOON)).toMatchObject({
        kind: 'admitted',
        scopes: ['pets:read'],
      });
      expect([await kind(), await kind(), await kind()]).toEqual(['admitted', 'admitted', 'limited']);
    });

    test('refuses an unknown, expired or revoked key at once', async () => {
      const { account, key, kind } = await makeAccount();
      expect(await kind(NOON, sampleKey(account.id).digest)).toBe('unknown_key');
      const other = await makeAccount();
      expect(await kind(NOON, other.key.digest)).toBe('unknown_key');
      expect(await stores.accounts.expireKey(key.id, NOON + 5)).toBe(true);
      expect((await stores.accounts.getKey(key.id))?.expiresAt).toBe(NOON + 5);
      expect([await kind(NOON + 4), await kind(NOON + 5)]).toEqual(['admitted', 'unknown_key']);
      expect(await stores.accounts.revokeKey(key.id)).toBe(true);
      expect(await kind(NOON)).toBe('unknown_key');
      expect(await stores.accounts.getKey(key.id)).toBeUndefined();
      expect((await stores.usage.usage(account.id, NOON))?.standings.day.remaining).toBe(4);
    });

    test('takes a new plan up on the next request', async () => {
      const { account, kind } = await makeAccount({ perMinute: 1, perDay: 5 });
      expect([await kind(), await kind()]).toEqual(['admitted', 'limited']);
      expect(await stores.accounts.setPlan(account.id, 'business', { perMinute: 2, perDay: 5 })).toBe(true);
      expect([await kind(), await kind()]).toEqual(['admitted', 'limited']);
      expect(await stores.accounts.getAccount(account.id)).toMatchObject({ plan: 'business', limits: { perMinute: 2, perDay: 5 } });
      expect((await stores.usage.usage(account.id, NOON))?.plan).toBe('business');
    });

    test('bans a key, not its account, until the ban ends; never for a shorter time than it has', async () => {
      const { account, key, kind } = await makeAccount();
      const other = sampleKey(account.id);
      await stores.accounts.addKey(withoutText(other), 10, NOON);
      const request = { accountId: account.id, digest: key.digest };
      await stores.usage.ban(request, { since: NOON, until: NOON + 100, level: 2 });
      await stores.usage.ban(request, { since: NOON, until: NOON + 50, level: 1 });
      expect(await stores.usage.admit(request, NOON + 99)).toMatchObject({ kind: 'banned', retryAt: NOON + 100 });
      expect(await kind(NOON + 99, other.digest)).toBe('admitted');
      expect(await stores.usage.usage(account.id, NOON)).toMatchObject({
        bans: [{ keyId: key.id, ban: { since: NOON, until: NOON + 100, level: 2 } }],
      });
      expect((await stores.usage.usage(account.id, NOON + 100))?.bans).toEqual([]);
      expect([await kind(NOON + 100), await kind(NOON + 100)]).toEqual(['admitted', 'admitted']);
      expect(await stores.usage.admit(request, NOON + 101)).toMatchObject({ kind: 'limited', lastBan: { since: NOON, until: NOON + 100, level: 2 } });
      await stores.usage.ban({ accountId: account.id, digest: sampleKey(account.id).digest }, { since: NOON, until: NOON + 1_000, level: 1 });
      expect((await stores.usage.usage(account.id, NOON + 100))?.bans).toEqual([]);
    });

    test('shows the ban of a key with it, and lifts it; the level stays for the next', async () => {
      const { account, key, kind } = await makeAccount();
      const ban = { since: NOON, until: NOON + 1_000, level: 3 };
      expect(await stores.accounts.liftBan(key.id, NOON)).toBe(false);
      await stores.usage.ban({ accountId: account.id, digest: key.digest }, ban);
      expect((await stores.accounts.getKey(key.id))?.ban).toEqual(ban);
      expect((await stores.accounts.listKeys(account.id))[0]?.ban).toEqual(ban);
      expect(await kind(NOON + 10)).toBe('banned');
      expect(await Promise.all([stores.accounts.liftBan(key.id, NOON + 10), stores.accounts.liftBan(key.id, NOON + 10)])).toContain(true);
      expect((await stores.accounts.getKey(key.id))?.ban).toEqual(lifted(ban));
      // By a clock that is behind as well.
      expect([await kind(NOON + 9), await kind(NOON - 30_000)]).toEqual(['admitted', 'admitted']);
      expect([await kind(NOON + 10), await stores.accounts.liftBan(key.id, NOON + 11)]).toEqual(['admitted', false]);
      expect((await stores.usage.usage(account.id, NOON + 10))?.bans).toEqual([]);
    });

    test('stores a key with the ban that it is given', async () => {
      const { account, kind } = await makeAccount();
      const ban = { since: NOON - 5, until: NOON + 5, level: 2 };
      const successor = sampleKey(account.id, { ban });
      expect(await stores.accounts.addKey(withoutText(successor), 10, NOON)).toBe('added');
      expect((await stores.accounts.getKey(successor.id))?.ban).toEqual(ban);
      expect([await kind(NOON + 4, successor.digest), await kind(NOON + 5, successor.digest)]).toEqual(['banned', 'admitted']);
    });

    test('a ban that a clock stored before it was set back locks nobody out, and is in the way of no other', async () => {
      const { account, key, kind } = await makeAccount();
      const request = { accountId: account.id, digest: key.digest };
      for (const ahead of [HOUR_MS, 400 * DAY_MS]) {
        await stores.usage.ban(request, { since: NOON + ahead, until: NOON + ahead + 5 * MINUTE_MS, level: 1 });
        expect(await kind(NOON)).toBe('admitted');
        expect((await stores.usage.usage(account.id, NOON))?.bans).toEqual([]);
      }
      // Machines differ by moments: a ban of the one that is ahead is in force.
      await stores.usage.ban(request, { since: NOON + 30_000, until: NOON + 90_000, level: 1 });
      expect([await kind(NOON), await stores.accounts.liftBan(key.id, NOON)]).toEqual(['banned', true]);
    });

    test('says whether there is a key, and counts nothing', async () => {
      const { account, key } = await makeAccount();
      const has = (digest: string, now = NOON, accountId = account.id) => stores.usage.hasKey({ accountId, digest }, now);
      const other = await makeAccount();
      expect([await has(key.digest), await has(sampleKey(account.id).digest), await has(other.key.digest)]).toEqual([true, false, false]);
      await stores.accounts.expireKey(key.id, NOON + 5);
      expect([await has(key.digest, NOON + 4), await has(key.digest, NOON + 5)]).toEqual([true, false]);
      await stores.accounts.revokeKey(key.id);
      expect(await has(key.digest)).toBe(false);
      expect((await stores.usage.usage(account.id, NOON))?.standings.day.remaining).toBe(5);
    });

    test('counts in the window before as well, for a machine whose clock is behind', async () => {
      const { kind } = await makeAccount({ perMinute: 1, perDay: 9 });
      expect([await kind(NOON - 1), await kind(NOON), await kind(NOON - 1), await kind(NOON)]).toEqual([
        'admitted',
        'admitted',
        'limited',
        'limited',
      ]);
    });

    test('shows the last minutes and days, what was refused too, and nothing older', async () => {
      const { account, kind } = await makeAccount({ perMinute: 9, perDay: 9 });
      for (const at of [NOON - 7 * DAY_MS, NOON - 6 * DAY_MS, NOON - 8 * MINUTE_MS, NOON - 7 * MINUTE_MS, NOON, NOON])
        expect(await kind(at)).toBe('admitted');
      await stores.usage.countRefusals(account.id, 5, NOON - 7 * DAY_MS);
      await stores.usage.countRefusals(account.id, 3, NOON - DAY_MS);
      await stores.usage.countRefusals(account.id, 1, NOON);
      await stores.usage.countRefusals(account.id, 2, NOON);
      const { history, standings } = (await stores.usage.usage(account.id, NOON + 1)) ?? {};
      expect(history?.minutes.map(({ admitted }) => admitted)).toEqual([1, 0, 0, 0, 0, 0, 0, 2]);
      expect(history?.days.map(({ admitted }) => admitted)).toEqual([1, 0, 0, 0, 0, 0, 4]);
      expect(history?.days.map(({ refused }) => refused)).toEqual([0, 0, 0, 0, 0, 3, 3]);
      expect([history?.minutes.at(-1)?.startsAt, history?.days.at(-1)?.startsAt]).toEqual([NOON, Date.UTC(2026, 10, 21)]);
      // Refusals use up nothing.
      expect(standings?.day.remaining).toBe(5);
    });

    test('knows to the minute when a key was last used, also when it has ended', async () => {
      const { account, key, kind } = await makeAccount({ perMinute: 2, perDay: 9 });
      const lastUse = async () => (await stores.accounts.listKeys(account.id)).find(({ id }) => id === key.id)?.lastUsedAt;
      expect([await lastUse(), (await stores.accounts.getKey(key.id))?.lastUsedAt]).toEqual([undefined, undefined]);
      expect([await kind(NOON + 59_999), await lastUse()]).toEqual(['admitted', NOON]);
      expect([await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS), await lastUse()]).toEqual(['admitted', 'admitted', NOON + MINUTE_MS]);
      // What is refused is no use.
      expect(await kind(NOON + MINUTE_MS)).toBe('limited');
      const other = sampleKey(account.id);
      await stores.accounts.addKey(withoutText(other), 10, NOON);
      expect((await stores.accounts.getKey(other.id))?.lastUsedAt).toBeUndefined();
      await stores.accounts.expireKey(key.id, NOON + 3 * MINUTE_MS);
      expect(await kind(NOON + 4 * MINUTE_MS)).toBe('unknown_key');
      await stores.accounts.addKey(withoutText(sampleKey(account.id)), 10, NOON + 5 * MINUTE_MS);
      expect([await lastUse(), (await stores.accounts.getKey(key.id))?.lastUsedAt]).toEqual([NOON + MINUTE_MS, NOON + MINUTE_MS]);
    });

    test('goes on for months on one account', async () => {
      const { account, kind } = await makeAccount({ perMinute: 1, perDay: 1 });
      for (let day = 0; day < 30; day += 1)
        expect([await kind(NOON + day * DAY_MS), await kind(NOON + day * DAY_MS + 1)]).toEqual(['admitted', 'limited']);
      expect((await stores.usage.usage(account.id, NOON + 29 * DAY_MS))?.standings.day.remaining).toBe(0);
    });
  });
}

function withoutText({ text: _, ...record }: ReturnType<typeof sampleKey>) {
  return record;
}
