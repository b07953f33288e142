import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import { type KeyRecord, MAX_KEYS_PER_ACCOUNT, NEVER, nameRefusal, newAccountId, OPERATOR } from '../../core/access/account.ts';
import { addMember, changePlan, changeRole, createAccount, outdatedAccounts, removeMember } from '../../core/access/accounts.ts';
import { accountIdOfKeyId, digestOf, generateApiKey, keyIdOf, parseApiKey } from '../../core/access/api-key.ts';
import { type RandomBytes, randomBase62, toBase62 } from '../../core/access/base62.ts';
import { type DeployToken, generateDeployToken, parseDeployToken, projectIdOfTokenId } from '../../core/access/deploy-token.ts';
import { createDeployToken, revokeDeployToken, verifyDeployToken } from '../../core/access/deploy-tokens.ts';
import type { Invitation } from '../../core/access/invitation.ts';
import { changeKey, type KeyChange, type KeyChangeOptions } from '../../core/access/key-change.ts';
import { keyView, revokedKeyView } from '../../core/access/key-view.ts';
import { issueKey, revokedKeys, revokeKey, rotateKey, unbanKey } from '../../core/access/keys.ts';
import { decidePlanRequest, requestPlan, withdrawPlanRequest } from '../../core/access/plan-requests.ts';
import { includesRole, limitsOfPlan, MAX_LIMIT, PLAN_NAMES, PLANS, parseScopes, planOf, SCOPES } from '../../core/access/plans.ts';
import type { MemberStore } from '../../core/access/ports.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from '../../testing/samples.ts';

describe('API keys', () => {
  test('contain only their account and a digest', () => {
    const accountId = newAccountId(randomBytes);
    const key = generateApiKey('live', accountId, randomBytes);
    expect(key).toMatch(/^petstore_live_[0-9A-Za-z]{46}$/);
    expect(parseApiKey(key)).toEqual({ accountId, digest: digestOf(key) });
    expect(generateApiKey('live', accountId, randomBytes)).not.toBe(key);
  });

  test('are refused if any single character changes', () => {
    const key = generateApiKey('test', newAccountId(randomBytes), randomBytes);
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0189AZaz_-.é '), (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(parseApiKey(changed) === undefined).toBe(changed !== key);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '',
    'petstore_live_',
    'petstore_prod_0000',
    `petstore_live_${'0'.repeat(46)}`,
    `x${generateApiKey('live', 'acc_0000000000', randomBytes)}`,
  ])('%j is not an API key', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  test('have a public id that contains the account', () => {
    const accountId = newAccountId(randomBytes);
    const keyId = keyIdOf(accountId, '-_ABCDEFGHIJKLMNOP');
    expect(keyId).toMatch(/^key_[0-9A-Za-z]{22}$/);
    expect(accountIdOfKeyId(keyId)).toBe(accountId);
    expect(accountIdOfKeyId('key_short')).toBeUndefined();
  });
});

describe('base62', () => {
  test('discards bytes that would make some letters more likely', () => {
    const bytes = [255, 248, 247, 0, 61, 62];
    expect(randomBase62(4, () => Uint8Array.from(bytes))).toBe('z0z0');
  });

  test('pads numbers, and preserves their order', () => {
    expect([toBase62(0, 6), toBase62(61, 2), toBase62(62, 2), toBase62(2 ** 32 - 1, 6)]).toEqual(['000000', '0z', '10', '4gfFC3']);
  });
});

describe('plans and scopes', () => {
  test('the plans of the specification have its limits', () => {
    expect(Object.fromEntries(PLAN_NAMES.map((name) => [name, planOf(name).limits]))).toMatchObject({
      free: { perMinute: 60, perDay: 1_000 },
      pro: { perMinute: 300, perDay: 10_000 },
      business: { perMinute: 1_000, perDay: 100_000 },
    });
    expect(limitsOfPlan('pro', {})).toEqual({ ok: true, limits: PLANS.pro.limits });
  });

  test('Enterprise requires both limits, and no other plan accepts any', () => {
    expect(limitsOfPlan('enterprise', { perMinute: 5, perDay: 9 })).toEqual({ ok: true, limits: { perMinute: 5, perDay: 9 } });
    expect(limitsOfPlan('enterprise', { perMinute: 5 })).toMatchObject({ ok: false, problem: expect.stringContaining('both limits') });
    expect(limitsOfPlan('free', { perDay: 5 })).toMatchObject({ ok: false, problem: expect.stringContaining('only plan enterprise') });
    for (const wrong of [0, -1, 1.5, MAX_LIMIT + 1, Number.NaN]) {
      expect(limitsOfPlan('enterprise', { perMinute: wrong, perDay: 9 })).toMatchObject({
        ok: false,
        problem: expect.stringContaining('perMinute: got'),
      });
    }
  });

  test('scopes are accepted in any order, and unknown scopes are refused', () => {
    expect(parseScopes('pets:write, pets:read,pets:read')).toEqual(SCOPES);
    expect(parseScopes('pets:read')).toEqual(['pets:read']);
    for (const text of ['', 'pets', 'pets:read,', 'pets:read;pets:write']) expect(parseScopes(text)).toBeUndefined();
  });

  test('names may have at most 100 visible characters', () => {
    expect([nameRefusal('A'), nameRefusal('🐕'.repeat(100))]).toEqual([undefined, undefined]);
    for (const name of ['', ' ', '\u200b\u3164', 'a'.repeat(101), 'a\nb', '\ud800']) expect(nameRefusal(name)?.code).toBe('invalid_request');
  });
});

describe('issuing and rotating', () => {
  const emailOf = (userId: string) => (userId === 'usr_1' ? 'one@petstore.test' : undefined);
  const issue = async () => {
    const { accounts, usage } = createMemoryStores();
    const account = sampleAccount();
    await accounts.createAccount(account);
    const request = { mode: 'test', accountId: account.id, name: 'A', scopes: SCOPES, by: 'usr_1', expiresAt: undefined, now: NOON } as const;
    return { accounts, usage, request, issued: await issueKey(accounts, randomBytes, request) };
  };

  test('a key works as soon as it is issued, and its text is not stored', async () => {
    const { accounts, usage, issued } = await issue();
    if (!issued.ok) throw new Error(issued.message);
    const parsed = parseApiKey(issued.key);
    expect(parsed && (await usage.admit(parsed, NOON)).kind).toBe('admitted');
    expect(JSON.stringify(await accounts.getKey(issued.record.id))).not.toContain(issued.key.slice(-30));
    expect(issued.record.expiresAt).toBe(NEVER);
  });

  test('a key is stored with its hint and who issued it; its successor with who rotated it', async () => {
    const { accounts, issued } = await issue();
    if (!issued.ok) throw new Error(issued.message);
    const [start, end] = [issued.key.slice(0, 18), issued.key.slice(-4)];
    expect(await accounts.getKey(issued.record.id)).toMatchObject({ hint: `${start}…${end}`, createdBy: 'usr_1' });
    // Nothing of the secret is in the hint: 24 characters are mode and account, 6 the checksum.
    expect(issued.key.slice(-6)).toContain(end);
    const rotated = await rotateKey(accounts, randomBytes, { mode: 'test', keyId: issued.record.id, graceMs: 0, by: 'usr_2', now: NOON });
    if (!rotated.ok) throw new Error(rotated.message);
    expect(await accounts.getKey(rotated.record.id)).toMatchObject({
      hint: expect.stringMatching(/^petstore_test_\w{4}…\w{4}$/),
      createdBy: 'usr_2',
    });
  });

  test('a revoked key is shown for 90 days, with who revoked it', async () => {
    const { accounts, request, issued } = await issue();
    const other = await issueKey(accounts, randomBytes, { ...request, by: OPERATOR });
    if (!issued.ok || !other.ok) throw new Error('not issued');
    expect(await revokeKey(accounts, issued.record.id, { at: NOON, by: 'usr_2' })).toEqual({ ok: true });
    expect(await revokeKey(accounts, other.record.id, { at: NOON + 5, by: OPERATOR })).toEqual({ ok: true });
    const shown = async (now: number) => (await revokedKeys(accounts, request.accountId, now)).map((key) => revokedKeyView(key, emailOf));
    expect(await shown(NOON + 90 * DAY_MS - 1)).toMatchObject([
      { keyId: other.record.id, createdBy: { userId: null, email: null }, revokedBy: { userId: null, email: null } },
      {
        keyId: issued.record.id,
        createdBy: { userId: 'usr_1', email: 'one@petstore.test' },
        revokedAt: new Date(NOON).toISOString(),
        revokedBy: { userId: 'usr_2', email: null },
      },
    ]);
    expect((await shown(NOON + 90 * DAY_MS)).map(({ keyId }) => keyId)).toEqual([other.record.id]);
    expect(await shown(NOON + 90 * DAY_MS + 5)).toEqual([]);
  });

  test('a key expires soon for seven days, unless it has a successor', () => {
    const { text: _, ...key } = sampleKey('acc_0000000000', { expiresAt: NOON + 7 * DAY_MS });
    const soon = (record: KeyRecord, now: number) => keyView(record, now, emailOf).expiresSoon;
    expect([NOON - 1, NOON, NOON + 7 * DAY_MS - 1, NOON + 7 * DAY_MS].map((now) => soon(key, now))).toEqual([false, true, true, false]);
    expect(soon({ ...key, expiresAt: NEVER }, NOON)).toBe(false);
    expect(soon({ ...key, successor: 'key_next' }, NOON)).toBe(false);
    expect(keyView({ ...key, successor: 'key_next' }, NOON, emailOf)).toMatchObject({ successorId: 'key_next', hint: null, createdBy: null });
  });

  test('both keys work during the grace period, and then only the new one', async () => {
    const { accounts, usage, issued } = await issue();
    if (!issued.ok) throw new Error(issued.message);
    const rotated = await rotateKey(accounts, randomBytes, { mode: 'test', keyId: issued.record.id, graceMs: 100, by: 'usr_2', now: NOON });
    if (!rotated.ok) throw new Error(rotated.message);
    const kinds = async (now: number) => [(await usage.admit(issued.record, now)).kind, (await usage.admit(rotated.record, now)).kind];
    expect(await kinds(NOON + 99)).toEqual(['admitted', 'admitted']);
    expect(await kinds(NOON + 100)).toEqual(['unknown_key', 'admitted']);
    expect(rotated.record).toMatchObject({ name: 'A', scopes: SCOPES, expiresAt: NEVER });
  });

  test('the successor of an expiring key has the same lifetime, and the old key keeps its expiry', async () => {
    const { accounts, request } = await issue();
    const issued = await issueKey(accounts, randomBytes, { ...request, expiresAt: NOON + 10 * DAY_MS });
    if (!issued.ok) throw new Error(issued.message);
    const now = NOON + 10 * DAY_MS - 5;
    const rotated = await rotateKey(accounts, randomBytes, { mode: 'test', keyId: issued.record.id, graceMs: DAY_MS, by: 'usr_2', now });
    expect(rotated.ok && rotated.record.expiresAt).toBe(now + 10 * DAY_MS);
    expect((await accounts.getKey(issued.record.id))?.expiresAt).toBe(NOON + 10 * DAY_MS);
  });

  test('a key that is being replaced cannot be rotated again: its successor would end with its grace period', async () => {
    const { accounts, issued } = await issue();
    if (!issued.ok) throw new Error(issued.message);
    const rotate = (keyId: string) => rotateKey(accounts, randomBytes, { mode: 'test', keyId, graceMs: 1_000, by: 'usr_2', now: NOON });
    const first = await rotate(issued.record.id);
    if (!first.ok) throw new Error(first.message);
    const message = expect.stringContaining(`was replaced by ${first.record.id}`);
    expect(await rotate(issued.record.id)).toMatchObject({ ok: false, code: 'conflict', message });
    expect(await rotate(first.record.id)).toMatchObject({ ok: true, record: { expiresAt: NEVER } });
  });

  test("a successor inherits its key's ban, even if it has ended, so its next ban is longer", async () => {
    const { accounts, usage, issued } = await issue();
    if (!issued.ok) throw new Error(issued.message);
    const ban = { since: NOON, until: NOON + 300_000, level: 1 };
    await usage.ban(issued.record, ban);
    const rotate = async (keyId: string, now: number) => {
      const rotated = await rotateKey(accounts, randomBytes, { mode: 'test', keyId, graceMs: 0, by: 'usr_2', now });
      if (!rotated.ok) throw new Error(rotated.message);
      return rotated.record;
    };
    const second = await rotate(issued.record.id, NOON + 1);
    expect(await usage.admit(second, NOON + 1)).toMatchObject({ kind: 'banned', retryAt: ban.until });
    const third = await rotate(second.id, ban.until);
    expect([(await usage.admit(third, ban.until)).kind, (await accounts.getKey(third.id))?.ban]).toEqual(['admitted', ban]);
  });

  test('refuses unknown accounts, expired keys, and more keys than an account may have', async () => {
    const { accounts, request } = await issue();
    expect(await issueKey(accounts, randomBytes, { ...request, accountId: 'acc_0000000000' })).toMatchObject({
      ok: false,
      code: 'not_found',
      message: expect.stringContaining('no account "acc_0000000000"'),
    });
    const rotate = (keyId: string, now: number) => rotateKey(accounts, randomBytes, { mode: 'test', keyId, graceMs: 0, by: 'usr_2', now });
    expect(await rotate('key_unknown', NOON)).toMatchObject({ ok: false, code: 'not_found' });
    const short = await issueKey(accounts, randomBytes, { ...request, expiresAt: NOON + 1 });
    expect(await rotate(short.ok ? short.record.id : '', NOON + 1)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('has expired'),
    });
    for (let n = 1; n < MAX_KEYS_PER_ACCOUNT - 1; n += 1) await issueKey(accounts, randomBytes, request);
    expect(await issueKey(accounts, randomBytes, request)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('already has 10 keys'),
    });
    for (const expiresAt of [NOON, NOON - 1, NOON + 3_651 * DAY_MS])
      expect(await issueKey(accounts, randomBytes, { ...request, expiresAt })).toMatchObject({ ok: false, code: 'invalid_request' });
    const [some] = await accounts.listKeys(request.accountId);
    for (const graceMs of [-1, 31 * DAY_MS])
      expect(await rotateKey(accounts, randomBytes, { mode: 'test', keyId: some?.id ?? '', graceMs, by: 'usr_2', now: NOON })).toMatchObject({
        code: 'invalid_request',
      });
    expect(await revokeKey(accounts, 'key_unknown', REVOKED)).toMatchObject({ ok: false, code: 'not_found' });
    const [first] = await accounts.listKeys(request.accountId);
    expect((await rotate(first?.id ?? '', NOON)).ok).toBe(true);
  });
});

const NO_DOMAINS = { listDomains: async () => [], getDomain: async () => undefined, saveDomain: async () => 'changed' as const };

describe('accounts', () => {
  const members = new Map<string, string[]>();
  const memberStore: MemberStore = {
    membershipsOf: async (userId) => (members.get(userId) ?? []).map((accountId) => ({ accountId, role: 'owner' })),
    membersOf: async () => [],
    addMember: async (accountId, userId) => void members.set(userId, [...(members.get(userId) ?? []), accountId]),
    setRole: async (_accountId, userId) => (userId === 'usr_last' ? 'last_owner' : 'set'),
    removeMember: async (_accountId, userId, { keepOwner }) => {
      if (userId === 'usr_last') return keepOwner ? 'last_owner' : 'removed';
      return 'not_a_member';
    },
  };

  test('can be created in limited number by users, and in any number by operators; a taken id is replaced, in a limited number of attempts', async () => {
    const ports = { accounts: createMemoryStores().accounts, members: memberStore };
    const create = (owner: string | undefined, random: RandomBytes = randomBytes) =>
      createAccount(ports, { name: 'A', plan: 'free', owner }, random, NOON);
    for (let n = 0; n < 5; n += 1) expect(await create('usr_1')).toMatchObject({ ok: true, account: { plan: 'free', limits: PLANS.free.limits } });
    expect(await create('usr_1')).toMatchObject({ ok: false, code: 'conflict' });
    expect((await create(undefined)).ok).toBe(true);
    const zeros = (length: number) => new Uint8Array(length);
    expect((await create(undefined, zeros)).ok).toBe(true);
    expect(await create(undefined, zeros)).toMatchObject({ ok: false, code: 'unavailable' });
    expect(await createAccount(ports, { name: '', plan: 'free', owner: undefined }, randomBytes, NOON)).toMatchObject({ code: 'invalid_request' });
    expect(await createAccount(ports, { name: 'A', plan: 'enterprise', owner: undefined }, randomBytes, NOON)).toMatchObject({ ok: false });
  });

  test("are reported as outdated if their plan's limits have changed, unless their limits were agreed individually", async () => {
    const { accounts } = createMemoryStores();
    const agreed = sampleAccount({ perMinute: 7, perDay: 9 });
    const old = { ...sampleAccount({ perMinute: 1, perDay: 2 }), plan: 'pro' as const };
    const current = { ...sampleAccount(PLANS.pro.limits), plan: 'pro' as const };
    for (const account of [agreed, old, current]) await accounts.createAccount(account);
    expect(await outdatedAccounts(accounts)).toEqual([{ account: old, limits: PLANS.pro.limits }]);
  });

  test('have users as members; the last owner can be protected from removal, and stays an owner', async () => {
    const open = [
      { id: 'inv_1', invitedBy: 'usr_last' },
      { id: 'inv_2', invitedBy: 'usr_2' },
    ] as Invitation[];
    const withdrawn: string[] = [];
    const invitations = { listInvitations: async () => open, removeInvitation: async (id: string) => withdrawn.push(id) > 0 };
    const ports = { accounts: createMemoryStores().accounts, members: memberStore, invitations };
    expect(await addMember(ports, 'acc_nobody', { userId: 'usr_1', role: 'member' }, NOON)).toMatchObject({ ok: false, code: 'not_found' });
    const account = sampleAccount();
    await ports.accounts.createAccount(account);
    const nothing = {
      projects: { listProjects: async () => [] },
      deployTokens: { listTokens: async () => [], removeToken: async () => false },
    };
    const remove = (accountId: string, userId: string, by = OPERATOR) =>
      removeMember({ ...ports, ...nothing }, accountId, userId, { by, revokes: false, now: NOON });
    expect(await remove(account.id, 'usr_last', 'usr_last')).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('only owner'),
    });
    expect(withdrawn).toEqual([]);
    expect(await remove(account.id, 'usr_last')).toEqual({ ok: true });
    // An owner who is invited again later does not bring them back.
    expect(withdrawn).toEqual(['inv_1']);
    expect(await remove(account.id, 'usr_2')).toMatchObject({
      ok: false,
      code: 'not_found',
      message: expect.stringContaining('is not a member of'),
    });
    expect(await remove('acc_nobody', 'usr_2')).toMatchObject({ ok: false, message: expect.stringContaining('no account') });
    expect(await addMember(ports, account.id, { userId: 'usr_2', role: 'member' }, NOON)).toEqual({ ok: true });
    expect(await changeRole(ports, account.id, { userId: 'usr_2', role: 'owner' })).toEqual({ ok: true });
    expect(await changeRole(ports, account.id, { userId: 'usr_last', role: 'member' })).toMatchObject({ ok: false, code: 'conflict' });
    expect(withdrawn).toEqual(['inv_1']);
    expect(await changeRole(ports, 'acc_nobody', { userId: 'usr_2', role: 'owner' })).toMatchObject({ ok: false, code: 'not_found' });
  });

  test.each([
    ['owner', 'owner', true],
    ['owner', 'member', true],
    ['member', 'member', true],
    ['member', 'owner', false],
  ] as const)('an %s may do what takes an %s: %s', (held, needed, may) => {
    expect(includesRole(held, needed)).toBe(may);
  });
});

describe('deploy tokens', () => {
  const PROJECT = 'prj_0123456789';
  const store = () => {
    const tokens = new Map<string, DeployToken>();
    const uses: number[] = [];
    return {
      uses,
      addToken: async (token: DeployToken) => void tokens.set(token.id, token),
      listTokens: async () => [...tokens.values()],
      getToken: async (id: string) => tokens.get(id),
      removeToken: async (id: string) => tokens.delete(id),
      useToken: async (id: string, at: number) => {
        uses.push(at);
        const token = tokens.get(id);
        if (token !== undefined) tokens.set(id, { ...token, lastUsedAt: at });
      },
    };
  };
  const request = { projectId: PROJECT, name: 'CI', createdBy: 'usr_1', lifetimeDays: 90, now: NOON };

  test('contain only their project and a digest', () => {
    const text = generateDeployToken(PROJECT, randomBytes);
    expect(text).toMatch(/^petstore_deploy_0123456789[0-9A-Za-z]{36}$/);
    expect(parseDeployToken(text)).toEqual({
      id: expect.stringMatching(/^tok_0123456789[0-9A-Za-z]{12}$/),
      projectId: PROJECT,
      digest: digestOf(text),
    });
    expect([parseDeployToken(`${text}0`), parseDeployToken(text.replace('0123', '0124')), parseDeployToken('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(parseDeployToken(generateApiKey('test', newAccountId(randomBytes), randomBytes))).toBeUndefined();
    expect([projectIdOfTokenId('tok_01234567890123456789ab'), projectIdOfTokenId('tok_x')]).toEqual([PROJECT, undefined]);
  });

  test('work until they expire or are revoked; their use is recorded once a minute', async () => {
    const tokens = store();
    const created = await createDeployToken(tokens, randomBytes, request);
    if (!created.ok) throw new Error(created.message);
    const { record, token } = created;
    for (const now of [NOON, NOON + 59_999, NOON + 60_000]) expect(await verifyDeployToken(tokens, token, now)).toMatchObject({ id: record.id });
    expect(tokens.uses).toEqual([NOON, NOON + 60_000]);
    expect(await verifyDeployToken(tokens, token, record.expiresAt - 1)).toBeDefined();
    expect(await verifyDeployToken(tokens, token, record.expiresAt)).toBeUndefined();
    expect(await verifyDeployToken(tokens, generateDeployToken(PROJECT, randomBytes), NOON)).toBeUndefined();
    await tokens.addToken({ ...record, digest: 'another' });
    expect(await verifyDeployToken(tokens, token, NOON)).toBeUndefined();
    expect(await revokeDeployToken(tokens, 'prj_another000', record.id)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await revokeDeployToken(tokens, PROJECT, record.id)).toEqual({ ok: true });
    expect(await revokeDeployToken(tokens, PROJECT, record.id)).toMatchObject({ ok: false, code: 'not_found' });
  });

  test.each([
    [{ name: '' }, 'invalid_request'],
    [{ lifetimeDays: 0 }, 'invalid_request'],
    [{ lifetimeDays: 367 }, 'invalid_request'],
    [{ lifetimeDays: 1.5 }, 'invalid_request'],
    [{ projectId: 'x' }, 'not_found'],
  ])('are not created with %j', async (change, code) => {
    expect(await createDeployToken(store(), randomBytes, { ...request, ...change })).toMatchObject({ ok: false, code });
  });
});

describe('requests for a plan', () => {
  async function world() {
    const stores = createMemoryStores();
    const account = sampleAccount();
    await stores.accounts.createAccount({ ...account, plan: 'free' });
    const notified: unknown[] = [];
    const accounts: typeof stores.accounts = {
      ...stores.accounts,
      setPlanRequest: (id, request, notification) => {
        if (notification !== undefined) notified.push(notification);
        return stores.accounts.setPlanRequest(id, request);
      },
    };
    const ports = { accounts, projects: { listProjects: async () => [] }, domains: NO_DOMAINS };
    const current = async () => (await accounts.getAccount(account.id)) ?? expect.fail('no account');
    return { ports, account: await current(), current, notified };
  }
  const request = { plan: 'pro', note: 'for Christmas', requestedBy: 'usr_1' } as const;

  test('are kept until they are decided; an approved one changes the plan, and the members are told once', async () => {
    const { ports, account, current, notified } = await world();
    expect(await requestPlan(ports, account, request, NOON)).toMatchObject({ ok: true, request: { ...request, requestedAt: NOON } });
    expect(await decidePlanRequest(ports, account.id, { approved: true, reason: 'welcome' }, NOON + 1)).toMatchObject({ ok: true, plan: 'pro' });
    expect(await current()).toMatchObject({
      plan: 'pro',
      limits: PLANS.pro.limits,
      planRequest: { decision: { approved: true, reason: 'welcome', at: NOON + 1 } },
    });
    expect(notified).toMatchObject([
      { id: `plan_requested:${account.id}:${NOON}`, event: { kind: 'plan_requested' } },
      { id: `plan_decided:${account.id}:${NOON}`, event: { kind: 'plan_decided', plan: 'pro', approved: true } },
    ]);
    expect(await decidePlanRequest(ports, account.id, { approved: false, reason: '' }, NOON + 2)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await requestPlan(ports, await current(), request, NOON)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('already'),
    });
    expect(await withdrawPlanRequest(ports, await current())).toEqual({ ok: true });
    expect(await withdrawPlanRequest(ports, await current())).toMatchObject({ ok: false, code: 'not_found' });
  });

  test('that are declined change nothing but the request', async () => {
    const { ports, account, current } = await world();
    await requestPlan(ports, account, request, NOON);
    expect(await decidePlanRequest(ports, account.id, { approved: false, reason: 'too early' }, NOON)).toEqual({
      ok: true,
      plan: 'pro',
      change: undefined,
    });
    expect(await current()).toMatchObject({ plan: 'free', planRequest: { decision: { approved: false, reason: 'too early' } } });
  });

  test('for a plan whose quota is agreed are approved with a quota only', async () => {
    const { ports, account, current } = await world();
    await requestPlan(ports, account, { ...request, plan: 'enterprise' }, NOON);
    expect(await decidePlanRequest(ports, account.id, { approved: true, reason: '' }, NOON)).toMatchObject({ ok: false, code: 'invalid_request' });
    expect((await current()).planRequest).toMatchObject({ plan: 'enterprise', requestedAt: NOON });
    const agreed = { perMinute: 5_000, perDay: 1_000_000 };
    expect(await decidePlanRequest(ports, account.id, { approved: true, reason: '', agreed }, NOON)).toMatchObject({ ok: true });
    expect(await current()).toMatchObject({ plan: 'enterprise', limits: agreed });
  });

  test('are refused for unknown accounts, and with reasons that are too long', async () => {
    const { ports, account } = await world();
    const stranger = { ...account, id: 'acc_nobody' };
    expect(await requestPlan(ports, stranger, request, NOON)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await withdrawPlanRequest(ports, { ...stranger, planRequest: { ...request, requestedAt: NOON } })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
    expect(await decidePlanRequest(ports, 'acc_nobody', { approved: true, reason: '' }, NOON)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await decidePlanRequest(ports, account.id, { approved: true, reason: 'x'.repeat(501) }, NOON)).toMatchObject({ code: 'invalid_request' });
  });
});

describe('changing a key', () => {
  async function issued(fields: Partial<KeyRecord> = {}) {
    const { accounts } = createMemoryStores();
    const account = sampleAccount();
    await accounts.createAccount(account);
    const { text: _, ...key } = sampleKey(account.id, fields);
    await accounts.addKey(key, 10, NOON);
    const change = (what: KeyChange, options: Partial<KeyChangeOptions> = {}) =>
      changeKey(accounts, key.id, what, { mayExtend: true, now: NOON, ...options });
    return { accounts, key, change };
  }

  test('changes what is given, and leaves the rest', async () => {
    const { accounts, key, change } = await issued();
    const next = { ...key, name: 'Till', scopes: ['pets:read'], expiresAt: NOON + 5 };
    expect(await change({ name: 'Till', scopes: ['pets:read', 'pets:read'], lifetimeMs: 5 })).toEqual({ ok: true, key: next });
    expect(await change({ paused: true }, { now: NOON + 1 })).toEqual({ ok: true, key: { ...next, pausedAt: NOON + 1 } });
    // The moment of the pause stays.
    expect(await change({ paused: true, lifetimeMs: null }, { now: NOON + 2 })).toMatchObject({ key: { pausedAt: NOON + 1, expiresAt: NEVER } });
    expect(await change({ paused: false, scopes: ['pets:write', 'pets:read'] })).toEqual({ ok: true, key: { ...key, name: 'Till' } });
    expect(await accounts.getKey(key.id)).toEqual({ ...key, name: 'Till' });
  });

  test('refuses invalid values, and keys that are unknown or have expired', async () => {
    const { accounts, key, change } = await issued({ expiresAt: NOON + 10 });
    for (const wrong of [{ name: ' ' }, { lifetimeMs: 0 }, { lifetimeMs: 3_650 * DAY_MS + 1 }, { lifetimeMs: Number.NaN }])
      expect(await change(wrong)).toMatchObject({ ok: false, code: 'invalid_request' });
    const options = { mayExtend: true, now: NOON };
    for (const id of ['key_nobody', sampleKey(key.accountId).id])
      expect(await changeKey(accounts, id, { name: 'A' }, options)).toMatchObject({ code: 'not_found' });
    expect(await change({ name: 'A' }, { now: NOON + 9 })).toMatchObject({ ok: true });
    expect(await change({ lifetimeMs: null }, { now: NOON + 10 })).toMatchObject({ code: 'conflict', message: expect.stringContaining('expired') });
  });

  test('a key that was replaced can end earlier, and not later', async () => {
    const { accounts, key, change } = await issued();
    await accounts.expireKey(key.id, NOON + DAY_MS, 'key_next');
    for (const lifetimeMs of [DAY_MS + 1, null])
      expect(await change({ lifetimeMs })).toMatchObject({ code: 'conflict', message: expect.stringContaining('was replaced by key_next') });
    expect(await change({ lifetimeMs: DAY_MS, name: 'Old', paused: true })).toMatchObject({ key: { expiresAt: NOON + DAY_MS, name: 'Old' } });
    expect(await change({ lifetimeMs: 1, paused: false })).toMatchObject({ key: { expiresAt: NOON + 1, successor: 'key_next' } });
  });

  test('what changes nothing is not stored', async () => {
    const { accounts, key } = await issued();
    const stored: KeyRecord[] = [];
    const watched = { ...accounts, changeKey: async (next: KeyRecord) => stored.push(next) > 0 };
    const unchanged = [{}, { name: key.name }, { scopes: key.scopes }, { lifetimeMs: null }, { paused: false }];
    for (const same of unchanged) expect(await changeKey(watched, key.id, same, { mayExtend: false, now: NOON })).toEqual({ ok: true, key });
    expect(stored).toEqual([]);
  });

  test('changes of several writers at once all stay, and none is judged by what it did not read', async () => {
    const { accounts, key, change } = await issued();
    let others: KeyChange[] = [{ name: 'Till' }, { scopes: ['pets:read'] }];
    const crowded = {
      ...accounts,
      changeKey: async (next: KeyRecord, read: KeyRecord) => {
        const [other, ...more] = others;
        others = more;
        if (other !== undefined) await change(other);
        return accounts.changeKey(next, read);
      },
    };
    const options = { mayExtend: true, now: NOON };
    expect(await changeKey(crowded, key.id, { paused: true }, options)).toMatchObject({ ok: true });
    expect(await accounts.getKey(key.id)).toEqual({ ...key, name: 'Till', scopes: ['pets:read'], pausedAt: NOON });
    // Another member narrows it while a request that may not give more is under way.
    await change({ scopes: SCOPES, paused: false });
    others = [{ scopes: ['pets:read'] }];
    expect(await changeKey(crowded, key.id, { scopes: SCOPES, name: 'A' }, { ...options, mayExtend: false })).toMatchObject({
      code: 'insufficient_user_authentication',
    });
    const busy = { ...accounts, changeKey: async () => false };
    expect(await changeKey(busy, key.id, { name: 'C' }, options)).toMatchObject({ code: 'unavailable' });
  });

  test('a paused key is shown as paused, unless it has expired; rotated, it stays paused, and its successor works', async () => {
    const { accounts, key, change } = await issued({ expiresAt: NOON + DAY_MS });
    await change({ paused: true });
    const stored = (await accounts.getKey(key.id)) as KeyRecord;
    const view = (record: KeyRecord, now = NOON) => keyView(record, now, () => undefined);
    expect(view({ ...stored, ban: { since: NOON, until: NOON + 9, level: 1 } })).toMatchObject({
      state: 'paused',
      pausedAt: new Date(NOON).toISOString(),
    });
    expect(view(stored, NOON + DAY_MS)).toMatchObject({ state: 'expired', pausedAt: null });
    const rotated = await rotateKey(accounts, randomBytes, { mode: 'test', keyId: key.id, graceMs: 5, by: 'usr_1', now: NOON });
    expect(rotated.ok && view(rotated.record)).toMatchObject({ state: 'active', pausedAt: null });
    expect(await accounts.getKey(key.id)).toMatchObject({ pausedAt: NOON, expiresAt: NOON + 5 });
  });
});

describe('lifting bans', () => {
  const LIMITS = { perMinute: 60, perDay: 1_000 };

  async function banned() {
    const { accounts, usage } = createMemoryStores();
    const account = sampleAccount(LIMITS);
    await accounts.createAccount(account);
    const keys = [sampleKey(account.id), sampleKey(account.id)];
    for (const { text: _, ...record } of keys) await accounts.addKey(record, 10, NOON);
    const [key] = keys as [(typeof keys)[number], (typeof keys)[number]];
    await usage.ban(key, { since: NOON, until: NOON + 300_000, level: 2 });
    return { accounts, account, key, kind: async () => (await usage.admit(key, NOON + 1)).kind };
  }

  test("with a command works only for a banned key, and keeps the ban's level", async () => {
    const { accounts, key, kind } = await banned();
    expect(await kind()).toBe('banned');
    expect(await unbanKey(accounts, key.id, NOON + 1)).toMatchObject({ ok: true, ban: { since: NOON, until: NOON + 300_000, level: 2 } });
    expect([await kind(), (await accounts.getKey(key.id))?.ban?.level]).toEqual(['admitted', 2]);
    expect(await unbanKey(accounts, key.id, NOON + 1)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await unbanKey(accounts, 'key_nobody', NOON)).toMatchObject({ ok: false, code: 'not_found' });
    await accounts.expireKey(key.id, NOON);
    expect(await unbanKey(accounts, key.id, NOON)).toMatchObject({ ok: false, code: 'conflict' });
  });

  test('with an upgrade happens if either limit rises, and with no other change', async () => {
    const { accounts, account, key, kind } = await banned();
    const ports = { accounts, projects: { listProjects: async () => [] }, domains: NO_DOMAINS };
    const change = async (agreed: typeof LIMITS) => {
      const changed = await changePlan(ports, account.id, { plan: 'enterprise', agreed }, NOON + 1);
      return changed.ok ? changed.unbanned : changed;
    };
    expect([await change(LIMITS), await change({ perMinute: 1, perDay: 1 }), await kind()]).toEqual([[], [], 'banned']);
    expect([await change({ perMinute: 1, perDay: 2 }), await kind()]).toEqual([[key.id], 'admitted']);
    expect(await changePlan(ports, account.id, { plan: 'enterprise' }, NOON)).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(await changePlan(ports, 'acc_nobody', { plan: 'free' }, NOON)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await changePlan(ports, account.id, { plan: 'free', agreed: LIMITS }, NOON)).toMatchObject({ ok: false, code: 'invalid_request' });
  });
});
