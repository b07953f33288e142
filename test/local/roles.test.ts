// Who may do what: every operation of the control API, as an owner, as a member, as a stranger, and with deploy tokens.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { newAccountId, OPERATOR } from '../../core/access/account.ts';
import { generateInvitationToken, newInvitationId } from '../../core/access/invitation.ts';
import type { Role } from '../../core/access/plans.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS, type ControlOperationId } from '../../service/control/operations.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { EXPECTED } from '../support/control-operations.ts';
import { declaredResponses } from '../support/declared-responses.ts';
import { makeFolder } from '../support/folders.ts';
import { signIn } from '../support/sign-in.ts';

/** What a deploy token may do, with its own project. */
const BY_TOKEN: readonly ControlOperationId[] = [
  'getProject',
  'listDeployments',
  'rollBack',
  'beginUpload',
  'listUploadTargets',
  'cancelUpload',
  'publishUpload',
];

const ALL = Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][];
/** Operators have tests of their own: operator.test.ts. */
const NAMING = ALL.filter(([, { path, operator }]) => path.includes('{') && operator !== true);

const folder = makeFolder();
let server: ControlHost;
let stores: ReturnType<typeof openSqliteStores>;
let hosts = 0;
/** Worlds that nothing changes: a user may make 600 requests a minute. */
let [shared, neighbor] = [
  { ids: {} as Record<string, string>, token: '' },
  { ids: {} as Record<string, string>, token: '' },
];
let suspended = shared;
const bearers = { owner: '', second: '', member: '', stranger: '' };

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  readonly body: any;
}

async function call(bearer: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** An account with two owners, a member and one of each thing. */
async function makeWorld() {
  const accountId = newAccountId(randomBytes);
  const limits = { perMinute: 300, perDay: 10_000 };
  await stores.accounts.createAccount({ id: accountId, name: 'Shop', plan: 'pro', limits, createdAt: Date.now() });
  for (const [name, role] of [
    ['owner', 'owner'],
    ['second', 'owner'],
    ['member', 'member'],
  ] as const)
    await stores.members.addMember(accountId, `usr_${name}`, role);
  const make = async (path: string, body: unknown) => (await call(bearers.owner, 'POST', `/dashboard/v1${path}`, body)).body;
  const { projectId, deploymentId: current } = await make(`/accounts/${accountId}/projects`, { name: 'Shop' });
  hosts += 1;
  await stores.accounts.setPlanRequest(accountId, { plan: 'business', note: '', requestedBy: 'usr_owner', requestedAt: Date.now() });
  const { domainId } = await make(`/projects/${projectId}/domains`, { host: `www.world-${hosts}.test` });
  const { keyId } = await make(`/accounts/${accountId}/keys`, { name: 'Till' });
  const { deploymentId } = await make(`/projects/${projectId}/uploads`, EXPECTED.beginUpload.body);
  const { tokenId, token } = await make(`/projects/${projectId}/deploy-tokens`, { name: 'CI' });
  // The operator has no limit of invitations a day, and there are many worlds.
  const invitationId = newInvitationId(accountId, randomBytes);
  const { digest } = generateInvitationToken(invitationId, randomBytes);
  const now = Date.now();
  const invitation = { id: invitationId, accountId, email: 'ben@petstore.test', role: 'member', invitedBy: OPERATOR, mailed: false } as const;
  await stores.invitations.addInvitation({ ...invitation, digests: [digest], createdAt: now, expiresAt: now + DAY_MS }, { open: 1, perDay: 1 });
  return {
    ids: { accountId, invitationId, projectId, domainId, keyId, deploymentId, current, tokenId, userId: 'usr_second' } as Record<string, string>,
    token,
  };
}

/** Whether the OpenAPI document has the error among an operation's responses. */
function declares(id: ControlOperationId, status: number, code: string): boolean {
  const document = controlOpenApi() as { paths: Record<string, Record<string, DeclaredOperation>> };
  const operation = Object.values(document.paths)
    .flatMap(Object.values)
    .find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`${id} is not in the document`);
  return declaredResponses(document, operation)[status]?.content?.['application/json'].examples?.[code] !== undefined;
}

interface DeclaredOperation {
  readonly operationId: string;
  readonly responses: object;
}

const pathOf = (path: string, ids: Record<string, string>) => path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');

/** These take a deployment that is published; the others one that is not. */
const OF_PUBLISHED: readonly ControlOperationId[] = ['deleteDeployment', 'pinDeployment', 'unpinDeployment'];
const withDeployment = (id: ControlOperationId, ids: Record<string, string>) =>
  OF_PUBLISHED.includes(id) ? { ...ids, deploymentId: ids.current ?? '' } : ids;

beforeAll(async () => {
  server = await startControlHost(folder.path);
  stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database);
  for (const name of ['owner', 'second', 'member', 'stranger'] as const) {
    await users.add({ id: `usr_${name}`, email: `${name}@petstore.test` }, `password of ${name}`);
    bearers[name] = (await signIn(server.url, `${name}@petstore.test`, `password of ${name}`)).access_token;
  }
  [shared, neighbor, suspended] = [await makeWorld(), await makeWorld(), await makeWorld()];
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  stores.close();
  await server.stop();
  folder.remove();
});

describe('roles', () => {
  test.each(NAMING)('%s is refused to members unless they may', async (id, { method, path }) => {
    const { ids } = await makeWorld();
    const real = `/dashboard/v1${pathOf(path, withDeployment(id, ids))}`;
    expect((await call(bearers.stranger, method, real, EXPECTED[id].body)).body).toMatchObject({ code: 'not_found', status: 404 });
    const asMember = await call(bearers.member, method, real, EXPECTED[id].body);
    if (EXPECTED[id].who === 'member') expect([403, 404, 401]).not.toContain(asMember.status);
    else expect(asMember.body).toMatchObject({ code: 'forbidden', status: 403, message: expect.stringMatching(/only an owner/) });
    // What a member was refused has not happened.
    if (EXPECTED[id].who !== 'member') expect([401, 403, 404]).not.toContain((await call(bearers.owner, method, real, EXPECTED[id].body)).status);
  });

  test.each(NAMING)('%s: a suspended account can be read, and taken apart', async (id, { method, path }) => {
    // Only what succeeds needs a world of its own.
    const { ids } = method === 'DELETE' ? await makeWorld() : suspended;
    const suspension = { since: Date.UTC(2026, 0, 2), reason: 'unpaid since May' };
    await stores.accounts.setSuspension(ids.accountId ?? '', suspension);
    const real = `/dashboard/v1${pathOf(path, withDeployment(id, ids))}`;
    const answer = await call(bearers.owner, method, real, EXPECTED[id].body);
    if (method === 'GET' || method === 'DELETE') expect([401, 403, 404]).not.toContain(answer.status);
    else
      expect(answer.body).toMatchObject({
        code: 'account_suspended',
        status: 403,
        message: `account ${ids.accountId} has been suspended since 2026-01-02: unpaid since May; contact the operator; until it is resumed, you can only view and delete`,
      });
    expect(declares(id, 403, 'account_suspended')).toBe(answer.body.code === 'account_suspended');
    expect((await call(bearers.stranger, method, real, EXPECTED[id].body)).body).toMatchObject({ code: 'not_found' });
  });

  test('nobody sets sandbox records for a suspended account', async () => {
    const { ids } = await makeWorld();
    const { accountId = '' } = ids;
    const record = { name: 'www.suspended.test', type: 'A', value: '192.0.2.1', accountId };
    await stores.accounts.setSuspension(accountId, { since: Date.now(), reason: 'unpaid' });
    const set = () => call(bearers.owner, 'PUT', '/dashboard/v1/sandbox/records', record);
    expect((await set()).body).toMatchObject({ code: 'account_suspended', status: 403 });
    expect(declares('setSandboxRecord', 403, 'account_suspended')).toBe(true);
    await stores.accounts.setSuspension(accountId, undefined);
    expect((await set()).status).toBe(200);
  });

  test('nobody joins a suspended account, or sends files to it', async () => {
    const { ids } = await makeWorld();
    const account = `/dashboard/v1/accounts/${ids.accountId}`;
    const { link } = (await call(bearers.owner, 'POST', `${account}/invitations`, { email: 'stranger@petstore.test', role: 'owner' })).body;
    const token = String(link).replace('/invitation#', '');
    await stores.accounts.setSuspension(ids.accountId ?? '', { since: Date.now(), reason: 'unpaid' });
    expect((await call(bearers.stranger, 'POST', '/dashboard/v1/invitations/accept', { token })).body).toMatchObject({
      code: 'account_suspended',
      message: expect.stringContaining('unpaid'),
    });
    expect(declares('acceptInvitation', 403, 'account_suspended')).toBe(true);
    expect((await call(bearers.stranger, 'GET', account)).status).toBe(404);
    const file = `${server.url}/dashboard/v1/projects/${ids.projectId}/uploads/${ids.deploymentId}/files/0`;
    const sent = await fetch(file, { method: 'PUT', headers: { authorization: `Bearer ${bearers.owner}` }, body: 'x' });
    expect([sent.status, await sent.json()]).toMatchObject([403, { code: 'account_suspended', message: expect.stringContaining('unpaid') }]);
    await stores.accounts.setSuspension(ids.accountId ?? '', undefined);
    expect((await call(bearers.stranger, 'POST', '/dashboard/v1/invitations/accept', { token })).body).toMatchObject({ role: 'owner' });
  });

  test('members leave; they cannot make themselves owners', async () => {
    const { ids } = await makeWorld();
    const me = `/dashboard/v1/accounts/${ids.accountId}/members/usr_member`;
    expect((await call(bearers.member, 'PUT', me, { role: 'owner' })).body).toMatchObject({ code: 'forbidden' });
    expect((await call(bearers.member, 'PUT', me, { role: 'chief' })).body).toMatchObject({ code: 'invalid_request' });
    expect((await call(bearers.member, 'DELETE', me)).body).toEqual({ done: true });
    expect((await call(bearers.member, 'GET', `/dashboard/v1/accounts/${ids.accountId}`)).status).toBe(404);
  });

  test('an account is handed over, and always keeps an owner', async () => {
    const { ids } = await makeWorld();
    const members = `/dashboard/v1/accounts/${ids.accountId}/members`;
    const roleOf = async () => (await call(bearers.owner, 'GET', `/dashboard/v1/accounts/${ids.accountId}`)).body.role as Role;
    expect((await call(bearers.owner, 'PUT', `${members}/usr_member`, { role: 'owner' })).body).toEqual({
      userId: 'usr_member',
      email: 'member@petstore.test',
      role: 'owner',
    });
    expect((await call(bearers.member, 'DELETE', `${members}/usr_second`)).status).toBe(200);
    expect((await call(bearers.owner, 'PUT', `${members}/usr_owner`, { role: 'member' })).status).toBe(200);
    expect(await roleOf()).toBe('member');
    expect((await call(bearers.member, 'PUT', `${members}/usr_member`, { role: 'member' })).body).toMatchObject({
      code: 'conflict',
      message: 'this is the only owner of the account; make another member an owner first',
    });
    expect((await call(bearers.member, 'DELETE', `${members}/usr_member`)).body).toMatchObject({ code: 'conflict' });
  });

  test('are shown with the accounts', async () => {
    const { ids } = await makeWorld();
    const roleFor = async (bearer: string) =>
      (await call(bearer, 'GET', '/dashboard/v1/accounts')).body.find(({ accountId }: { accountId: string }) => accountId === ids.accountId)?.role;
    expect([await roleFor(bearers.owner), await roleFor(bearers.member), await roleFor(bearers.stranger)]).toEqual(['owner', 'member', undefined]);
  });
});

describe('a deploy token', () => {
  test.each(NAMING)('%s: only for its own project, and only what publishing takes', async (id, { method, path }) => {
    // Only what succeeds needs a world of its own.
    const own = BY_TOKEN.includes(id) ? await makeWorld() : shared;
    const below = (prefix: string) => `${prefix}${pathOf(path, own.ids)}`;
    // Where users are served, no deploy token is.
    expect((await call(own.token, method, below('/dashboard/v1'), EXPECTED[id].body)).body).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('this is a deploy token; it works below /deploy/v1/ only'),
    });
    expect((await call(bearers.owner, method, below('/deploy/v1'), EXPECTED[id].body)).body).toMatchObject({ code: 'unauthorized' });
    expect((await call(undefined, method, below('/deploy/v1'), EXPECTED[id].body)).body).toMatchObject({ code: 'unauthorized' });
    expect((await call(neighbor.token, method, below('/deploy/v1'), EXPECTED[id].body)).body).toMatchObject({
      code: expect.stringMatching(/^(not_found|method_not_allowed)$/),
    });
    const answer = await call(own.token, method, below('/deploy/v1'), EXPECTED[id].body);
    if (BY_TOKEN.includes(id)) expect([401, 403, 404, 405]).not.toContain(answer.status);
    else expect([404, 405]).toContain(answer.status);
  });

  test.each(ALL.filter(([id]) => EXPECTED[id].who === 'signed in'))('%s is for users only', async (id, { method, path }) => {
    const { token } = shared;
    expect((await call(token, method, `/dashboard/v1${path}`, EXPECTED[id].body)).status).toBe(401);
    expect((await call(token, method, `/deploy/v1${path}`, EXPECTED[id].body)).body).toMatchObject({ code: 'not_found' });
  });

  test('publishes its project’s files, as a pipeline does, and its use is seen', async () => {
    const { ids, token } = await makeWorld();
    const uploads = `/deploy/v1/projects/${ids.projectId}/uploads`;
    const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
    const { deploymentId } = (await call(token, 'POST', uploads, { files: [{ name: 'index.html', bytes: 5, sha256 }] })).body;
    const [target] = (await call(token, 'GET', `${uploads}/${deploymentId}`)).body.targets;
    expect(target.url).toBe(`/deploy/v1/projects/${ids.projectId}/uploads/${deploymentId}/files/0`);
    const send = (bearer: string, url: string) =>
      fetch(`${server.url}${url}`, { method: 'PUT', headers: { authorization: `Bearer ${bearer}` }, body: 'hello' });
    expect((await send(bearers.owner, target.url)).status).toBe(401);
    expect((await send(token, target.url.replace('/deploy/', '/dashboard/'))).status).toBe(401);
    expect((await send(neighbor.token, target.url)).status).toBe(404);
    expect((await send(token, target.url)).status).toBe(204);
    expect((await call(token, 'POST', `${uploads}/${deploymentId}/publish`)).body).toMatchObject({ deploymentId, current: true });
    const [listed] = (await call(bearers.member, 'GET', `/dashboard/v1/projects/${ids.projectId}/deploy-tokens`)).body;
    expect(listed).toMatchObject({ name: 'CI', state: 'active', createdBy: 'usr_owner', lastUsedAt: expect.stringMatching(/:00\.000Z$/) });
    expect(JSON.stringify(listed)).not.toContain('petstore_deploy_');
  });

  test('is refused from the moment that it is revoked, after its time, mistyped, and once its project is deleted', async () => {
    const { ids, token } = await makeWorld();
    const tokens = `/dashboard/v1/projects/${ids.projectId}/deploy-tokens`;
    const project = `/deploy/v1/projects/${ids.projectId}`;
    const other = (await call(bearers.owner, 'POST', tokens, { name: 'Other', expiresInDays: 1 })).body;
    expect((await call(token, 'GET', project)).status).toBe(200);
    expect((await call(bearers.owner, 'DELETE', `${tokens}/${ids.tokenId}`)).body).toEqual({ done: true });
    expect((await call(bearers.owner, 'DELETE', `${tokens}/${ids.tokenId}`)).status).toBe(404);
    expect((await call(token, 'GET', project)).body).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('revoked or expired') });
    const mistyped = `${other.token.slice(0, -1)}${other.token.endsWith('x') ? 'y' : 'x'}`;
    expect((await call(mistyped, 'GET', project)).status).toBe(401);
    stores.database.prepare('UPDATE deploy_tokens SET expires_at = ? WHERE id = ?').run(Date.now(), other.tokenId);
    expect((await call(other.token, 'GET', project)).status).toBe(401);
    const last = (await call(bearers.owner, 'POST', tokens, { name: 'Last' })).body;
    await call(bearers.owner, 'DELETE', `/dashboard/v1/projects/${ids.projectId}/domains/${ids.domainId}`);
    await expect.poll(async () => (await call(bearers.owner, 'DELETE', `/dashboard/v1/projects/${ids.projectId}`)).status).toBe(200);
    expect((await call(last.token, 'GET', project)).status).toBe(401);
    expect(stores.database.prepare('SELECT id FROM deploy_tokens WHERE project_id = ?').all(ids.projectId ?? '')).toEqual([]);
  });

  test('is one of ten at most; expired ones do not count', async () => {
    const { ids } = await makeWorld();
    const tokens = `/dashboard/v1/projects/${ids.projectId}/deploy-tokens`;
    for (let more = 1; more < 10; more += 1) expect((await call(bearers.owner, 'POST', tokens, { name: `CI ${more}` })).status).toBe(201);
    expect((await call(bearers.owner, 'POST', tokens, { name: 'Too many' })).body).toMatchObject({ code: 'conflict' });
    const expire = stores.database.prepare('UPDATE deploy_tokens SET expires_at = ? WHERE id = ?');
    expire.run(Date.now() - 31 * 86_400_000, ids.tokenId ?? '');
    expect((await call(bearers.owner, 'POST', tokens, { name: 'In its place' })).status).toBe(201);
    // What expired long ago is no longer kept.
    expect((await call(bearers.owner, 'GET', tokens)).body.map(({ tokenId }: { tokenId: string }) => tokenId)).not.toContain(ids.tokenId);
    for (const body of [{ name: '' }, { name: 'CI', expiresInDays: 0 }, { name: 'CI', expiresInDays: 367 }, { name: 'CI', scope: 'all' }])
      expect((await call(bearers.owner, 'POST', tokens, body)).status).toBe(400);
  });
});

test('what a member has made is listed, and revoked with them only if that is asked for', async () => {
  const { ids } = await makeWorld();
  const base = `/dashboard/v1/accounts/${ids.accountId}`;
  const key = (await call(bearers.member, 'POST', `${base}/keys`, { name: 'Pos' })).body;
  const token = (await call(bearers.member, 'POST', `/dashboard/v1/projects/${ids.projectId}/deploy-tokens`, { name: 'Pipeline' })).body;
  const made = async () => (await call(bearers.owner, 'GET', `${base}/members/usr_member/credentials`)).body;
  const theirs = [
    { kind: 'key', id: key.keyId, name: 'Pos', projectId: null },
    { kind: 'deploy_token', id: token.tokenId, name: 'Pipeline', projectId: ids.projectId },
  ];
  expect(await made()).toEqual(theirs);
  const remove = (query: string) => call(bearers.owner, 'DELETE', `${base}/members/usr_member${query}`);
  expect((await remove('?credentials=all')).status).toBe(400);
  expect((await remove('')).status).toBe(200);
  expect(await made()).toEqual(theirs);
  // As after an attempt that was interrupted.
  expect((await remove('?credentials=revoke')).status).toBe(404);
  expect(await made()).toEqual([]);

  await stores.members.addMember(ids.accountId ?? '', 'usr_member', 'member');
  await call(bearers.member, 'POST', `${base}/keys`, { name: 'Pos' });
  expect((await remove('?credentials=revoke')).status).toBe(200);
  expect(await made()).toEqual([]);
  // Those of others stay, and the last owner with what they have made.
  const others = async () => (await call(bearers.owner, 'GET', `${base}/members/usr_owner/credentials`)).body;
  await stores.members.removeMember(ids.accountId ?? '', 'usr_second', { keepOwner: true });
  expect((await call(bearers.owner, 'DELETE', `${base}/members/usr_owner?credentials=revoke`)).status).toBe(409);
  expect((await others()).map(({ id }: { id: string }) => id)).toEqual([ids.keyId, ids.tokenId]);
});
