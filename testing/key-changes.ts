// The part of the AccountStore contract about changes to keys, as seen by callers and by admission.

import { expect } from 'expect';
import type { KeyRecord } from '../core/access/account.ts';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';
import { NOON, REVOKED, sampleKey, withoutText } from './samples.ts';
import { type AccessStores, makeAccount, type SuiteTest } from './suite.ts';

/** Declares the tests of `changeKey`. */
export function testKeyChanges(test: SuiteTest<AccessStores>): void {
  test("changes a key's name, scopes and expiry, from the next request on", async (stores) => {
    const { account, key: sample, kind } = await makeAccount(stores);
    const { accounts, usage } = stores;
    const key = withoutText(sample);
    const request = { accountId: account.id, digest: key.digest };
    const next = { ...key, name: 'Till', scopes: ['pets:read'] as const, expiresAt: NOON + 10 };
    expect(await accounts.changeKey(next, key)).toBe(true);
    expect([await accounts.getKey(key.id), await accounts.listKeys(account.id)]).toEqual([next, [next]]);
    expect(await usage.admit(request, NOON)).toMatchObject({ kind: 'admitted', scopes: ['pets:read'] });
    expect(await kind(NOON + 10)).toBe('unknown_key');
    const used = { ...key, lastUsedAt: NOON };
    expect(await accounts.changeKey(used, { ...next, lastUsedAt: NOON })).toBe(true);
    expect(await accounts.getKey(key.id)).toEqual(used);
    expect(await usage.admit(request, NOON + 10)).toMatchObject({ kind: 'admitted', scopes: key.scopes });
    const unknown = withoutText(sampleKey(account.id));
    expect(await accounts.changeKey({ ...unknown, name: 'B' }, unknown)).toBe(false);
    expect(await accounts.getKey(unknown.id)).toBeUndefined();
    await accounts.revokeKey(key.id, REVOKED);
    expect([await accounts.changeKey(next, used), await kind(NOON + 5)]).toEqual([false, 'unknown_key']);
    expect(await accounts.listKeys(account.id)).toEqual([]);
  });

  test('changes a key only if it is still as it was read; of two concurrent changes, one succeeds', async (stores) => {
    const { account, key: sample } = await makeAccount(stores);
    const { accounts } = stores;
    const key = withoutText(sample);
    const changes = [{ name: 'B' }, { scopes: ['pets:read'] as const }, { expiresAt: NOON + DAY_MS }, { pausedAt: NOON }].map((change) => ({
      ...key,
      ...change,
    }));
    const stored = await Promise.all(changes.map((next) => accounts.changeKey(next, key)));
    expect(stored.filter(Boolean)).toHaveLength(1);
    const now = changes[stored.indexOf(true)] as KeyRecord;
    expect(await accounts.getKey(key.id)).toEqual(now);
    for (const next of changes) expect(await accounts.changeKey(next, key)).toBe(false);
    expect(await accounts.expireKey(key.id, NOON + 5, 'key_next')).toBe(true);
    expect(await accounts.changeKey({ ...now, expiresAt: NOON + DAY_MS }, now)).toBe(false);
    const replaced = { ...now, expiresAt: NOON + 5, successor: 'key_next' };
    expect(await accounts.changeKey({ ...replaced, name: 'C' }, replaced)).toBe(true);
    expect(await accounts.listKeys(account.id)).toEqual([{ ...replaced, name: 'C' }]);
  });

  test('keeps both a change of the expiry and a concurrent change', async (stores) => {
    for (let times = 0; times < 5; times += 1) {
      const { account, key: sample, kind } = await makeAccount(stores);
      const key = withoutText(sample);
      const paused = { ...key, pausedAt: NOON };
      const [expired, changed] = await Promise.all([
        stores.accounts.expireKey(key.id, NOON + DAY_MS, 'key_next'),
        stores.accounts.changeKey(paused, key),
      ]);
      const expected = { ...(changed ? paused : key), expiresAt: NOON + DAY_MS, successor: 'key_next' };
      expect([expired, await stores.accounts.listKeys(account.id)]).toEqual([true, [expected]]);
      expect(await kind()).toBe(changed ? 'paused' : 'admitted');
    }
  });

  test('pauses and resumes a key; meanwhile, it is refused without being counted, and other keys work', async (stores) => {
    const { account, key: sample, kind } = await makeAccount(stores);
    const { accounts, usage } = stores;
    const key = withoutText(sample);
    const other = sampleKey(account.id, { createdAt: NOON + 1 });
    await accounts.addKey(withoutText(other), 10, NOON);
    const paused = { ...key, pausedAt: NOON, expiresAt: NOON + DAY_MS };
    expect(await accounts.changeKey(paused, key)).toBe(true);
    expect([await accounts.getKey(key.id), (await accounts.listKeys(account.id))[0]]).toEqual([paused, paused]);
    const request = { accountId: account.id, digest: key.digest };
    const quotas = (await usage.usage(account.id, NOON))?.quotas;
    expect(await usage.admit(request, NOON)).toEqual({ kind: 'paused', plan: account.plan, quotas });
    expect(quotas).toMatchObject({ minute: { remaining: 3 }, day: { remaining: 5 } });
    expect([await usage.hasKey(request, NOON), await kind(NOON, other.digest)]).toEqual([true, 'admitted']);
    // Neither a ban nor a used-up quota hides that the key is paused, but its expiry does.
    await usage.ban(request, { since: NOON, until: NOON + 1_000, level: 1 });
    expect([await kind(), await kind(NOON, other.digest), await kind(NOON, other.digest), await kind()]).toEqual([
      ...['paused', 'admitted', 'admitted'],
      'paused',
    ]);
    expect([await kind(NOON + DAY_MS), await usage.hasKey(request, NOON + DAY_MS)]).toEqual(['unknown_key', false]);
    // The key counts as one of the account's keys until it expires.
    const third = () => accounts.addKey(withoutText(sampleKey(account.id)), 2, NOON);
    expect(await third()).toBe('too_many_keys');
    const read = await accounts.getKey(key.id);
    const { pausedAt: _, ...resumed } = { ...paused, expiresAt: key.expiresAt };
    expect(await accounts.changeKey(resumed, read as KeyRecord)).toBe(true);
    expect((await accounts.getKey(key.id))?.pausedAt).toBeUndefined();
    expect([await kind(NOON + 1_000), await kind(NOON + MINUTE_MS), await kind(NOON + DAY_MS)]).toEqual(['limited', 'admitted', 'admitted']);
    await accounts.changeKey(paused, (await accounts.getKey(key.id)) as KeyRecord);
    await accounts.revokeKey(key.id, REVOKED);
    expect(Object.keys((await accounts.listRevokedKeys(account.id, 0))[0] ?? {})).not.toContain('pausedAt');
  });

  test('admits none of many concurrent requests with a key that was already paused', async (stores) => {
    const { key: sample, kind } = await makeAccount(stores, { perMinute: 1_000, perDay: 1_000 });
    const key = withoutText(sample);
    let isPaused = false;
    const late: string[] = [];
    const ask = async () => {
      const afterPause = isPaused;
      const decided = await kind();
      if (afterPause) late.push(decided);
    };
    const before = Array.from({ length: 50 }, ask);
    expect(await stores.accounts.changeKey({ ...key, pausedAt: NOON }, key)).toBe(true);
    isPaused = true;
    await Promise.all([...before, ...Array.from({ length: 100 }, ask)]);
    expect([late.length, new Set(late)]).toEqual([100, new Set(['paused'])]);
  });
}
