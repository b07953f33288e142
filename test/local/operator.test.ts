// What operators do in the dashboard, over HTTP: they alone, with a second factor, for accounts that are not theirs.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Account } from '../../core/access/account.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS } from '../../service/control/operations.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { exchange, signIn } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;
let stores: ReturnType<typeof openSqliteStores>;
/** Tokens: the operator's with and without a second factor, and of the owner of all accounts. */
let [operator, withPassword, owner] = ['', '', ''];
const OPERATORS_OWN: Account = { id: 'acc_Operators0', name: 'Ours', plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, createdAt: 1 };
const LIMITS = { perMinute: 60, perDay: 1_000 };
let accountId = '';
let made = 0;

beforeAll(async () => {
  host = await startControlHost(folder.path, 0, { PETSTORE_OPERATORS: 'usr_other,usr_operator' });
  stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database);
  for (const name of ['operator', 'owner']) await users.add({ id: `usr_${name}`, email: `${name}@petstore.test` }, `password of ${name}`);
  await stores.accounts.createAccount(OPERATORS_OWN);
  await stores.members.addMember(OPERATORS_OWN.id, 'usr_operator', 'owner');
  owner = (await signIn(host.url, 'owner@petstore.test', 'password of owner')).access_token;
  const { access_token, refresh_token } = await signIn(host.url, 'operator@petstore.test', 'password of operator');
  withPassword = access_token;
  // As if the session had begun with an authenticator app, too.
  stores.database.exec(`UPDATE oidc SET payload = json_set(payload, '$.amr', json('["pwd","otp","mfa"]')) WHERE model = 'RefreshToken'`);
  operator = (await exchange(host.url, { grant_type: 'refresh_token', refresh_token })).access_token;
});

beforeEach(async () => {
  made += 1;
  accountId = `acc_${String(made).padStart(10, '0')}`;
  await stores.accounts.createAccount({ id: accountId, name: `Shop ${made} of Ana`, plan: 'free', limits: LIMITS, createdAt: made + 1 });
  await stores.members.addMember(accountId, 'usr_owner', 'owner');
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  stores.close();
  await host.stop();
  folder.remove();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  readonly body: any;
}

async function call(token: string, method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...more };
  const response = await fetch(`${host.url}/dashboard/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const customer = (more = '') => `/operator/accounts/${accountId}${more}`;

const OPERATIONS = Object.entries<ControlRow>(CONTROL_OPERATIONS).filter(([, row]) => row.operator === true);

describe('an operator', () => {
  test.each(OPERATIONS)('%s is for operators alone, with a second factor', async (_id, { method, path, example }) => {
    const real = path.replace('{accountId}', accountId);
    expect(await call(owner, method, real, example.body)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: expect.stringMatching(/operator/) },
    });
    // Nobody learns whether there is such an account.
    const other = path.replace('{accountId}', 'acc_Nobody0000');
    expect((await call(owner, method, other, example.body)).body).toMatchObject({ code: 'forbidden' });
    for (const each of [real, other])
      expect(await call(withPassword, method, each, example.body)).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
    expect((await stores.accounts.getAccount(accountId))?.plan).toBe('free');
  });

  test('is known to the dashboard', async () => {
    expect((await call(operator, 'GET', '/me')).body.operator).toBe(true);
    expect((await call(owner, 'GET', '/me')).body.operator).toBe(false);
  });

  test('sees how the installation is', async () => {
    const before = (await call(operator, 'GET', '/operator/installation')).body;
    expect(before).toMatchObject({ domainWork: { count: 0, since: null }, mail: null });
    // A domain that was changed just now is not late.
    await call(operator, 'PUT', customer('/plan'), { plan: 'pro' });
    const { projectId } = (await call(owner, 'POST', `/accounts/${accountId}/projects`, { name: 'Site' })).body;
    const { domainId } = (await call(owner, 'POST', `/projects/${projectId}/domains`, { host: `www.new-${made}.test` })).body;
    await call(owner, 'POST', `/projects/${projectId}/domains/${domainId}/verify`);
    expect((await call(operator, 'GET', '/operator/installation')).body.domainWork.count).toBe(0);
    expect(before.checks).toContainEqual({ name: 'storage', state: 'ok', reason: null });
    await call(owner, 'PUT', `/accounts/${accountId}/plan-request`, { plan: 'business', note: 'Spring' });
    await call(operator, 'PUT', customer('/suspension'), { reason: 'unpaid' });
    const after = (await call(operator, 'GET', '/operator/installation')).body;
    expect(after.accounts.planRequests).toBe(before.accounts.planRequests + 1);
    expect(after.accounts.suspended).toBe(before.accounts.suspended + 1);
    expect(after.accounts.all).toBe(before.accounts.all);
  });

  test('finds an account by name, id, address of a member and domain', async () => {
    const project = (await call(owner, 'POST', `/accounts/${accountId}/projects`, { name: 'Site' })).body;
    await call(operator, 'PUT', customer('/plan'), { plan: 'pro' });
    await call(owner, 'POST', `/projects/${project.projectId}/domains`, { host: `www.found-${made}.test` });
    const found = async (query: string) =>
      (await call(operator, 'GET', `/operator/accounts?${query}`)).body.map((each: { accountId: string }) => each.accountId);
    for (const search of [`shop ${made} OF`, accountId, project.projectId, `www.Found-${made}.test`, `https://www.found-${made}.test./`])
      expect(await found(`search=${encodeURIComponent(search)}`)).toEqual([accountId]);
    expect(await found('search=OWNER@petstore.test')).toContain(accountId);
    expect(await found('search=OPERATOR@petstore.test')).toEqual([OPERATORS_OWN.id]);
    expect(await found('search=none-such')).toEqual([]);
    expect(await found('only=suspended')).not.toContain(accountId);
    const { body, headers } = await call(operator, 'GET', '/operator/accounts?limit=1');
    expect(body).toHaveLength(1);
    const next = new URL(headers.get('link')?.slice(1, headers.get('link')?.indexOf('>')) ?? '', host.url);
    expect((await call(operator, 'GET', next.pathname.replace('/dashboard/v1', '') + next.search)).body[0].accountId).not.toBe(body[0].accountId);
    expect((await call(operator, 'GET', customer('/contents'))).body).toMatchObject({
      members: [{ userId: 'usr_owner', email: 'owner@petstore.test', role: 'owner' }],
      projects: 1,
      keys: 0,
      domains: [{ host: `www.found-${made}.test`, state: 'awaiting_dns' }],
    });
  });

  test('changes a plan, and is told what a plan needs', async () => {
    expect((await call(operator, 'PUT', customer('/plan'), { plan: 'enterprise' })).body).toMatchObject({
      code: 'invalid_request',
      message: 'plan enterprise needs both limits, per minute and per day',
    });
    const agreed = { plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 };
    expect((await call(operator, 'PUT', customer('/plan'), agreed)).body).toMatchObject({ plan: 'enterprise', limits: { perMinute: 5_000 } });
    expect((await call(operator, 'PUT', '/operator/accounts/acc_Nobody0000/plan', { plan: 'pro' })).body).toMatchObject({ code: 'not_found' });
  });

  test('does not overwrite what another operator has changed', async () => {
    const etag = (await call(operator, 'GET', customer())).headers.get('etag') ?? '';
    expect((await call(operator, 'PUT', customer('/plan'), { plan: 'pro' }, { 'if-match': etag })).status).toBe(200);
    expect((await call(operator, 'PUT', customer('/suspension'), { reason: 'unpaid' }, { 'if-match': etag })).status).toBe(412);
  });

  test('decides a request once, and the owner sees it', async () => {
    let requestedAt = new Date().toISOString();
    const decide = (body: object) => call(operator, 'POST', customer('/plan-request/decision'), { requestedAt, ...body });
    expect((await decide({ approved: true })).body).toMatchObject({ code: 'conflict' });
    const ask = async (plan: string) => (await call(owner, 'PUT', `/accounts/${accountId}/plan-request`, { plan })).body.planRequest.requestedAt;
    requestedAt = await ask('pro');
    // Its owner asks again, after the operator has read it.
    while ((await ask('business')) === requestedAt);
    expect((await decide({ approved: true })).body).toMatchObject({ code: 'conflict', message: expect.stringContaining('for plan business') });
    expect((await call(owner, 'GET', `/accounts/${accountId}`)).body.plan).toBe('free');
    requestedAt = (await call(operator, 'GET', customer())).body.planRequest.requestedAt;
    expect((await call(operator, 'GET', '/operator/accounts?only=plan_request')).body.map((each: { accountId: string }) => each.accountId)).toContain(
      accountId,
    );
    expect((await decide({ approved: true, reason: 'Welcome' })).body).toMatchObject({
      plan: 'business',
      planRequest: { decision: { approved: true } },
    });
    expect((await decide({ approved: false })).body).toMatchObject({ code: 'conflict' });
    expect((await call(owner, 'GET', `/accounts/${accountId}`)).body).toMatchObject({
      plan: 'business',
      planRequest: { decision: { approved: true, reason: 'Welcome' } },
    });
  });

  test('suspends and resumes; owners see that the operator did, and operators who', async () => {
    const { key } = (await call(owner, 'POST', `/accounts/${accountId}/keys`, { name: 'Till' })).body;
    const status = async () => (await fetch(`${host.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status()).toBe(200);
    expect((await call(operator, 'PUT', customer('/suspension'), { reason: ' ' })).body).toMatchObject({ code: 'invalid_request' });
    expect((await call(operator, 'PUT', customer('/suspension'), { reason: 'unpaid since May' })).body.suspension).toMatchObject({
      reason: 'unpaid since May',
    });
    expect(await status()).toBe(403);
    expect((await call(operator, 'DELETE', customer('/suspension'))).body.suspension).toBeNull();
    expect(await status()).toBe(200);
    const log = (await call(owner, 'GET', `/accounts/${accountId}/audit`)).body;
    const byOperator = log.filter((each: { actor: { kind: string } }) => each.actor.kind === 'operator');
    expect(byOperator.map((each: { action: string }) => each.action)).toEqual(['account.resumed', 'account.suspended']);
    for (const { actor } of byOperator) expect(actor).toEqual({ kind: 'operator', id: null, email: null, address: null });
    const page = await stores.audit.entries({ accountId }, 10);
    expect(page.items.filter(({ actor }) => actor.kind === 'operator')).toMatchObject([
      { actor: { id: 'usr_operator' } },
      { actor: { id: 'usr_operator' } },
    ]);
  });

  test('sees domains in trouble, and whose they are', async () => {
    await call(operator, 'PUT', customer('/plan'), { plan: 'pro' });
    const { projectId } = (await call(owner, 'POST', `/accounts/${accountId}/projects`, { name: 'Site' })).body;
    const add = async (name: string) =>
      (await call(owner, 'POST', `/projects/${projectId}/domains`, { host: `www.${name}-${made}.test` })).body.domainId;
    await add('waits');
    const bad: Domain = (await stores.domains.getDomain(await add('bad'))) as Domain;
    const at = Date.now();
    const state = { name: 'certificate_failed', since: at, failure: 'name_refused', detail: 'policy', checks: 0, nextCheckAt: at + 9e6 } as const;
    expect(await stores.domains.saveDomain({ ...bad, state } as unknown as Domain, bad)).toBe('saved');
    const { body, headers } = await call(operator, 'GET', '/operator/domains');
    expect(body).toMatchObject([{ host: bad.host, state: 'certificate_failed', accountId, accountName: `Shop ${made} of Ana`, projectName: 'Site' }]);
    expect(headers.get('link')).toBeNull();
    expect((await call(operator, 'GET', '/operator/domains?cursor=1')).body).toMatchObject({ code: 'invalid_request' });
    expect((await call(operator, 'GET', '/operator/domains?cursor=9999999999999%20dom_x')).body).toEqual([]);
  });
});
