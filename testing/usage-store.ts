// What every UsageStore must do with the accounts on the same storage.

import { expect } from 'expect';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/limits/windows.ts';
import { NOON, REVOKED, sampleKey, withoutText } from './samples.ts';
import { type AccessStores, contractSuite, type Make, makeAccount, once, type SuiteOptions, type TestFunction } from './suite.ts';

const GAPS = ['history'] as const;

/** `history`: the adapter keeps no usage history, so all windows that `usage` returns are zero. Admission and quotas do not change. */
export type UsageStoreGap = (typeof GAPS)[number];

/** Declares the suite for an adapter; see also usageHistoryContract. @param make returns account and usage stores on the same storage; called once */
export function usageStoreContract(runner: TestFunction, make: Make<AccessStores>, options: SuiteOptions<UsageStoreGap> = {}): void {
  const test = contractSuite(runner, 'UsageStore contract', options, { setUp: once(make), gaps: GAPS });

  test('counts an admitted request in both windows, and a refused one in neither', async (stores) => {
    const { account, key, kind } = await makeAccount(stores);
    expect(await stores.usage.admit({ accountId: account.id, digest: key.digest }, NOON)).toEqual({
      kind: 'admitted',
      plan: 'enterprise',
      scopes: ['pets:read', 'pets:write'],
      quotas: { minute: { limit: 3, remaining: 2, resetAt: NOON + MINUTE_MS }, day: { limit: 5, remaining: 4, resetAt: Date.UTC(2026, 10, 22) } },
    });
    expect([await kind(), await kind(), await kind(), await kind()]).toEqual(['admitted', 'admitted', 'limited', 'limited']);
    expect((await stores.usage.usage(account.id, NOON))?.quotas.day.remaining).toBe(2);
    expect([await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS)]).toEqual(['admitted', 'admitted', 'limited']);
    const refused = await stores.usage.admit({ accountId: account.id, digest: key.digest }, NOON + MINUTE_MS);
    expect(refused).toMatchObject({ kind: 'limited', retryAt: Date.UTC(2026, 10, 22), lastBan: undefined });
    expect(await kind(NOON + DAY_MS)).toBe('admitted');
  });

  test('admits exactly as many concurrent requests as the limit allows', async (stores) => {
    const { account, kind } = await makeAccount(stores, { perMinute: 60, perDay: 1_000 });
    const kinds = await Promise.all(Array.from({ length: 500 }, () => kind()));
    expect(kinds.filter((each) => each === 'admitted')).toHaveLength(60);
    expect(kinds.filter((each) => each === 'limited')).toHaveLength(440);
    const usage = await stores.usage.usage(account.id, NOON);
    expect(usage?.quotas.day).toMatchObject({ limit: 1_000, remaining: 940 });
    expect(usage?.quotas.minute).toMatchObject({ limit: 60, remaining: 0 });
  });

  test("counts requests with all of an account's keys together, each key with its own scopes", async (stores) => {
    const { account, kind } = await makeAccount(stores);
    const reader = sampleKey(account.id, { scopes: ['pets:read'] });
    await stores.accounts.addKey(withoutText(reader), 10, NOON);
    expect(await stores.usage.admit({ accountId: account.id, digest: reader.digest }, NOON)).toMatchObject({
      kind: 'admitted',
      scopes: ['pets:read'],
    });
    expect([await kind(), await kind(), await kind()]).toEqual(['admitted', 'admitted', 'limited']);
  });

  test('bans a key, not its account, until the ban ends; never shortens a ban', async (stores) => {
    const { account, key, kind } = await makeAccount(stores);
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

  test('a ban stored before the clock was set back is not in force, and does not prevent another ban', async (stores) => {
    const { account, key, kind } = await makeAccount(stores);
    const request = { accountId: account.id, digest: key.digest };
    for (const ahead of [HOUR_MS, 400 * DAY_MS]) {
      await stores.usage.ban(request, { since: NOON + ahead, until: NOON + ahead + 5 * MINUTE_MS, level: 1 });
      expect(await kind(NOON)).toBe('admitted');
      expect((await stores.usage.usage(account.id, NOON))?.bans).toEqual([]);
    }
    // Clocks may differ slightly, so a ban that was stored by a machine whose clock is ahead is in force.
    await stores.usage.ban(request, { since: NOON + 30_000, until: NOON + 90_000, level: 1 });
    expect([await kind(NOON), await stores.accounts.liftBan(key.id, NOON)]).toEqual(['banned', true]);
  });

  test('drops a ban that no longer counts, even if another key is used, and no ban that still counts', async (stores) => {
    const { account, key, kind } = await makeAccount(stores, { perMinute: 2, perDay: 1_000 });
    const other = sampleKey(account.id);
    await stores.accounts.addKey(withoutText(other), 10, NOON);
    const ban = { since: NOON, until: NOON + 5 * MINUTE_MS, level: 3 };
    const later = { since: NOON + HOUR_MS, until: NOON + 2 * HOUR_MS, level: 1 };
    await stores.usage.ban({ accountId: account.id, digest: key.digest }, ban);
    await stores.usage.ban({ accountId: account.id, digest: other.digest }, later);
    const bans = async () => (await stores.accounts.listKeys(account.id)).map((each) => each.ban).sort((a, b) => (b?.level ?? 0) - (a?.level ?? 0));
    expect(await kind(ban.until + DAY_MS - 1, other.digest)).toBe('admitted');
    expect(await bans()).toEqual([ban, later]);
    for (const at of [ban.until + DAY_MS + MINUTE_MS, ban.until + DAY_MS + 2 * MINUTE_MS]) expect(await kind(at, other.digest)).toBe('admitted');
    expect(await bans()).toEqual([later, undefined]);
    // After a key's ban was dropped, its next ban counts as its first.
    const at = ban.until + DAY_MS + 2 * MINUTE_MS;
    expect(await kind(at)).toBe('admitted');
    expect(await stores.usage.admit({ accountId: account.id, digest: key.digest }, at)).toMatchObject({ kind: 'limited', lastBan: undefined });
    await stores.usage.ban({ accountId: account.id, digest: key.digest }, { since: at, until: at + 1_000, level: 1 });
    expect(await kind(at)).toBe('banned');
    // A revoked key leaves no ban.
    expect(await stores.accounts.revokeKey(key.id, REVOKED)).toBe(true);
    expect((await stores.usage.usage(account.id, at))?.bans).toEqual([]);
    expect(await bans()).toEqual([later]);
  });

  test('reports whether a key exists, without counting', async (stores) => {
    const { account, key } = await makeAccount(stores);
    const has = (digest: string, now = NOON, accountId = account.id) => stores.usage.hasKey({ accountId, digest }, now);
    const other = await makeAccount(stores);
    expect([await has(key.digest), await has(sampleKey(account.id).digest), await has(other.key.digest)]).toEqual([true, false, false]);
    await stores.accounts.expireKey(key.id, NOON + 5);
    expect([await has(key.digest, NOON + 4), await has(key.digest, NOON + 5)]).toEqual([true, false]);
    await stores.accounts.revokeKey(key.id, REVOKED);
    expect(await has(key.digest)).toBe(false);
    expect((await stores.usage.usage(account.id, NOON))?.quotas.day.remaining).toBe(5);
  });

  test('also counts in the previous window, for a machine whose clock is behind', async (stores) => {
    const { kind } = await makeAccount(stores, { perMinute: 1, perDay: 9 });
    expect([await kind(NOON - 1), await kind(NOON), await kind(NOON - 1), await kind(NOON)]).toEqual(['admitted', 'admitted', 'limited', 'limited']);
  });

  test('keeps working for months with one account', async (stores) => {
    const { account, kind } = await makeAccount(stores, { perMinute: 1, perDay: 1 });
    for (let day = 0; day < 30; day += 1)
      expect([await kind(NOON + day * DAY_MS), await kind(NOON + day * DAY_MS + 1)]).toEqual(['admitted', 'limited']);
    expect((await stores.usage.usage(account.id, NOON + 29 * DAY_MS))?.quotas.day.remaining).toBe(0);
  });

  if (options.declares?.includes('history')) {
    test('shows windows without counts, and refusals use up no quota', async (stores) => {
      const { account, kind } = await makeAccount(stores);
      expect(await kind()).toBe('admitted');
      await stores.usage.countRefusals(account.id, 3, NOON);
      const { history, quotas } = (await stores.usage.usage(account.id, NOON)) ?? {};
      expect([history?.minutes.length, history?.hours.length, history?.days.length]).toEqual([60, 24, 30]);
      const windows = [...(history?.minutes ?? []), ...(history?.hours ?? []), ...(history?.days ?? [])];
      expect(windows.filter(({ admitted, refused }) => admitted + refused > 0)).toEqual([]);
      expect(history?.minutes.at(-1)?.startsAt).toBe(NOON);
      expect(quotas?.day.remaining).toBe(4);
    });
  } else {
    test('shows the last hour, day and 30 days, including refusals, and nothing older', async (stores) => {
      const { account, kind } = await makeAccount(stores, { perMinute: 9, perDay: 9 });
      const midnight = Date.UTC(2026, 10, 21);
      const ago = [30 * DAY_MS, 29 * DAY_MS, 8 * DAY_MS, 24 * HOUR_MS, 23 * HOUR_MS, 60 * MINUTE_MS, 59 * MINUTE_MS, 2 * MINUTE_MS, 0, 0];
      for (const each of ago) {
        expect(await kind(NOON - each)).toBe('admitted');
        await stores.usage.countRefusals(account.id, 1, NOON - each);
        await stores.usage.countRefusals(account.id, 2, NOON - each);
      }
      const { history, quotas } = (await stores.usage.usage(account.id, NOON + 1)) ?? {};
      const used = (windows: readonly { startsAt: number; admitted: number; refused: number }[] = []) =>
        windows.flatMap(({ startsAt, admitted, refused }) => (admitted + refused > 0 ? [[NOON - startsAt, admitted, refused]] : []));
      expect([history?.minutes.length, history?.hours.length, history?.days.length]).toEqual([60, 24, 30]);
      expect(used(history?.minutes)).toEqual([
        [59 * MINUTE_MS, 1, 3],
        [2 * MINUTE_MS, 1, 3],
        [0, 2, 6],
      ]);
      expect(used(history?.hours)).toEqual([
        [23 * HOUR_MS, 1, 3],
        [HOUR_MS, 3, 9],
        [0, 2, 6],
      ]);
      const sinceMidnight = NOON - midnight;
      expect(used(history?.days)).toEqual([
        [sinceMidnight + 29 * DAY_MS, 1, 3],
        [sinceMidnight + 8 * DAY_MS, 1, 3],
        [sinceMidnight + DAY_MS, 2, 6],
        [sinceMidnight, 5, 15],
      ]);
      // Refused requests don't count.
      expect(quotas?.day.remaining).toBe(4);
    });

    test('counts refusals that are reported late in the windows in which they were given', async (stores) => {
      const { account } = await makeAccount(stores);
      await stores.usage.countRefusals(account.id, 4, NOON + 30 * MINUTE_MS);
      await stores.usage.countRefusals(account.id, 2, NOON);
      const history = (await stores.usage.usage(account.id, NOON + 30 * MINUTE_MS))?.history;
      expect([history?.minutes.at(-31)?.refused, history?.minutes.at(-1)?.refused, history?.hours.at(-1)?.refused]).toEqual([2, 4, 6]);
    });
  }
}
