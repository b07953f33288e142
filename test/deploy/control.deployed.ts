// The control API on the emulated AWS: a Cognito user's token at API Gateway's authorizer, with the real function behind it.

import { ChangeTagsForResourceCommand, CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget, type Target } from '../e2e/target.ts';
import { eventually } from '../support/eventually.ts';
import type { ControlOutputs } from './cdk.ts';
import { signInAs } from './users.ts';

const control = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
const { url } = control;

let [mine, theirs, idToken] = ['', '', ''];
let target: Target;

beforeAll(async () => {
  target = await startTarget();
  const [one, two] = [await signInAs('one@example.com', control), await signInAs('two@example.com', control)];
  [mine, theirs, idToken] = [one.access, two.access, one.id];
});

afterAll(() => target.stop());

async function call(token: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/dashboard/v1${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  return { status: response.status, body: (await response.json()) as any };
}

test('a missing or invalid token, and an ID token, is refused; the OpenAPI document is public', async () => {
  expect((await call(undefined, 'GET', '/me')).status).toBe(401);
  expect((await call('a.b.c', 'GET', '/me')).status).toBe(401);
  // It is signed for the same client, but it is meant for the dashboard, not for the API.
  expect(idToken.split('.')).toHaveLength(3);
  expect(await call(idToken, 'GET', '/me')).toEqual({ status: 403, body: { message: 'Forbidden' } });
  expect((await call(undefined, 'GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
});

test('a user creates an account, a project and a key, which no other user can see', async () => {
  expect((await call(mine, 'GET', '/me')).body).toMatchObject({
    accounts: [],
    platform: { edgeHost: process.env.STAGING_EDGE_NAME, httpsPort: 443, sandboxSuffix: null },
  });
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Shop' })).body;
  const project = await call(mine, 'POST', `/accounts/${accountId}/projects`, { name: 'Shop' });
  expect([project.status, project.body]).toEqual([201, expect.objectContaining({ deploymentId: expect.stringMatching(/^dpl_/) })]);
  expect((await call(mine, 'GET', `/projects/${project.body.projectId}/deployments`)).body).toHaveLength(1);
  const key = await call(mine, 'POST', `/accounts/${accountId}/keys`, { name: 'First' });
  const before = Date.now();
  expect((await fetch(`${process.env.E2E_URL}/v1/pets`, { headers: { authorization: `Bearer ${key.body.key}` } })).status).toBe(200);
  expect((await call(mine, 'GET', `/accounts/${accountId}/usage`)).body).toMatchObject({ plan: 'free', day: { used: 1 } });
  const [{ lastUsedAt }] = (await call(mine, 'GET', `/accounts/${accountId}/keys`)).body;
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(before - 60_000);
  expect((await call(mine, 'GET', '/sandbox/records')).status).toBe(404);
  for (const path of [`/accounts/${accountId}`, `/projects/${project.body.projectId}`, `/accounts/${accountId}/keys`])
    expect((await call(theirs, 'GET', path)).status).toBe(404);
});

test('a user adds a domain whose zone we manage, has its record set, verifies it, and removes it', async () => {
  const [zone, host] = ['owned.dev', 'www.owned.dev'];
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Owner' })).body;
  await target.petstore(['accounts', 'set-plan', accountId, '--plan', 'pro']);
  const { projectId, target: value } = (await call(mine, 'POST', `/accounts/${accountId}/projects`, { name: 'Site' })).body;
  const route53 = new Route53Client({});
  const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name: zone, CallerReference: 'owned' }));
  const id = HostedZone?.Id?.replace('/hostedzone/', '');
  const AddTags = [{ Key: 'petstore:account', Value: accountId }];
  await route53.send(new ChangeTagsForResourceCommand({ ResourceType: 'hostedzone', ResourceId: id, AddTags }));
  const values = async () => {
    const { ResourceRecordSets = [] } = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
    return ResourceRecordSets.filter(({ Name }) => Name === `${host}.`).map(({ ResourceRecords }) => ResourceRecords?.[0]?.Value);
  };

  const domains = `/projects/${projectId}/domains`;
  const added = await call(mine, 'POST', domains, { host });
  expect([added.status, added.body]).toEqual([201, expect.objectContaining({ host })]);
  const domain = `${domains}/${added.body.domainId}`;
  expect((await call(mine, 'POST', `${domain}/publish`, {})).status).toBe(200);
  expect(await values()).toEqual([value]);
  expect((await call(mine, 'POST', `${domain}/verify`, {})).body).toMatchObject({ state: 'verifying' });
  expect((await call(mine, 'DELETE', domain)).status).toBe(200);
  await eventually(
    async () => (await call(mine, 'GET', domain)).status,
    (status) => expect(status).toBe(404),
  );
  expect(await values()).toEqual([]);
});

test('an owner asks for a plan, and the operator decides', async () => {
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Growing' })).body;
  const ask = (plan: string) => call(mine, 'PUT', `/accounts/${accountId}/plan-request`, { plan, note: 'for spring' });
  expect(await ask('enterprise')).toMatchObject({ status: 200, body: { plan: 'free', planRequest: { plan: 'enterprise', decision: null } } });
  expect(await target.petstore(['plan-requests', 'list'])).toContainEqual(
    expect.objectContaining({ accountId, wanted: 'enterprise', note: 'for spring' }),
  );
  await target.petstore(['plan-requests', 'decline', accountId, '--reason', 'too large']);
  expect((await call(mine, 'GET', `/accounts/${accountId}`)).body.planRequest.decision).toMatchObject({ approved: false, reason: 'too large' });
  await ask('pro');
  expect(await target.petstore(['plan-requests', 'approve', accountId])).toMatchObject({ accountId, plan: 'pro', approved: true });
  expect((await call(mine, 'GET', `/accounts/${accountId}`)).body).toMatchObject({ plan: 'pro', planRequest: { decision: { approved: true } } });
  expect((await call(mine, 'DELETE', `/accounts/${accountId}/plan-request`)).body.planRequest).toBeNull();
});

test('a suspended account can be read and deleted', async () => {
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Brief' })).body;
  const account = `/accounts/${accountId}`;
  await call(mine, 'POST', `${account}/keys`, { name: 'First' });
  await target.petstore(['accounts', 'suspend', accountId, '--reason', 'unpaid since May']);
  expect((await call(mine, 'GET', account)).body).toMatchObject({ suspension: { reason: 'unpaid since May' } });
  const refused = await call(mine, 'POST', `${account}/projects`, { name: 'Shop' });
  expect(refused).toMatchObject({ status: 403, body: { code: 'account_suspended', message: expect.stringContaining('unpaid since May') } });
  expect((await call(mine, 'DELETE', account)).body).toEqual({ done: true });
  expect((await call(mine, 'GET', account)).status).toBe(404);
});

test('a user revokes a key, which is gone from the list', async () => {
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Keys' })).body;
  const { keyId } = (await call(mine, 'POST', `/accounts/${accountId}/keys`, { name: 'Short-lived' })).body;
  expect((await call(mine, 'DELETE', `/accounts/${accountId}/keys/${keyId}`)).status).toBe(200);
  expect((await call(mine, 'GET', `/accounts/${accountId}/keys`)).body).toEqual([]);
});

test('the user of an invited address accepts, and nobody else', async () => {
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Together' })).body;
  const { link } = await target.petstore<{ link: string }>(['accounts', 'invite', accountId, 'two@example.com']);
  const token = link.replace('/invitation#', '');
  expect((await call(mine, 'POST', '/invitations/view', { token })).body).toMatchObject({ email: 'two@example.com', forYou: false, member: true });
  expect((await call(mine, 'POST', '/invitations/accept', { token })).status).toBe(403);
  expect((await call(theirs, 'POST', '/invitations/accept', { token })).body).toMatchObject({ accountId, role: 'member' });
  expect((await call(theirs, 'POST', '/invitations/accept', { token })).status).toBe(404);
  const [joined] = (await call(mine, 'GET', `/accounts/${accountId}/audit`)).body;
  expect(joined).toMatchObject({ action: 'member.added', actor: { kind: 'user', address: null }, requestId: expect.any(String) });
  expect(joined.actor.id).toBe(joined.subject);
  const signIns = `/accounts/${accountId}/members/${joined.subject}/sign-ins`;
  expect((await call(mine, 'GET', signIns)).body).toEqual({ canList: false, signIns: [] });
  expect((await call(theirs, 'GET', `/accounts/${accountId}/audit`)).status).toBe(403);
  const sent = await call(mine, 'POST', `/accounts/${accountId}/invitations`, { email: 'three@example.com' });
  expect(sent).toMatchObject({ status: 201, body: { email: 'three@example.com' } });
  expect((await call(mine, 'DELETE', `/accounts/${accountId}/invitations/${sent.body.invitationId}`)).status).toBe(200);
});

test('a user signs out everywhere; sessions are not told apart', async () => {
  const { access } = await signInAs('four@example.com', control);
  expect((await call(access, 'GET', '/me/sessions')).body).toEqual({
    canList: false,
    signIns: [],
    accessEndsWithinSeconds: expect.any(Number),
    sessions: [],
  });
  expect((await call(access, 'POST', '/me/sessions/end', {})).status).toBe(404);
  expect((await call(access, 'POST', '/me/sign-out')).body).toEqual({ done: true });
});
