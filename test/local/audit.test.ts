// Every door to a change leaves who came through it: the control API, deploy tokens, the sign-in pages, the command line, the workflow and the sweep.

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { newAccountId } from '../../core/access/account.ts';
import type { AuditEntry } from '../../core/audit/entry.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { startSweeps, sweepsOf } from '../../local/background.ts';
import { openFolder } from '../../platforms/open.ts';
import { currentActor } from '../../service/audit/acting.ts';
import { CONTROL_OPERATIONS, type ControlOperationId } from '../../service/control/operations.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { EXPECTED } from '../support/control-operations.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';

const ADDRESS = '127.0.0.1';
const folder = makeFolder();
let server: ControlHost;
let stores: SqliteStores;
let token = '';

beforeAll(async () => {
  server = await startControlHost(folder.path);
  stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database, stores.recordChange);
  for (const name of ['owner', 'guest', 'founder']) await users.add({ id: `usr_${name}`, email: `${name}@petstore.test` }, `password of ${name}`);
  token = (await signIn(server.url, 'owner@petstore.test', 'password of owner')).access_token;
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  stores.close();
  await server.stop();
  folder.remove();
});

/** The entries that work leaves, the first one first. */
async function entriesOf(work: () => Promise<unknown>): Promise<readonly AuditEntry[]> {
  const [before] = (await stores.audit.entries({}, 1)).items;
  await work();
  const { items } = await stores.audit.entries({}, 1_000);
  const known = before === undefined ? items.length : items.findIndex(({ id }) => id === before.id);
  return items.slice(0, known).toReversed();
}

async function makeAccount(): Promise<string> {
  const id = newAccountId(randomBytes);
  await stores.accounts.createAccount({ id, name: 'Shop', plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, createdAt: Date.now() });
  await stores.members.addMember(id, 'usr_owner', 'owner');
  await stores.members.addMember(id, 'usr_guest', 'member');
  return id;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  readonly body: any;
  readonly requestId: string;
}

async function call(method: string, path: string, body?: unknown, bearer = token): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), requestId: response.headers.get('x-request-id') ?? '' };
}

/** Makes what an operation's path names, and returns its ids. */
type Preparation = (accountId: string, projectId: string) => Promise<Record<string, string>>;

const made = async (path: string, body: unknown) => (await call('POST', `/dashboard/v1${path}`, body)).body;
const keyOf = async (accountId: string) => ({ keyId: (await made(`/accounts/${accountId}/keys`, { name: 'Till' })).keyId });
const domainOf = async (projectId: string) => ({
  domainId: (await made(`/projects/${projectId}/domains`, { host: `www.${projectId.slice(4)}.test` })).domainId,
});
const invitationOf = async (accountId: string) => {
  const email = `${accountId.slice(4)}@petstore.test`.toLowerCase();
  const { invitationId, link } = await made(`/accounts/${accountId}/invitations`, { email });
  return { invitationId, link: String(link) };
};
const FILE = { name: 'index.html', bytes: 1, sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' };
const completeUploadOf = async (projectId: string) => {
  const upload = await made(`/projects/${projectId}/uploads`, { files: [FILE] });
  const { targets } = (await call('GET', `/dashboard/v1/projects/${projectId}/uploads/${upload.deploymentId}`)).body;
  for (const { url, headers } of targets)
    await fetch(new URL(url, server.url), { method: 'PUT', headers: { authorization: `Bearer ${token}`, ...headers }, body: 'x' });
  return { deploymentId: String(upload.deploymentId) };
};

const recordOf = (accountId: string) => ({ name: `www.${accountId.slice(4).toLowerCase()}.test`, type: 'A', value: '192.0.2.1' });

const PREPARATIONS: Partial<Record<ControlOperationId, Preparation>> = {
  changeMember: async (accountId) => {
    await stores.members.setRole(accountId, 'usr_guest', 'owner');
    return { userId: 'usr_guest' };
  },
  removeMember: async () => ({ userId: 'usr_guest' }),
  withdrawPlanRequest: async (accountId) => {
    await call('PUT', `/dashboard/v1/accounts/${accountId}/plan-request`, { plan: 'business' });
    return {};
  },
  withdrawInvitation: invitationOf,
  changeKey: keyOf,
  rotateKey: keyOf,
  revokeKey: keyOf,
  rollBack: (_, projectId) => publish(projectId),
  pinDeployment: (_, projectId) => publish(projectId),
  unpinDeployment: async (_, projectId) => {
    const { deploymentId } = await publish(projectId);
    await call('PUT', `/dashboard/v1/projects/${projectId}/deployments/${deploymentId}/pin`);
    return { deploymentId };
  },
  deleteDeployment: async (_, projectId) => {
    const { deploymentId } = await publish(projectId);
    await publish(projectId);
    return { deploymentId };
  },
  publishUpload: (_, projectId) => completeUploadOf(projectId),
  revokeDeployToken: async (_, projectId) => ({ tokenId: (await made(`/projects/${projectId}/deploy-tokens`, { name: 'CI' })).tokenId }),
  verifyDomain: (_, projectId) => domainOf(projectId),
  removeDomain: (_, projectId) => domainOf(projectId),
  unsetSandboxRecord: async (accountId) => {
    await call('PUT', '/dashboard/v1/sandbox/records', { ...recordOf(accountId), accountId });
    return {};
  },
};

async function publish(projectId: string): Promise<{ deploymentId: string }> {
  const { deploymentId } = await completeUploadOf(projectId);
  await call('POST', `/dashboard/v1/projects/${projectId}/uploads/${deploymentId}/publish`);
  return { deploymentId };
}

describe('the audit log of the control API', () => {
  const leaving = Object.entries(EXPECTED).flatMap(([id, { leaves, body }]) =>
    typeof leaves === 'string' ? [] : [{ id: id as ControlOperationId, leaves, body }],
  );
  test.each(leaving)('$id leaves who did it', async ({ id, leaves, body: expected }) => {
    const { method, path } = CONTROL_OPERATIONS[id];
    const accountId = await makeAccount();
    const { projectId } = await made(`/accounts/${accountId}/projects`, { name: 'Shop' });
    const ids: Record<string, string> = { accountId, projectId, ...(await PREPARATIONS[id]?.(accountId, projectId)) };
    const real = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');
    const query = id === 'unsetSandboxRecord' ? `?${new URLSearchParams(recordOf(accountId))}` : '';
    const body = id === 'setSandboxRecord' ? { ...recordOf(accountId), accountId } : expected;
    let answer: Answer | undefined;
    const entries = await entriesOf(async () => {
      answer = await call(method, `/dashboard/v1${real}${query}`, body);
    });
    expect([answer?.status, answer?.body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
    // The workflow goes on with what was begun.
    const mine = entries.filter(({ actor }) => actor.kind === 'user');
    expect(mine.map(({ action }) => action)).toEqual(leaves);
    for (const { actor } of mine) expect(actor).toEqual({ kind: 'user', id: 'usr_owner', address: ADDRESS, requestId: answer?.requestId });
  });

  test('a new account and its owner are found', async () => {
    const { access_token } = await signIn(server.url, 'founder@petstore.test', 'password of founder');
    const entries = await entriesOf(() => call('POST', '/dashboard/v1/accounts', { name: 'Own' }, access_token));
    expect(entries.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['account.created', 'usr_founder'],
      ['member.added', 'usr_founder'],
    ]);
  });

  test('reads leave nothing', async () => {
    const accountId = await makeAccount();
    const { projectId } = await made(`/accounts/${accountId}/projects`, { name: 'Shop' });
    const ids: Record<string, string> = { accountId, projectId, userId: 'usr_guest', ...(await publish(projectId)), ...(await domainOf(projectId)) };
    const reads = Object.entries(CONTROL_OPERATIONS).flatMap(([id, operation]) =>
      operation.method === 'GET' && EXPECTED[id as ControlOperationId].who !== 'operator' ? [operation] : [],
    );
    const refused: string[] = [];
    const entries = await entriesOf(async () => {
      for (const { method, path } of reads) {
        const { status } = await call(method, `/dashboard/v1${path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '')}`);
        if (status !== 200) refused.push(path);
      }
    });
    // No upload is open.
    expect(refused).toEqual(['/projects/{projectId}/uploads/{deploymentId}']);
    // The workflow verifies the domain meanwhile.
    expect(entries.filter(({ actor }) => actor.kind === 'user')).toEqual([]);
  });

  test('what is refused leaves nothing', async () => {
    const accountId = await makeAccount();
    const entries = await entriesOf(async () => {
      expect((await call('DELETE', `/dashboard/v1/accounts/${accountId}/keys/key_none`)).status).toBe(404);
      expect((await call('POST', `/dashboard/v1/accounts/${accountId}/keys`, { name: '' })).status).toBe(400);
      expect((await call('DELETE', `/dashboard/v1/accounts/${accountId}/members/usr_owner`)).status).toBe(409);
    });
    // The workflow may end what another test has begun.
    expect(entries.filter(({ actor }) => actor.kind === 'user')).toEqual([]);
  });

  test('an account that its owner deletes', async () => {
    const accountId = await makeAccount();
    const { keyId } = await keyOf(accountId);
    const { invitationId } = await invitationOf(accountId);
    const path = `/dashboard/v1/accounts/${accountId}`;
    const { projectId } = await made(`/accounts/${accountId}/projects`, { name: 'Shop' });
    expect((await call('DELETE', path)).body).toMatchObject({ code: 'conflict', message: expect.stringContaining(`${projectId} (Shop)`) });
    await call('DELETE', `/dashboard/v1/projects/${projectId}`);
    const all = await entriesOf(async () => expect((await call('DELETE', path)).body).toEqual({ done: true }));
    // The workflow goes on with the domains of other tests.
    const entries = all.filter((entry) => entry.accountId === accountId);
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ['invitation.removed', invitationId],
      ['account.deleted', accountId],
      ['member.removed', 'usr_guest'],
      ['member.removed', 'usr_owner'],
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ accountId, actor: { kind: 'user', id: 'usr_owner', address: ADDRESS } });
    for (const what of ['', `/keys/${keyId}`, '/audit'])
      expect((await call(what.includes('key') ? 'DELETE' : 'GET', `${path}${what}`)).status).toBe(404);
    // For the operator, what is gone is still found.
    expect((await stores.audit.entries({ accountId }, 100)).items.map(({ action }) => action)).toContain('account.created');
  });

  test('shows owners their account’s entries in pages, and members none', async () => {
    const accountId = await makeAccount();
    const { keyId } = await keyOf(accountId);
    await call('DELETE', `/dashboard/v1/accounts/${accountId}/keys/${keyId}`);
    const path = `/dashboard/v1/accounts/${accountId}/audit`;
    const { body } = await call('GET', path);
    expect(body.map(({ action, subject }: { action: string; subject: string }) => [action, subject])).toEqual([
      ['key.revoked', keyId],
      ['key.issued', keyId],
      ['member.added', 'usr_guest'],
      ['member.added', 'usr_owner'],
      ['account.created', accountId],
    ]);
    const by = { kind: 'user', id: 'usr_owner', email: 'owner@petstore.test', address: ADDRESS };
    expect(body[0]).toMatchObject({ actor: by, requestId: expect.stringMatching(/./), details: {} });
    const seen: unknown[] = [];
    for (let next: string | undefined = `${path}?limit=2`; next !== undefined; ) {
      const response: Response = await fetch(`${server.url}${next}`, { headers: { authorization: `Bearer ${token}` } });
      const page = (await response.json()) as unknown[];
      expect(page.length).toBeLessThanOrEqual(2);
      seen.push(...page);
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(body);
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString();
    expect((await call('GET', `${path}?since=${tomorrow}`)).body).toEqual([]);
    expect((await call('GET', `${path}?until=${tomorrow}`)).body).toEqual(body);
    expect((await call('GET', `${path}?since=yesterday`)).body).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('ISO 8601'),
    });
    const guest = (await signIn(server.url, 'guest@petstore.test', 'password of guest')).access_token;
    expect((await call('GET', path, undefined, guest)).body).toMatchObject({ code: 'forbidden' });
    expect((await call('GET', `/dashboard/v1/accounts/${newAccountId(randomBytes)}/audit`)).status).toBe(404);
  });

  test('a member who accepted an invitation is found with it', async () => {
    const accountId = newAccountId(randomBytes);
    await stores.accounts.createAccount({ id: accountId, name: 'Shop', plan: 'pro', limits: { perMinute: 1, perDay: 1 }, createdAt: Date.now() });
    await stores.members.addMember(accountId, 'usr_owner', 'owner');
    const { invitationId, link } = await made(`/accounts/${accountId}/invitations`, { email: 'guest@petstore.test' });
    const guest = (await signIn(server.url, 'guest@petstore.test', 'password of guest')).access_token;
    const entries = await entriesOf(() => call('POST', '/dashboard/v1/invitations/accept', { token: link.split('#')[1] }, guest));
    expect(entries).toMatchObject([
      { action: 'member.added', accountId, subject: 'usr_guest', details: { role: 'member', invitation: invitationId }, actor: { id: 'usr_guest' } },
    ]);
  });

  test('a deploy token is named', async () => {
    const accountId = await makeAccount();
    const { projectId } = await made(`/accounts/${accountId}/projects`, { name: 'Shop' });
    const issued = await made(`/projects/${projectId}/deploy-tokens`, { name: 'CI' });
    const { deploymentId } = await completeUploadOf(projectId);
    const entries = await entriesOf(() => call('POST', `/deploy/v1/projects/${projectId}/uploads/${deploymentId}/publish`, undefined, issued.token));
    expect(entries).toMatchObject([
      { action: 'deployment.published', accountId, actor: { kind: 'deploy_token', id: issued.tokenId, address: ADDRESS } },
    ]);
  });

  test('sessions that end are named, and by whom', async () => {
    const session = await signIn(server.url, 'guest@petstore.test', 'password of guest');
    const { body } = await call('GET', '/dashboard/v1/me/sessions', undefined, session.access_token);
    const other = await signIn(server.url, 'guest@petstore.test', 'password of guest');
    const [{ sessionId }] = body.sessions;
    const ended = await entriesOf(() => call('POST', '/dashboard/v1/me/sessions/end', { sessionId }, other.access_token));
    expect(ended.map(({ action }) => action)).toContainEqual(expect.stringMatching(/^sessions?\.ended$/));
    expect(ended[0]).toMatchObject({ actor: { kind: 'user', id: 'usr_guest', address: ADDRESS } });
  });
});

describe('the audit log of other doors', () => {
  test('the command line names the operator', async () => {
    const entries = await entriesOf(async () => {
      for (const args of [
        ['accounts', 'create', '--name', 'Clinic', '--plan', 'free'],
        ['users', 'create', 'vet@petstore.test', '--password-stdin'],
      ])
        expect(await runCli(folder.path, args, 'password of vet\n')).toMatchObject({ code: 0 });
    });
    // The workflow may be at work for the domains of other tests meanwhile.
    const ours = entries.filter(({ actor }) => actor.kind === 'operator');
    expect(ours.map(({ action }) => action)).toEqual(['account.created', 'user.added']);
    for (const { actor } of ours) expect(actor).toEqual({ kind: 'operator', id: `${userInfo().username}@${hostname()}` });
    const listed = await runCli(folder.path, ['audit', 'list', '--action', 'user', '--limit', '1', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ action: 'user.added', accountId: null, actor: { kind: 'operator', id: ours[0]?.actor.id } }]);
    const known = (await stores.audit.entries({}, 1_000)).items.map(({ id }) => id);
    const exported = await runCli(folder.path, ['audit', 'export', '--since', '1d']);
    const lines = exported.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).entryId).filter((id) => known.includes(id))).toEqual(known);
  });

  test('the sweep and the workflow are named', async () => {
    const accountId = await makeAccount();
    const { projectId } = await made(`/accounts/${accountId}/projects`, { name: 'Shop' });
    const { domainId } = await domainOf(projectId);
    await call('POST', `/dashboard/v1/projects/${projectId}/domains/${domainId}/verify`);
    await call('DELETE', `/dashboard/v1/projects/${projectId}/domains/${domainId}`);
    await expect
      .poll(async () => (await stores.audit.entries({ accountId }, 10)).items[0])
      .toMatchObject({ action: 'domain.state_set', subject: domainId, details: { to: 'removed' }, actor: { kind: 'workflow' } });

    await call('DELETE', `/dashboard/v1/projects/${projectId}`);
    const opened = await openFolder({ PETSTORE_DATA: folder.path }, currentActor);
    const swept = await entriesOf(async () => {
      const faults: unknown[] = [];
      const stop = startSweeps(
        sweepsOf(opened),
        () => Date.now() + DAY_MS,
        (error) => void faults.push(error),
      );
      await expect.poll(() => stores.removals.ofProject(projectId)).toEqual([]);
      await stop();
      expect(faults).toEqual([]);
      await opened.close();
    });
    expect(swept.at(-1)).toMatchObject({ action: 'files.removed', actor: { kind: 'sweep' } });
  });
});
