// What every AccountStore must do with accounts and keys, as seen by callers and by admission on the same storage.

import { expect } from 'expect';
import { MAX_REVOKED_LISTED } from '../core/access/account.ts';
import { lifted } from '../core/limits/ban.ts';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';
import { accountSuspended, type Notification } from '../core/notifications/notification.ts';
import type { NotificationOutbox } from '../core/notifications/ports.ts';
import { testKeyChanges } from './key-changes.ts';
import { NOON, REVOKED, sampleAccount, sampleKey, withoutText } from './samples.ts';
import { type AccessStores, contractSuite, type Make, makeAccount, once, type SuiteOptions, type TestFunction } from './suite.ts';

const GAPS = ['notifications'] as const;

/** `notifications`: the adapter adds no notifications to an outbox, so owners get no email about the decision on a plan request. */
export type AccountStoreGap = (typeof GAPS)[number];

export interface AccountStoreWorld extends AccessStores {
  /** The outbox that the account store adds notifications to. Needed unless `notifications` is declared. */
  readonly outbox?: Pick<NotificationOutbox, 'ofAccount'>;
}

/** Declares the suite for an adapter. @param make returns account and usage stores on one storage, and the account store's outbox; called once */
export function accountStoreContract(runner: TestFunction, make: Make<AccountStoreWorld>, options: SuiteOptions<AccountStoreGap> = {}): void {
  const test = contractSuite(runner, 'AccountStore contract', options, { setUp: once(make), gaps: GAPS });

  test('stores an account once', async (stores) => {
    const { account } = await makeAccount(stores);
    expect(await stores.accounts.getAccount(account.id)).toEqual(account);
    expect(await stores.accounts.createAccount({ ...account, name: 'Thief' })).toBe(false);
    expect(await stores.accounts.getAccount(account.id)).toEqual(account);
    expect(await stores.accounts.getAccount('acc_nobody')).toBeUndefined();
  });

  test('lists accounts and keys in order of creation', async (stores) => {
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

  test("keeps an account's plan request until it is removed", async (stores) => {
    const { account } = await makeAccount(stores);
    const request = { plan: 'pro', note: 'for "Christmas"', requestedBy: 'usr_1', requestedAt: NOON } as const;
    expect(await stores.accounts.setPlanRequest(account.id, request)).toBe(true);
    expect(await stores.accounts.getAccount(account.id)).toEqual({ ...account, planRequest: request });
    const decided = { ...request, decision: { approved: false, reason: 'no', at: NOON + 1 } };
    expect(await stores.accounts.setPlanRequest(account.id, decided)).toBe(true);
    expect((await stores.accounts.listAccounts()).find(({ id }) => id === account.id)?.planRequest).toEqual(decided);
    expect(await stores.accounts.setPlan(account.id, 'pro', { perMinute: 1, perDay: 1 })).toBe(true);
    expect((await stores.accounts.getAccount(account.id))?.planRequest).toEqual(decided);
    expect(await stores.accounts.setPlanRequest(account.id, undefined)).toBe(true);
    expect((await stores.accounts.getAccount(account.id))?.planRequest).toBeUndefined();
    expect(await stores.accounts.setPlanRequest('acc_0000000000', request)).toBe(false);
    expect(await stores.accounts.getAccount('acc_0000000000')).toBeUndefined();
  });

  test('stores a decision on a plan request together with its notification, or neither if there is no such account', async (stores) => {
    const { account } = await makeAccount(stores);
    const request = { plan: 'pro', note: '', requestedBy: 'usr_1', requestedAt: NOON } as const;
    const decided = { ...request, decision: { approved: true, reason: 'welcome', at: NOON + 1 } };
    const notificationTo = (accountId: string): Notification => ({
      ...{ id: `plan_decided:${accountId}:${NOON}`, accountId, at: NOON + 1 },
      event: { kind: 'plan_decided', plan: 'pro', approved: true, reason: 'welcome' },
    });
    expect(await stores.accounts.setPlanRequest(account.id, request)).toBe(true);
    for (let times = 0; times < 2; times += 1)
      expect(await stores.accounts.setPlanRequest(account.id, decided, notificationTo(account.id))).toBe(true);
    expect((await stores.accounts.getAccount(account.id))?.planRequest).toEqual(decided);
    const unknown = sampleAccount().id;
    expect(await stores.accounts.setPlanRequest(unknown, decided, notificationTo(unknown))).toBe(false);
    if (options.declares?.includes('notifications')) return;
    const { outbox } = stores;
    if (outbox === undefined) throw new Error('there is no outbox; declare notifications');
    expect((await outbox.ofAccount(account.id)).map(({ notification }) => notification)).toEqual([notificationTo(account.id)]);
    expect(await outbox.ofAccount(unknown)).toEqual([]);
  });

  test('stores a suspension together with its notification, or neither if there is no such account', async (stores) => {
    const { account } = await makeAccount(stores);
    const suspension = { since: NOON, reason: 'not paid' };
    const unknown = sampleAccount().id;
    expect(await stores.accounts.setSuspension(account.id, suspension, accountSuspended(account.id, suspension))).toBe(true);
    expect(await stores.accounts.setSuspension(unknown, suspension, accountSuspended(unknown, suspension))).toBe(false);
    if (options.declares?.includes('notifications')) return;
    const ids = async (accountId: string) => (await stores.outbox?.ofAccount(accountId))?.map(({ notification: { id } }) => id);
    expect([await ids(account.id), await ids(unknown)]).toEqual([[`account_suspended:${account.id}:${NOON}`], []]);
  });

  test('reports an unknown account or key', async (stores) => {
    const stranger = sampleKey('acc_0000000000');
    expect(await stores.accounts.addKey(withoutText(stranger), 10, NOON)).toBe('account_not_found');
    expect(await stores.accounts.getKey(stranger.id)).toBeUndefined();
    expect(await stores.accounts.getKey('nonsense')).toBeUndefined();
    expect(await stores.accounts.revokeKey(stranger.id, REVOKED)).toBe(false);
    expect(await stores.accounts.expireKey(stranger.id, NOON)).toBe(false);
    expect(await stores.accounts.setPlan('acc_0000000000', 'free', { perMinute: 1, perDay: 1 })).toBe(false);
    expect(await stores.usage.usage('acc_0000000000', NOON)).toBeUndefined();
    expect(await stores.usage.admit({ accountId: 'acc_0000000000', digest: stranger.digest }, NOON)).toEqual({ kind: 'unknown_key' });
    await stores.usage.ban({ accountId: 'acc_0000000000', digest: stranger.digest }, { since: NOON, until: NOON, level: 1 });
    expect(await stores.usage.hasKey({ accountId: 'acc_0000000000', digest: stranger.digest }, NOON)).toBe(false);
    expect(await stores.accounts.liftBan(stranger.id, NOON)).toBe(false);
    expect(await stores.accounts.liftBan('nonsense', NOON)).toBe(false);
  });

  test("limits the number of an account's keys, not counting those that have ended", async (stores) => {
    const { account } = await makeAccount(stores);
    await stores.accounts.addKey(withoutText(sampleKey(account.id, { expiresAt: NOON + 10 })), 2, NOON);
    expect(await stores.accounts.addKey(withoutText(sampleKey(account.id)), 2, NOON + 9)).toBe('too_many_keys');
    expect(await stores.accounts.addKey(withoutText(sampleKey(account.id)), 2, NOON + 10)).toBe('added');
  });

  test('refuses an unknown, expired or revoked key at once', async (stores) => {
    const { account, key, kind } = await makeAccount(stores);
    expect(await kind(NOON, sampleKey(account.id).digest)).toBe('unknown_key');
    const other = await makeAccount(stores);
    expect(await kind(NOON, other.key.digest)).toBe('unknown_key');
    expect(await stores.accounts.expireKey(key.id, NOON + 5)).toBe(true);
    expect(await stores.accounts.getKey(key.id)).toMatchObject({ expiresAt: NOON + 5 });
    expect((await stores.accounts.getKey(key.id))?.successor).toBeUndefined();
    expect(await stores.accounts.expireKey(key.id, NOON + 5, 'key_next')).toBe(true);
    // The expiry may change again, but the key remains replaced.
    expect(await stores.accounts.expireKey(key.id, NOON + 5)).toBe(true);
    expect((await stores.accounts.listKeys(account.id)).map(({ successor }) => successor)).toEqual(['key_next']);
    expect((await stores.accounts.getKey(key.id))?.successor).toBe('key_next');
    expect([await kind(NOON + 4), await kind(NOON + 5)]).toEqual(['admitted', 'unknown_key']);
    expect(await stores.accounts.revokeKey(key.id, REVOKED)).toBe(true);
    expect(await kind(NOON)).toBe('unknown_key');
    expect(await stores.accounts.getKey(key.id)).toBeUndefined();
    expect((await stores.usage.usage(account.id, NOON))?.quotas.day.remaining).toBe(4);
  });

  testKeyChanges(test);

  test("stores a key's hint and who issued it, if known", async (stores) => {
    const { account } = await makeAccount(stores);
    const key = withoutText(sampleKey(account.id, { createdAt: NOON + 1, hint: 'petstore_test_8sK2…zFw9', createdBy: 'usr_1' }));
    await stores.accounts.addKey(key, 10, NOON);
    expect(await stores.accounts.getKey(key.id)).toEqual(key);
    const [old, added] = await stores.accounts.listKeys(account.id);
    expect(added).toEqual(key);
    expect([old?.hint, old?.createdBy]).toEqual([undefined, undefined]);
  });

  test('keeps what people see of revoked keys, newest first, but nothing that could admit a request', async (stores) => {
    const { account, key: first, kind } = await makeAccount(stores);
    const accounts = stores.accounts;
    const second = sampleKey(account.id, {
      name: 'B',
      hint: 'petstore_test_8sK2…zFw9',
      createdBy: 'operator',
      successor: 'key_c',
      expiresAt: NOON + DAY_MS,
    });
    await accounts.addKey(withoutText(second), 10, NOON);
    const ban = { since: NOON, until: NOON + 1_000, level: 1 };
    await stores.usage.ban({ accountId: account.id, digest: second.digest }, ban);
    expect(await kind(NOON + MINUTE_MS, first.digest)).toBe('admitted');
    expect(await accounts.revokeKey(first.id, { at: NOON + 1, by: 'usr_1' })).toBe(true);
    const twice = await Promise.all([2, 2].map((ms) => accounts.revokeKey(second.id, { at: NOON + ms, by: 'usr_2' })));
    expect(twice.toSorted()).toEqual([false, true]);
    const revoked = await accounts.listRevokedKeys(account.id, NOON);
    const { id, accountId, name, scopes, createdAt, expiresAt } = first;
    expect(revoked).toEqual([
      {
        ...{ id: second.id, accountId, name: 'B', hint: 'petstore_test_8sK2…zFw9', scopes, createdBy: 'operator', createdAt },
        ...{ expiresAt: NOON + DAY_MS, revoked: { at: NOON + 2, by: 'usr_2' } },
      },
      { id, accountId, name, scopes, createdAt, expiresAt, lastUsedAt: NOON + MINUTE_MS, revoked: { at: NOON + 1, by: 'usr_1' } },
    ]);
    expect((await accounts.listRevokedKeys(account.id, NOON + 1)).map((key) => key.id)).toEqual([second.id]);
    expect(await accounts.listRevokedKeys('acc_nobody', 0)).toEqual([]);
    for (const key of [first, second]) {
      expect(JSON.stringify(revoked)).not.toContain(key.digest);
      expect(await kind(NOON + 2 * MINUTE_MS, key.digest)).toBe('unknown_key');
      expect(await accounts.getKey(key.id)).toBeUndefined();
      expect(await accounts.expireKey(key.id, NOON + DAY_MS)).toBe(false);
    }
    expect(await accounts.listKeys(account.id)).toEqual([]);
  });

  test('lists at most 100 revoked keys', async (stores) => {
    const { account } = await makeAccount(stores);
    for (let n = 1; n <= MAX_REVOKED_LISTED + 2; n += 1) {
      const key = sampleKey(account.id, { name: `${n}` });
      await stores.accounts.addKey(withoutText(key), 10, NOON);
      await stores.accounts.revokeKey(key.id, { at: NOON + n, by: 'usr_1' });
    }
    const revoked = await stores.accounts.listRevokedKeys(account.id, NOON);
    expect([revoked.length, revoked[0]?.name, revoked.at(-1)?.name]).toEqual([100, '102', '3']);
  });

  test('applies a new plan from the next request on', async (stores) => {
    const { account, kind } = await makeAccount(stores, { perMinute: 1, perDay: 5 });
    expect([await kind(), await kind()]).toEqual(['admitted', 'limited']);
    expect(await stores.accounts.setPlan(account.id, 'business', { perMinute: 2, perDay: 5 })).toBe(true);
    expect([await kind(), await kind()]).toEqual(['admitted', 'limited']);
    expect(await stores.accounts.getAccount(account.id)).toMatchObject({ plan: 'business', limits: { perMinute: 2, perDay: 5 } });
    expect((await stores.usage.usage(account.id, NOON))?.plan).toBe('business');
  });

  test('suspends and resumes an account: its keys are refused meanwhile, and their requests count up to the limit', async (stores) => {
    const { account, key, kind } = await makeAccount(stores, { perMinute: 4, perDay: 5 });
    expect(await kind()).toBe('admitted');
    const suspension = { since: NOON, reason: 'not paid' };
    expect(await stores.accounts.setSuspension(account.id, suspension)).toBe(true);
    expect(await stores.accounts.getAccount(account.id)).toEqual({ ...account, suspension });
    expect((await stores.accounts.listAccounts()).find(({ id }) => id === account.id)?.suspension).toEqual(suspension);
    const request = { accountId: account.id, digest: key.digest };
    for (const remaining of [2, 1]) {
      const decision = await stores.usage.admit(request, NOON);
      const quotas = (await stores.usage.usage(account.id, NOON))?.quotas;
      expect(decision).toEqual({ kind: 'suspended', plan: account.plan, quotas });
      expect([quotas?.minute.remaining, quotas?.day.remaining]).toEqual([remaining, remaining + 1]);
    }
    expect(await kind(NOON, sampleKey(account.id).digest)).toBe('unknown_key');
    expect(await stores.accounts.listKeys(account.id)).toHaveLength(1);
    const changed = { ...suspension, reason: 'abuse' };
    expect(await stores.accounts.setSuspension(account.id, changed)).toBe(true);
    expect((await stores.accounts.getAccount(account.id))?.suspension).toEqual(changed);
    expect(await stores.accounts.setSuspension(account.id, undefined)).toBe(true);
    expect(await stores.accounts.getAccount(account.id)).toEqual(account);
    expect([await kind(), await kind()]).toEqual(['admitted', 'limited']);
    await stores.accounts.setSuspension(account.id, suspension);
    expect([await kind(), await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS)]).toEqual(['limited', 'suspended', 'limited']);
    await stores.usage.ban(request, { since: NOON, until: NOON + 2 * DAY_MS, level: 1 });
    expect([await kind(NOON + DAY_MS), await kind(NOON + 2 * DAY_MS)]).toEqual(['banned', 'suspended']);
    for (const each of [suspension, undefined]) expect(await stores.accounts.setSuspension('acc_0000000000', each)).toBe(false);
  });

  test("starts and stops requiring a second factor from an account's members, without changing its keys", async (stores) => {
    const { account, kind } = await makeAccount(stores);
    const { accounts } = stores;
    for (let times = 0; times < 2; times += 1) expect(await accounts.setSecondFactor(account.id, true)).toBe(true);
    expect(await accounts.getAccount(account.id)).toEqual({ ...account, requiresSecondFactor: true });
    expect((await accounts.listAccounts()).find(({ id }) => id === account.id)?.requiresSecondFactor).toBe(true);
    expect(await kind()).toBe('admitted');
    await accounts.setPlan(account.id, account.plan, account.limits);
    expect((await accounts.getAccount(account.id))?.requiresSecondFactor).toBe(true);
    expect(await accounts.setSecondFactor(account.id, false)).toBe(true);
    expect(await accounts.getAccount(account.id)).toEqual(account);
    for (const each of [true, false]) expect(await accounts.setSecondFactor('acc_0000000000', each)).toBe(false);
  });

  test('renames an account, and changes nothing else', async (stores) => {
    const { account, kind } = await makeAccount(stores);
    const { accounts } = stores;
    expect(await accounts.rename(account.id, 'Another “shop”')).toBe(true);
    expect(await accounts.getAccount(account.id)).toEqual({ ...account, name: 'Another “shop”' });
    expect((await accounts.listAccounts()).find(({ id }) => id === account.id)?.name).toBe('Another “shop”');
    expect(await kind()).toBe('admitted');
    expect(await accounts.rename('acc_0000000000', 'None')).toBe(false);
  });

  test('deletes an account with its keys and its usage, and no other account', async (stores) => {
    const other = await makeAccount(stores);
    const { account, key, kind } = await makeAccount(stores);
    const { accounts } = stores;
    for (let n = 0; n < 3; n += 1) await accounts.addKey(withoutText(sampleKey(account.id)), 10, NOON);
    const gone = sampleKey(account.id);
    await accounts.addKey(withoutText(gone), 10, NOON);
    await accounts.revokeKey(gone.id, REVOKED);
    await stores.usage.ban({ accountId: account.id, digest: key.digest }, { since: NOON, until: NOON + 1_000, level: 1 });
    await stores.usage.countRefusals(account.id, 1, NOON);
    expect((await Promise.all([accounts.deleteAccount(account.id, NOON), accounts.deleteAccount(account.id, NOON)])).toSorted()).toEqual([
      false,
      true,
    ]);
    expect([await kind(), await accounts.deleteAccount(account.id, NOON)]).toEqual(['unknown_key', false]);
    expect([await accounts.getAccount(account.id), await accounts.getKey(key.id), await stores.usage.usage(account.id, NOON)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([await accounts.listKeys(account.id), (await accounts.listAccounts()).some(({ id }) => id === account.id)]).toEqual([[], false]);
    expect(await accounts.addKey(withoutText(sampleKey(account.id)), 10, NOON)).toBe('account_not_found');
    expect([await other.kind(), (await accounts.listKeys(other.account.id)).length]).toEqual(['admitted', 1]);
  });

  test("shows a key's ban, and lifts it; the level is kept for the next ban", async (stores) => {
    const { account, key, kind } = await makeAccount(stores);
    const ban = { since: NOON, until: NOON + 1_000, level: 3 };
    expect(await stores.accounts.liftBan(key.id, NOON)).toBe(false);
    await stores.usage.ban({ accountId: account.id, digest: key.digest }, ban);
    expect((await stores.accounts.getKey(key.id))?.ban).toEqual(ban);
    expect((await stores.accounts.listKeys(account.id))[0]?.ban).toEqual(ban);
    expect(await kind(NOON + 10)).toBe('banned');
    expect(await Promise.all([stores.accounts.liftBan(key.id, NOON + 10), stores.accounts.liftBan(key.id, NOON + 10)])).toContain(true);
    expect((await stores.accounts.getKey(key.id))?.ban).toEqual(lifted(ban));
    // This holds even on a machine whose clock is behind.
    expect([await kind(NOON + 9), await kind(NOON - 30_000)]).toEqual(['admitted', 'admitted']);
    expect([await kind(NOON + 10), await stores.accounts.liftBan(key.id, NOON + 11)]).toEqual(['admitted', false]);
    expect((await stores.usage.usage(account.id, NOON + 10))?.bans).toEqual([]);
  });

  test('stores a new key together with its ban', async (stores) => {
    const { account, kind } = await makeAccount(stores);
    const ban = { since: NOON - 5, until: NOON + 5, level: 2 };
    const successor = sampleKey(account.id, { ban });
    expect(await stores.accounts.addKey(withoutText(successor), 10, NOON)).toBe('added');
    expect((await stores.accounts.getKey(successor.id))?.ban).toEqual(ban);
    expect([await kind(NOON + 4, successor.digest), await kind(NOON + 5, successor.digest)]).toEqual(['banned', 'admitted']);
  });

  test('records when a key was last used, to the minute, even if the key has expired since', async (stores) => {
    const { account, key, kind } = await makeAccount(stores, { perMinute: 2, perDay: 9 });
    const lastUse = async () => (await stores.accounts.listKeys(account.id)).find(({ id }) => id === key.id)?.lastUsedAt;
    expect([await lastUse(), (await stores.accounts.getKey(key.id))?.lastUsedAt]).toEqual([undefined, undefined]);
    expect([await kind(NOON + 59_999), await lastUse()]).toEqual(['admitted', NOON]);
    expect([await kind(NOON + MINUTE_MS), await kind(NOON + MINUTE_MS), await lastUse()]).toEqual(['admitted', 'admitted', NOON + MINUTE_MS]);
    // A refused request does not count as a use.
    expect(await kind(NOON + MINUTE_MS)).toBe('limited');
    const other = sampleKey(account.id);
    await stores.accounts.addKey(withoutText(other), 10, NOON);
    expect((await stores.accounts.getKey(other.id))?.lastUsedAt).toBeUndefined();
    await stores.accounts.expireKey(key.id, NOON + 3 * MINUTE_MS);
    expect(await kind(NOON + 4 * MINUTE_MS)).toBe('unknown_key');
    await stores.accounts.addKey(withoutText(sampleKey(account.id)), 10, NOON + 5 * MINUTE_MS);
    expect([await lastUse(), (await stores.accounts.getKey(key.id))?.lastUsedAt]).toEqual([NOON + MINUTE_MS, NOON + MINUTE_MS]);
  });
}
