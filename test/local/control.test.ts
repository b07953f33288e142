// The control API as the dashboard uses it: signed in at the embedded OpenID provider, over HTTP.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteSandboxRecords } from '../../adapters/dns/sandbox.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { digestOf } from '../../core/access/api-key.ts';
import { NOTIFICATION_KINDS } from '../../core/notifications/notification.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS, type ControlOperationId } from '../../service/control/operations.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { undeclaredHeaders } from '../support/declared-headers.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { Browser, exchange, openSignIn, signIn, submit, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
let server: ControlHost;
let demo: { email: string; password: string; tokens: Tokens };
let other: Tokens;
let third: Tokens;
let demoKey = '';

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  body: any;
  headers: Headers;
}

async function call(tokens: Tokens | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${server.url}/dashboard/v1${path}`, {
    method,
    headers: {
      ...(tokens !== undefined && { authorization: `Bearer ${tokens.access_token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(undeclaredHeaders(controlOpenApi(), method, path, response.status, response.headers.keys()) ?? []).toEqual([]);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

beforeAll(async () => {
  server = await startControlHost(folder.path);
  const { email = '', password = '', key = '' } = server.demo ?? {};
  demoKey = key;
  const stores = openSqliteStores(folder.path);
  for (const name of ['other', 'third'])
    await createSqliteUserStore(stores.database).add({ id: `usr_${name}`, email: `${name}@petstore.test` }, `${name} password`);
  stores.close();
  demo = { email, password, tokens: await signIn(server.url, email, password) };
  other = await signIn(server.url, 'other@petstore.test', 'other password');
  third = await signIn(server.url, 'third@petstore.test', 'third password');
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server.stop();
  folder.remove();
});

describe('signing in', () => {
  test('a wrong password is refused, and five failures slow the name down', async () => {
    const browser = new Browser();
    const { page } = await openSignIn(browser, server.url);
    const { headers } = await browser.fetch(page);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    for (let times = 0; times < 5; times += 1) {
      const refused = await submit(browser, page, 'victim@petstore.test', `guess ${times}`);
      expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('role="alert"')]);
    }
    const barred = await submit(browser, page, 'VICTIM@petstore.test', 'guess');
    const seconds = Number(barred.headers.get('retry-after'));
    // The time since the last failure counts, and a busy machine may take some of it.
    expect([barred.status, seconds]).toEqual([429, expect.toSatisfy((left: number) => left > 0 && left <= 60)]);
    const wait = seconds === 60 ? '1 minute' : `${seconds} second${seconds === 1 ? '' : 's'}`;
    expect(await barred.text()).toContain(`Try again in ${wait}.</span>`);
    // Other names are not slowed down.
    expect((await submit(browser, page, demo.email, demo.password)).status).toBe(303);
  });

  test('form input is shown again as text, never as markup', async () => {
    const browser = new Browser();
    const { page } = await openSignIn(browser, server.url);
    const answer = await (await submit(browser, page, '"><script>alert(1)</script>@x.y', 'x')).text();
    expect(answer).not.toContain('<script>alert');
  });

  test('the session continues with its refresh tokens, each of which works once', async () => {
    const tokens = await signIn(server.url, demo.email, demo.password);
    const next = await exchange(server.url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    expect((await call(next, 'GET', '/me')).status).toBe(200);
    await expect(exchange(server.url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).rejects.toThrow('invalid_grant');
  });

  test('a session survives a restart', async () => {
    const { port } = new URL(server.url);
    await server.stop();
    server = await startControlHost(folder.path, Number(port));
    // The first attempt may use a connection of the stopped service.
    await expect.poll(() => call(demo.tokens, 'GET', '/me').catch(() => undefined)).toMatchObject({ status: 200 });
    demo.tokens = await exchange(server.url, { grant_type: 'refresh_token', refresh_token: demo.tokens.refresh_token });
  });

  test.each([
    ['a missing token', undefined],
    ['junk', 'junk'],
    ['an ID token', 'id'],
  ])('%s is refused as an access token', async (_, kind) => {
    const token = kind === 'id' ? demo.tokens.id_token : kind;
    const answer = await call(token === undefined ? undefined : ({ access_token: token } as Tokens), 'GET', '/me');
    const message = expect.stringMatching(token === undefined ? /^no access token; sign in/ : /^the access token is invalid/);
    expect([answer.status, answer.body]).toEqual([401, { code: 'unauthorized', message, status: 401 }]);
    expect(answer.headers.get('www-authenticate')).toBe(token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  });

  test('an altered token or an API key is refused', async () => {
    const [head, payload = '', signature] = demo.tokens.access_token.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'usr_other' };
    const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    expect((await call({ ...demo.tokens, access_token: forged }, 'GET', '/me')).status).toBe(401);
    expect((await call({ ...demo.tokens, access_token: demoKey }, 'GET', '/me')).status).toBe(401);
  });
});

describe('control API', () => {
  test('supports every step from an account to a live domain and its removal', async () => {
    const me = await call(demo.tokens, 'GET', '/me');
    expect(me.body).toMatchObject({
      email: demo.email,
      accounts: [{ name: 'Demo', plan: 'pro' }],
      platform: { sandboxSuffix: 'test', httpsPort: expect.any(Number) },
    });
    expect(me.headers.get('cache-control')).toBe('no-store');
    const { accountId } = me.body.accounts[0];
    const project = (await call(demo.tokens, 'POST', `/accounts/${accountId}/projects`, { name: 'Shop' })).body;
    expect(project).toMatchObject({ accountId, name: 'Shop', deploymentId: expect.stringMatching(/^dpl_/) });
    expect((await call(demo.tokens, 'GET', `/accounts/${accountId}/projects`)).body).toContainEqual(project);
    expect((await call(demo.tokens, 'GET', `/projects/${project.projectId}`)).body).toEqual(project);

    const host = 'www.control.test';
    const domains = `/projects/${project.projectId}/domains`;
    const added = await call(demo.tokens, 'POST', domains, { host });
    expect([added.status, added.body.records]).toEqual([201, [{ type: 'CNAME', name: host, label: 'www', value: project.target, ttl: 3_600 }]]);
    const domain = `${domains}/${added.body.domainId}`;
    expect((await call(demo.tokens, 'POST', `${domain}/verify`)).body).toMatchObject({ state: 'verifying' });
    await expect.poll(async () => (await call(demo.tokens, 'GET', domain)).body.diagnosis).toMatchObject({ code: 'not_found' });
    expect((await call(demo.tokens, 'POST', `${domain}/publish`)).status).toBe(200);
    expect((await call(demo.tokens, 'GET', '/sandbox/records')).body).toEqual([{ name: host, type: 'CNAME', value: project.target, ttl: 3_600 }]);
    await call(demo.tokens, 'POST', `${domain}/verify`);
    await expect.poll(async () => (await call(demo.tokens, 'GET', domain)).body.state).toBe('live');
    const { history } = (await call(demo.tokens, 'GET', domain)).body;
    expect(history.map(({ state }: { state: string }) => state)).toEqual([
      'awaiting_dns',
      'verifying',
      'verifying',
      'verified',
      'certificate_pending',
      'attaching',
      'live',
    ]);

    const configuration = { domains: { primary: host, redirects: [] }, logs: { access: true } };
    expect((await call(demo.tokens, 'PUT', `/projects/${project.projectId}/configuration`, configuration)).body).toEqual(configuration);
    expect((await call(demo.tokens, 'GET', `/projects/${project.projectId}/configuration`)).body).toEqual(configuration);
    const inUse = await call(demo.tokens, 'DELETE', domain);
    expect([inUse.status, inUse.body.message]).toEqual([409, expect.stringMatching(/is in use: it is the primary domain; change these settings/)]);
    expect((await call(demo.tokens, 'DELETE', `${domain}?withRedirects=true`)).body.state).toBe('removing');
    // For the email: who did it, and no records, because ours are removed with it.
    const stores = openSqliteStores(folder.path);
    const { removal } = (await stores.domains.getDomain(added.body.domainId)) ?? {};
    await stores.close();
    expect(removal).toEqual({ by: me.body.userId, records: [] });
    expect((await call(demo.tokens, 'GET', `/projects/${project.projectId}/configuration`)).body).toEqual({
      domains: { redirects: [] },
      logs: { access: true },
    });
    await expect.poll(async () => (await call(demo.tokens, 'GET', domains)).body).toEqual([]);
    expect((await call(demo.tokens, 'GET', domain)).status).toBe(404);
  });

  test('lists deployments, and makes an earlier one current again', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const { projectId, deploymentId: first } = (await call(demo.tokens, 'POST', `/accounts/${accountId}/projects`, { name: 'Deployed' })).body;
    expect((await call(demo.tokens, 'POST', `/projects/${projectId}/rollback`, {})).body).toMatchObject({ code: 'conflict', status: 409 });
    const second = await runCliJson<{ deploymentId: string }>(folder.path, ['projects', 'deploy', projectId, 'docs/decisions']);
    const deployments = (await call(demo.tokens, 'GET', `/projects/${projectId}/deployments`)).body;
    expect(deployments).toMatchObject([
      { deploymentId: second.deploymentId, current: true },
      { deploymentId: first, current: false },
    ]);
    expect((await call(demo.tokens, 'POST', `/projects/${projectId}/rollback`, {})).body.deploymentId).toBe(first);
    expect((await call(demo.tokens, 'POST', `/projects/${projectId}/rollback`, { deploymentId: second.deploymentId })).body.deploymentId).toBe(
      second.deploymentId,
    );
    const of = (deploymentId: string) => `/projects/${projectId}/deployments/${deploymentId}`;
    expect((await call(demo.tokens, 'PUT', `${of(first)}/pin`)).body).toMatchObject({ deploymentId: first, current: false, pinned: true });
    expect((await call(demo.tokens, 'DELETE', of(first))).body).toMatchObject({ status: 409, message: expect.stringContaining('is pinned') });
    expect(await runCliJson(folder.path, ['projects', 'unpin', projectId, first])).toMatchObject({ deploymentId: first, pinned: false });
    expect(await runCliJson(folder.path, ['projects', 'pin', projectId, first])).toMatchObject({ deploymentId: first, pinned: true });
    expect((await call(demo.tokens, 'DELETE', `${of(first)}/pin`)).body).toMatchObject({ pinned: false });
    expect((await call(demo.tokens, 'DELETE', of(second.deploymentId))).body).toMatchObject({
      status: 409,
      message: expect.stringContaining('is the current'),
    });
    expect((await call(demo.tokens, 'DELETE', of(first))).status).toBe(200);
  });

  test('issues keys once, rotates them with a grace period and revokes them at once; reading usage does not count as a request', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const keys = `/accounts/${accountId}/keys`;
    const issued = await call(demo.tokens, 'POST', keys, { name: 'Till', scopes: ['pets:read'], expiresInDays: 30 });
    expect([issued.status, issued.body]).toEqual([
      201,
      expect.objectContaining({ name: 'Till', scopes: ['pets:read'], state: 'active', key: expect.stringMatching(/^petstore_test_/) }),
    ]);
    const ask = async (key: string) => (await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
    const usedBefore = (await call(demo.tokens, 'GET', `/accounts/${accountId}/usage`)).body.day.used;
    expect(await ask(issued.body.key)).toBe(200);
    expect((await call(demo.tokens, 'GET', `/accounts/${accountId}/usage`)).body).toMatchObject({
      plan: 'pro',
      day: { used: usedBefore + 1, limit: 10_000 },
      bans: [],
      history: { minutes: expect.any(Array), days: expect.any(Array) },
    });
    const [{ lastUsedAt }] = (await call(demo.tokens, 'GET', keys)).body.filter(({ keyId }: { keyId: string }) => keyId === issued.body.keyId);
    expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(120_000);

    const rotated = await call(demo.tokens, 'POST', `${keys}/${issued.body.keyId}/rotate`, { graceSeconds: 3_600 });
    expect(rotated.body).toMatchObject({ oldKeyId: issued.body.keyId, scopes: ['pets:read'], name: 'Till' });
    expect([await ask(issued.body.key), await ask(rotated.body.key)]).toEqual([200, 200]);
    expect((await call(demo.tokens, 'DELETE', `${keys}/${issued.body.keyId}`)).body).toEqual({ done: true });
    expect([await ask(issued.body.key), await ask(rotated.body.key)]).toEqual([401, 200]);
    expect((await call(demo.tokens, 'DELETE', `${keys}/${issued.body.keyId}`)).status).toBe(404);
    expect((await call(demo.tokens, 'POST', `${keys}/${issued.body.keyId}/rotate`, {})).status).toBe(404);
    const listed = (await call(demo.tokens, 'GET', keys)).body;
    expect(listed.map(({ keyId }: { keyId: string }) => keyId)).toContain(rotated.body.keyId);
    expect(JSON.stringify(listed)).not.toMatch(/petstore_test_[0-9A-Za-z]{5}/);
    const me = expect.objectContaining({ userId: expect.stringMatching(/^usr_/), email: expect.stringContaining('@') });
    const hintOf = (key: string) => `${key.slice(0, 18)}…${key.slice(-4)}`;
    expect(listed.find(({ keyId }: { keyId: string }) => keyId === rotated.body.keyId)).toMatchObject({
      hint: hintOf(rotated.body.key),
      createdBy: me,
    });
    const revoked = await call(demo.tokens, 'GET', `/accounts/${accountId}/revoked-keys`);
    const { keyId, hint } = issued.body;
    expect(revoked.body).toEqual([
      expect.objectContaining({ keyId, name: 'Till', hint, createdBy: me, lastUsedAt, revokedAt: expect.any(String), revokedBy: me }),
    ]);
    expect(hint).toBe(hintOf(issued.body.key));
    expect(JSON.stringify(revoked.body)).not.toMatch(/petstore_test_[0-9A-Za-z]{5}|digest/);
  });

  test('refuses too many verifications, and names the limit that was reached', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const project = (await call(demo.tokens, 'POST', `/accounts/${accountId}/projects`, { name: 'Clicks' })).body;
    const domains = `/projects/${project.projectId}/domains`;
    const { domainId } = (await call(demo.tokens, 'POST', domains, { host: 'www.clicks.test' })).body;
    const verify = () => call(demo.tokens, 'POST', `${domains}/${domainId}/verify`);
    for (let times = 0; times < 6; times += 1) expect((await verify()).status).toBe(200);
    const { status, headers, body } = await verify();
    expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([429, '6', '0']);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 60);
    expect(body.message).toMatch(/^www\.clicks\.test was verified 6 times within a minute/);
  });

  test('adds a domain with its companion, looks up who hosts the zone, and looks up at most 30 a minute', async () => {
    const { accountId } = (await call(third, 'POST', '/accounts', { name: 'Pairs' })).body;
    await runCliJson(folder.path, ['accounts', 'set-plan', accountId, '--plan', 'pro']);
    const project = (await call(third, 'POST', `/accounts/${accountId}/projects`, { name: 'Pairs' })).body;
    const domains = `/projects/${project.projectId}/domains`;
    const added = (await call(third, 'POST', domains, { host: 'pair.test', companion: true })).body;
    expect(added).toMatchObject({ companion: { host: 'www.pair.test' }, redirectTo: null, canPublish: true, provider: null, certificate: null });
    expect(Date.now() - Date.parse(added.dnsSeenAt)).toBeLessThan(60_000);
    expect((await call(third, 'GET', `${domains}/${added.companion.domainId}`)).body).toMatchObject({
      host: 'www.pair.test',
      companion: { domainId: added.domainId, host: 'pair.test' },
      redirectTo: 'pair.test',
      canPublish: true,
    });
    const seen: (string | null)[] = [];
    for (let n = 0; n < 32; n += 1) seen.push((await call(third, 'POST', domains, { host: `d${n}.many.test` })).body.dnsSeenAt);
    // The minute may end meanwhile, which allows more.
    expect(seen.slice(0, 29)).not.toContain(null);
    if (new Date(seen[0] ?? 0).getUTCMinutes() === new Date().getUTCMinutes()) expect(seen.slice(29)).toEqual([null, null, null]);
  });

  test('an account shows how many projects and custom domains it has, those that are suspended included', async () => {
    const { accountId } = (await call(third, 'POST', '/accounts', { name: 'Counted' })).body;
    const used = async () => (await call(third, 'GET', `/accounts/${accountId}`)).body.used;
    expect(await used()).toEqual({ projects: 0, domains: 0 });
    await runCliJson(folder.path, ['accounts', 'set-plan', accountId, '--plan', 'pro']);
    const [{ projectId }] = await Promise.all(
      ['One', 'Two'].map(async (name) => (await call(third, 'POST', `/accounts/${accountId}/projects`, { name })).body),
    );
    expect(await used()).toEqual({ projects: 2, domains: 0 });
    const { domainId } = (await call(third, 'POST', `/projects/${projectId}/domains`, { host: 'counted.test', companion: true })).body;
    expect(await used()).toEqual({ projects: 2, domains: 2 });
    await runCliJson(folder.path, ['accounts', 'set-plan', accountId, '--plan', 'free']);
    expect(await used()).toEqual({ projects: 2, domains: 2 });
    await call(third, 'DELETE', `/projects/${projectId}/domains/${domainId}`);
    await expect.poll(used).toEqual({ projects: 2, domains: 1 });
  });

  test('gives a sandbox name, and all names below it, to the account that set its first record', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const record = { name: 'www.owned.test', type: 'A', value: '192.0.2.1' };
    expect((await call(demo.tokens, 'PUT', '/sandbox/records', { ...record, accountId })).status).toBe(200);
    await call(third, 'POST', '/accounts', { name: 'Neighbor' });
    // Neither a record at the name itself nor the proof of a claim to it can be set.
    for (const name of ['www.owned.test', '_petstore.www.owned.test', 'owned.test', '*.owned.test'])
      expect((await call(third, 'PUT', '/sandbox/records', { ...record, name, type: 'TXT', value: 'x' })).body).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('owned.test belongs to another account'),
      });
    expect((await call(third, 'DELETE', `/sandbox/records?${new URLSearchParams(record)}`)).status).toBe(404);
    const seen = async (tokens: Tokens) => JSON.stringify((await call(tokens, 'GET', '/sandbox/records')).body);
    expect([(await seen(third)).includes('owned.test'), (await seen(demo.tokens)).includes('owned.test')]).toEqual([false, true]);
    expect((await call(third, 'PUT', '/sandbox/records', { ...record, name: 'www.disowned.test' })).status).toBe(200);
    expect((await call(third, 'PUT', '/sandbox/records', { ...record, name: 'www.disowned.test', accountId })).status).toBe(404);
    // A record that the operator sets at the name still belongs to the owner.
    await runCliJson(folder.path, ['sandbox-dns', 'set', 'www.owned.test', 'A', '192.0.2.9']);
    expect((await call(third, 'PUT', '/sandbox/records', { ...record, name: '_petstore.www.owned.test', type: 'TXT', value: 'x' })).status).toBe(409);
    expect((await call(demo.tokens, 'PUT', '/sandbox/records', { ...record, accountId })).status).toBe(200);
    expect((await call(demo.tokens, 'DELETE', `/sandbox/records?${new URLSearchParams(record)}`)).body).toEqual({ done: true });
  });

  test("limits the number of an account's sandbox records", async () => {
    const { accountId } = (await call(third, 'POST', '/accounts', { name: 'Many records' })).body;
    const stores = openSqliteStores(folder.path);
    const sandbox = createSqliteSandboxRecords(stores.database);
    for (let n = 0; n < 200; n += 1) await sandbox.set({ name: `n${n}.many.test`, type: 'A', value: '192.0.2.1', ttl: 60 }, false, accountId);
    const refused = await call(third, 'PUT', '/sandbox/records', { name: 'more.many.test', type: 'A', value: '192.0.2.1', accountId });
    expect(refused.body).toMatchObject({ code: 'conflict', message: expect.stringContaining('already has 200 records') });
    stores.database.exec("DELETE FROM sandbox_records WHERE name LIKE '%.many.test'");
    stores.close();
  });

  test('returns the same answer to a repeated creation with its Idempotency-Key, without a second key; a different request is refused', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const send = async (tokens: Tokens, name: string, idempotencyKey: string) => {
      const response = await fetch(`${server.url}/dashboard/v1/accounts/${accountId}/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ name }),
      });
      return { status: response.status, replayed: response.headers.get('idempotent-replayed'), body: (await response.json()) as { key: string } };
    };
    const key = 'b7a4c1f0-0001';
    const together = await Promise.all(Array.from({ length: 5 }, () => send(demo.tokens, 'Once', key)));
    expect(new Set(together.map(({ status }) => status))).toEqual(new Set([201, 409].slice(0, new Set(together.map(({ status }) => status)).size)));
    const first = together.find(({ status }) => status === 201);
    const again = await send(demo.tokens, 'Once', key);
    expect([again.status, again.replayed, again.body]).toEqual([201, 'true', first?.body]);
    expect(again.body.key).toMatch(/^petstore_test_/);
    const made = (await call(demo.tokens, 'GET', `/accounts/${accountId}/keys`)).body.filter(({ name }: { name: string }) => name === 'Once');
    expect(made).toHaveLength(1);
    expect((await send(demo.tokens, 'Twice', key)).body).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect((await send(demo.tokens, 'Once', 'a b')).body).toMatchObject({ code: 'invalid_request' });
    // Another user's idempotency key with the same text is separate; that user's request still gets a 404, and can be retried.
    expect([(await send(other, 'Once', key)).status, (await send(other, 'Once', key)).status]).toEqual([404, 404]);
    // A former member does not get the earlier answer again.
    await runCliJson(folder.path, ['accounts', 'add-member', accountId, 'third@petstore.test']);
    expect((await send(third, 'Once', 'by-third')).status).toBe(201);
    expect(await send(third, 'Once', 'by-third')).toMatchObject({ status: 201, replayed: 'true' });
    await runCliJson(folder.path, ['accounts', 'remove-member', accountId, 'usr_third']);
    expect((await send(third, 'Once', 'by-third')).status).toBe(404);
    // A key's text is stored nowhere, not even in the stored answer.
    const stores = openSqliteStores(folder.path);
    const rows = JSON.stringify(stores.database.prepare('SELECT * FROM answers').all());
    stores.close();
    expect([rows.includes('petstore_test_'), rows.includes(key), rows.length > 100]).toEqual([false, false, true]);
  });

  test('changes a key from its next request on: narrower scopes, and a pause, which the catalogue answers with its code', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const issued = (await call(demo.tokens, 'POST', `/accounts/${accountId}/keys`, { name: 'Till' })).body;
    const path = `/accounts/${accountId}/keys/${issued.keyId}`;
    const change = (body: object) => call(demo.tokens, 'PUT', path, body);
    const add = async () => {
      const headers = { authorization: `Bearer ${issued.key}`, 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: JSON.stringify({ name: 'Bella', categoryId: 7 }) });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    expect(await add()).toEqual([201, undefined]);
    expect(await change({ name: 'Counter', scopes: ['pets:read'], expiresInDays: 30 })).toMatchObject({
      status: 200,
      body: { keyId: issued.keyId, name: 'Counter', scopes: ['pets:read'], state: 'active', expiresAt: expect.any(String), pausedAt: null },
    });
    expect(await add()).toEqual([403, 'forbidden']);
    expect(await change({ scopes: ['pets:read', 'pets:write'], expiresInDays: null })).toMatchObject({ body: { name: 'Counter', expiresAt: null } });
    expect(await add()).toEqual([201, undefined]);
    expect(await change({ paused: true })).toMatchObject({ status: 200, body: { state: 'paused', pausedAt: expect.any(String) } });
    expect(await add()).toEqual([403, 'api_key_paused']);
    expect(await change({ paused: false })).toMatchObject({ status: 200, body: { state: 'active', pausedAt: null } });
    await expect.poll(add, { interval: 500 }).toEqual([201, undefined]);

    for (const body of [{}, { scopes: [] }, { expiresInDays: 0 }, { paused: 'yes' }, { key: 'x' }])
      expect([(await change(body)).body.code, body]).toEqual(['invalid_request', body]);
    expect((await change({})).body.message).toContain('at least one of name, scopes');
    expect((await call(other, 'PUT', path, { paused: true })).status).toBe(404);
  });

  test('shows a banned key as banned, and lets its account’s members lift the ban', async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const issued = (await call(demo.tokens, 'POST', `/accounts/${accountId}/keys`, { name: 'Loop' })).body;
    const stores = openSqliteStores(folder.path);
    const ban = { since: Date.now(), until: Date.now() + 300_000, level: 1 };
    await stores.usage.ban({ accountId, digest: digestOf(issued.key) }, ban);
    stores.close();
    const listed = async () =>
      (await call(demo.tokens, 'GET', `/accounts/${accountId}/keys`)).body.find(({ keyId }: { keyId: string }) => keyId === issued.keyId);
    expect(await listed()).toMatchObject({ state: 'banned', bannedUntil: new Date(ban.until).toISOString() });
    const unban = `/accounts/${accountId}/keys/${issued.keyId}/unban`;
    expect((await call(other, 'POST', unban)).status).toBe(404);
    expect(await call(demo.tokens, 'POST', unban)).toMatchObject({ status: 200, body: { state: 'active', bannedUntil: null } });
    expect((await call(demo.tokens, 'POST', unban)).body).toMatchObject({ code: 'conflict', message: `key ${issued.keyId} is not banned` });
    expect((await listed()).state).toBe('active');
  });

  test('lets a user without an account create one on plan Free', async () => {
    expect((await call(other, 'GET', '/me')).body).toMatchObject({ accounts: [] });
    const made = await call(other, 'POST', '/accounts', { name: 'Corner shop' });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ plan: 'free', limits: { perMinute: 60, perDay: 1_000 } })]);
    const { projectId } = (await call(other, 'POST', `/accounts/${made.body.accountId}/projects`, { name: 'Corner' })).body;
    expect((await call(other, 'POST', `/projects/${projectId}/domains`, { host: 'www.corner.test' })).body).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('paid plan'),
    });
    for (let more = 0; more < 4; more += 1) expect((await call(other, 'POST', '/accounts', { name: `Shop ${more}` })).status).toBe(201);
    expect((await call(other, 'POST', '/accounts', { name: 'One too many' })).status).toBe(409);
  });

  test('lists and removes members of an account, but keeps the last owner', async () => {
    const made = await runCliJson<{ userId: string; password: string }>(folder.path, ['users', 'create', 'owner@petstore.test']);
    const { userId } = made;
    const owner = await signIn(server.url, 'owner@petstore.test', made.password);
    const { accountId } = (await call(owner, 'POST', '/accounts', { name: 'Two people' })).body;
    await runCliJson(folder.path, ['accounts', 'add-member', accountId, 'usr_third']);
    const both = [
      { userId, email: 'owner@petstore.test', role: 'owner' },
      { userId: 'usr_third', email: 'third@petstore.test', role: 'owner' },
    ];
    expect((await call(third, 'GET', `/accounts/${accountId}/members`)).body).toEqual(both.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)));
    expect((await call(other, 'DELETE', `/accounts/${accountId}/members/usr_third`)).status).toBe(404);
    expect((await call(third, 'DELETE', `/accounts/${accountId}/members/usr_nobody`)).body.code).toBe('not_found');
    expect((await call(owner, 'DELETE', `/accounts/${accountId}/members/usr_third`)).body).toEqual({ done: true });
    expect((await call(third, 'GET', `/accounts/${accountId}`)).status).toBe(404);
    const last = await call(owner, 'DELETE', `/accounts/${accountId}/members/${userId}`);
    expect([last.status, last.body.code]).toEqual([409, 'conflict']);
    expect((await call(owner, 'GET', `/accounts/${accountId}`)).status).toBe(200);
  });

  test('keeps which emails each user gets: all, until the user chooses', async () => {
    const all = [...NOTIFICATION_KINDS];
    const settings = async (tokens: Tokens) => (await call(tokens, 'GET', '/me/notifications')).body;
    expect(await settings(third)).toEqual({ sends: false, kinds: all });
    const chosen = await call(third, 'PUT', '/me/notifications', { kinds: ['key_banned', 'domain_lost', 'key_banned'] });
    expect(chosen).toMatchObject({ status: 200, body: { sends: false, kinds: ['domain_lost', 'key_banned'] } });
    expect([await settings(third), await settings(demo.tokens)]).toEqual([chosen.body, { sends: false, kinds: all }]);
    expect((await call(third, 'PUT', '/me/notifications', { kinds: [] })).body.kinds).toEqual([]);
    for (const body of [{}, { kinds: 'all' }, { kinds: ['spam'] }, { kinds: [...all, ...all] }, { kinds: [], user: 'usr_third' }])
      expect(await call(third, 'PUT', '/me/notifications', body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await call(third, 'PUT', '/me/notifications', { kinds: all })).body.kinds).toEqual(all);
    expect((await call(undefined, 'GET', '/me/notifications')).status).toBe(401);
  });

  test("ends all of a user's earlier tokens when the user signs out everywhere", async () => {
    const here = await signIn(server.url, 'other@petstore.test', 'other password');
    expect((await call(here, 'POST', '/me/sign-out')).body).toEqual({ done: true });
    for (const tokens of [here, other]) expect((await call(tokens, 'GET', '/me')).status).toBe(401);
    await expect(exchange(server.url, { grant_type: 'refresh_token', refresh_token: other.refresh_token })).rejects.toThrow('invalid_grant');
    expect((await call(demo.tokens, 'GET', '/me')).status).toBe(200);
    other = await signIn(server.url, 'other@petstore.test', 'other password');
  });

  test("treats names in the sandbox's own zone as belonging to no account", async () => {
    for (const name of ['edge.petstore.test', 'x.edge.petstore.test', 'www.petstore.test'])
      expect((await call(demo.tokens, 'PUT', '/sandbox/records', { name, type: 'A', value: '192.0.2.1' })).body).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('petstore.test and all names below it are reserved for the service'),
      });
  });

  test('refuses an API key, with a hint that it is an API key', async () => {
    const answer = await call({ access_token: demoKey } as Tokens, 'GET', '/me');
    expect([answer.status, answer.body.message]).toEqual([401, expect.stringContaining('this is an API key')]);
  });

  test('sets a sandbox record as a DNS provider would, and removes it', async () => {
    const record = { name: 'www.registrar.test', type: 'A', value: '192.0.2.1' };
    expect((await call(demo.tokens, 'PUT', '/sandbox/records', record)).body).toEqual({ ...record, ttl: 3_600 });
    expect((await call(demo.tokens, 'PUT', '/sandbox/records', { ...record, value: 'x' })).body).toMatchObject({ code: 'invalid_request' });
    expect((await call(demo.tokens, 'DELETE', `/sandbox/records?${new URLSearchParams(record)}`)).body).toEqual({ done: true });
    expect((await call(demo.tokens, 'DELETE', `/sandbox/records?${new URLSearchParams(record)}`)).status).toBe(404);
  });

  test.each([
    ['POST', '/accounts', { name: '' }, /name: got ""; allowed: 1 to 100 characters/],
    ['POST', '/accounts', { name: 'A', plan: 'pro' }, /plan/i],
    ['POST', '/accounts', { name: '\u0000' }, /name: got/],
    ['POST', '/accounts', 'text', /body/],
  ])('answers %s %s %j with a refusal', async (method, path, body, message) => {
    expect((await call(demo.tokens, method, path, body)).body).toMatchObject({
      code: 'invalid_request',
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  test('answers unknown paths with 404, and wrong methods with 405', async () => {
    expect((await call(demo.tokens, 'GET', '/nothing')).body).toMatchObject({ code: 'not_found' });
    const wrong = await call(demo.tokens, 'PATCH', '/me');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await fetch(`${server.url}/dashboard/v1/me`, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await call(demo.tokens, 'GET', '/me?x=1')).body).toMatchObject({ message: 'query parameter "x": not known; allowed: none' });
    const long = await fetch(`${server.url}/dashboard/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.tokens.access_token}`, 'content-type': 'application/json' },
      body: 'x'.repeat(70_000),
    });
    expect(long.status).toBe(413);
  });

  test('has a document that describes every operation', async () => {
    const { body } = await call(undefined, 'GET', '/openapi.json');
    const ids = Object.values(body.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(Object.keys(CONTROL_OPERATIONS).sort());
  });
});

describe('resources of another account', () => {
  const BODIES: Partial<Record<ControlOperationId, unknown>> = {
    renameAccount: { name: 'Thief' },
    requireSecondFactor: { required: true },
    issueKey: { name: 'Thief' },
    changeKey: { paused: true },
    rotateKey: {},
    createProject: { name: 'Thief' },
    renameProject: { name: 'Thief' },
    beginUpload: { files: [{ name: 'index.html', bytes: 1, sha256: '0'.repeat(64) }] },
    rollBack: {},
    changeMember: { role: 'member' },
    requestPlan: { plan: 'business' },
    inviteMember: { email: 'thief@petstore.test' },
    createDeployToken: { name: 'Thief' },
    putConfiguration: { domains: {} },
    addDomain: { host: 'www.thief.test' },
  };
  let ids: Record<string, string>;

  beforeAll(async () => {
    const { accountId } = (await call(demo.tokens, 'GET', '/accounts')).body[0];
    const { projectId } = (await call(demo.tokens, 'POST', `/accounts/${accountId}/projects`, { name: 'Mine' })).body;
    const { domainId } = (await call(demo.tokens, 'POST', `/projects/${projectId}/domains`, { host: 'www.mine.test' })).body;
    const { keyId } = (await call(demo.tokens, 'POST', `/accounts/${accountId}/keys`, { name: 'Mine' })).body;
    const { deploymentId } = (await call(demo.tokens, 'POST', `/projects/${projectId}/uploads`, BODIES.beginUpload)).body;
    const { tokenId } = (await call(demo.tokens, 'POST', `/projects/${projectId}/deploy-tokens`, { name: 'Mine' })).body;
    const { userId } = (await call(demo.tokens, 'GET', '/me')).body;
    const { invitationId } = (await call(demo.tokens, 'POST', `/accounts/${accountId}/invitations`, { email: 'ben@petstore.test' })).body;
    ids = { accountId, invitationId, projectId, deploymentId, tokenId, domainId, keyId, userId };
  });

  const owned = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][]).filter(
    ([, { path, operator }]) => path.includes('{') && operator !== true,
  );

  test('are tested for every operation with a parameter', () => {
    expect(owned.length).toBeGreaterThan(15);
  });

  test.each(owned)('are not found: %s', async (id, { method, path }) => {
    const real = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');
    const theirs = await call(other, method, real, BODIES[id]);
    expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found']);
    const unknown = await call(demo.tokens, method, path.replace(/\{(\w+)\}/g, 'nobody'), BODIES[id]);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });

  test("are not found even when addressed under one's own project or account", async () => {
    const { accountId } = (await call(third, 'POST', '/accounts', { name: 'Theirs' })).body;
    const { projectId } = (await call(third, 'POST', `/accounts/${accountId}/projects`, { name: 'Theirs' })).body;
    expect((await call(third, 'GET', `/projects/${projectId}/domains/${ids.domainId}`)).status).toBe(404);
    expect((await call(third, 'DELETE', `/accounts/${accountId}/keys/${ids.keyId}`)).status).toBe(404);
    expect((await call(third, 'DELETE', `/accounts/${accountId}/invitations/${ids.invitationId}`)).status).toBe(404);
    // The owner has used it, so that it is in memory.
    expect((await call(demo.tokens, 'GET', `/projects/${ids.projectId}/uploads/${ids.deploymentId}`)).status).toBe(200);
    const upload = `/projects/${projectId}/uploads/${ids.deploymentId}`;
    expect((await call(third, 'GET', upload)).status).toBe(404);
    expect((await call(third, 'POST', `${upload}/publish`)).status).toBe(404);
    expect((await call(third, 'DELETE', upload)).status).toBe(404);
  });
});
