// An account that requires a second factor of its members, over HTTP, at the embedded OpenID provider.

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS } from '../../service/control/operations.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { declaredResponses } from '../support/declared-responses.ts';
import { makeFolder } from '../support/folders.ts';
import { exchange, signIn, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;
/** Tokens of the same owner. */
let [withPassword, withFactor] = ['', ''];
let account = '';
const ids: Record<string, string> = {};

beforeAll(async () => {
  host = await startControlHost(folder.path);
  const { email = '', password = '' } = host.demo ?? {};
  const tokens = await signIn(host.url, email, password);
  withPassword = tokens.access_token;
  withFactor = await confirmed(tokens);
  ids.accountId = (await call(withPassword, 'GET', '/accounts')).body[0].accountId;
  account = `/accounts/${ids.accountId}`;
  ids.projectId = (await call(withPassword, 'POST', `${account}/projects`, { name: 'Shop' })).body.projectId;
});
afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

/** Renews a session as if it had begun with an authenticator app, too. */
async function confirmed({ refresh_token }: Tokens): Promise<string> {
  const { database, close } = openSqliteStores(folder.path);
  database.exec(`UPDATE oidc SET payload = json_set(payload, '$.amr', json('["pwd","otp","mfa"]')) WHERE model = 'RefreshToken'`);
  close();
  return (await exchange(host.url, { grant_type: 'refresh_token', refresh_token })).access_token;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  readonly body: any;
}

async function call(token: string, method: string, path: string, body?: unknown, prefix = '/dashboard/v1'): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${host.url}${prefix}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}
const require = (token: string, required: boolean) => call(token, 'PUT', `${account}/second-factor`, { required });
const REFUSED = { status: 403, body: { code: 'second_factor_required' } };

test('tokens say how their user has signed in', async () => {
  expect([decodeJwt(withPassword).amr, decodeJwt(withFactor).amr]).toEqual([['pwd'], ['pwd', 'otp', 'mfa']]);
  const me = async (token: string) => (await call(token, 'GET', '/me')).body.secondFactor;
  expect([await me(withPassword), await me(withFactor)]).toEqual([false, true]);
});

test('an owner requires it with a sign-in that had one, and is not the first who is locked out', async () => {
  expect(await require(withPassword, true)).toMatchObject(REFUSED);
  expect((await call(withPassword, 'GET', account)).body.secondFactorRequired).toBe(false);
  const key = (await call(withPassword, 'POST', `${account}/keys`, { name: 'Till' })).body.key;
  const deployToken = (await call(withPassword, 'POST', `/projects/${ids.projectId}/deploy-tokens`, { name: 'CI' })).body.token;
  const record = { name: 'www.factor.test', type: 'A', value: '192.0.2.1' };
  try {
    expect(await require(withFactor, true)).toMatchObject({ status: 200, body: { accountId: ids.accountId, secondFactorRequired: true } });
    expect(await call(withPassword, 'GET', account)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/requires a second factor from its members; set one up under "Sign-in and security" .* sign in again/) },
    });
    expect((await call(withFactor, 'GET', account)).status).toBe(200);
    // Members see which account it is.
    expect((await call(withPassword, 'GET', '/accounts')).body).toMatchObject([{ accountId: ids.accountId, secondFactorRequired: true }]);
    expect((await call(withPassword, 'GET', '/me')).status).toBe(200);
    expect(await call(withPassword, 'PUT', '/sandbox/records', record)).toMatchObject(REFUSED);
    expect(await call(withPassword, 'PUT', `/projects/${ids.projectId}/uploads/dpl_h4Tz9Gm1Sf/files/0`, 1)).toMatchObject(REFUSED);
    expect(await require(withPassword, false)).toMatchObject(REFUSED);
    // Programs have no second factor.
    expect((await call(key, 'GET', '/pets', undefined, '/v1')).status).toBe(200);
    expect((await call(deployToken, 'GET', `/projects/${ids.projectId}`, undefined, '/deploy/v1')).status).toBe(200);
  } finally {
    expect((await require(withFactor, false)).body.secondFactorRequired).toBe(false);
  }
  expect((await call(withPassword, 'GET', account)).status).toBe(200);
  const log: { action: string }[] = (await call(withFactor, 'GET', `${account}/audit`)).body;
  const actions = log
    .map(({ action }) => action)
    .filter((action) => action.startsWith('account.second'))
    .slice(0, 2);
  expect(actions).toEqual(['account.second_factor_optional', 'account.second_factor_required']);
});

const NAMING = Object.entries<ControlRow>(CONTROL_OPERATIONS).filter(([, { path, operator }]) => path.includes('{') && operator !== true);

test.each(NAMING)('%s needs it', async (_id, { method, path, example }) => {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `${name}_1`);
  const { close, accounts } = openSqliteStores(folder.path);
  await accounts.setSecondFactor(ids.accountId ?? '', true);
  try {
    expect(await call(withPassword, method, named, example.body)).toMatchObject(REFUSED);
  } finally {
    await accounts.setSecondFactor(ids.accountId ?? '', false);
    close();
  }
  const document = controlOpenApi() as { paths: Record<string, Record<string, { responses: object }>> };
  const declared = declaredResponses(document, document.paths[path]?.[method.toLowerCase()] ?? { responses: {} });
  expect(declared[403]?.description).toContain('second_factor_required');
});
