// The control API's Lambda entry as it starts on AWS, and faults in its dependencies.

import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createMemoryMinuteCounter } from '../../adapters/store/memory/single-process.ts';
import { NEVER } from '../../core/access/account.ts';
import { SCOPES } from '../../core/access/plans.ts';
import type { SessionStore, SignInRecord } from '../../core/identity/ports.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { StoreFault } from '../../core/refusal.ts';
import { controlSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import type { ControlPorts } from '../../service/control/context.ts';
import { createControl } from '../../service/control/create-control.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS } from '../../service/control/operations.ts';
import { NOON, sampleAccount, sampleKey, withoutText } from '../../testing/samples.ts';
import { declaredResponses } from '../support/declared-responses.ts';
import { CONTROL_ENVIRONMENT, controlEvent } from '../support/function-environments.ts';

const CONTEXT = {} as Context;

/** With a counter of its own. */
const portsWith = (ports: object) => ({ userRequests: createMemoryMinuteCounter(), operators: [], ...ports }) as unknown as ControlPorts;

describe('a user', () => {
  const user = { sub: 'usr_1', email: 'ann@example.com' };
  const control = (clock: () => number) =>
    createControl({
      ports: portsWith({
        accounts: {},
        members: { membershipsOf: async () => [] },
        projects: {},
        domains: {},
        rules: { edge: { host: 'e' } },
        httpsPort: 443,
      }),
      clock,
      logger: new Logger({ logLevel: 'SILENT' }),
    });

  test('needs no token for the 405 of a path that needs none', async () => {
    const handle = control(() => NOON);
    const ask = async (method: string, path: string) => (await handle(controlEvent(method, path), CONTEXT)).statusCode;
    expect([await ask('TRACE', '/openapi.json'), await ask('TRACE', '/accounts')]).toEqual([405, 401]);
  });

  test('may send 600 requests a minute, sees how many remain, and then gets a Retry-After; others are not affected', async () => {
    const clock = { now: NOON };
    const handle = control(() => clock.now);
    const ask = (claims: object | undefined = user) => handle(controlEvent('GET', '/accounts', claims && { claims }), CONTEXT);
    for (let n = 1; n <= 600; n += 1) {
      const { statusCode, headers } = await ask();
      expect([statusCode, headers['x-ratelimit-remaining']]).toEqual([200, String(600 - n)]);
    }
    const refused = await ask();
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['x-ratelimit-limit']]).toEqual([429, '60', '600']);
    expect(JSON.parse(refused.body)).toEqual({
      code: 'rate_limit_exceeded',
      message: 'this user has sent more than 600 requests in this UTC minute; retry in 60 s',
      status: 429,
    });
    expect((await ask({ sub: 'usr_2' })).statusCode).toBe(200);
    expect((await handle(controlEvent('GET', '/accounts'), CONTEXT)).statusCode).toBe(401);
    clock.now += 60_000;
    expect((await ask()).statusCode).toBe(200);
  });

  // As API Gateway's JWT authorizer passes them on: every claim is a string. Cognito's access tokens have no email address.
  const cognito = {
    sub: 'f4c8a4d8-70a1-70e5-2f6b-0d5f3a1c9b7e',
    iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aB3dE5fG7',
    version: '2',
    client_id: '3n4b5urk1ft4fl3mg5e62d9ado',
    origin_jti: 'e5b1d3a2-7a0c-4b6f-9c8d-1f2e3d4c5b6a',
    event_id: '9c1f7f63-2b1e-4c0a-8f55-6d7e8f9a0b1c',
    token_use: 'access',
    scope: 'openid email',
    auth_time: '1795255200',
    exp: '1795255800',
    iat: '1795255200',
    jti: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
    username: 'f4c8a4d8-70a1-70e5-2f6b-0d5f3a1c9b7e',
  };

  test.each([
    ['an access token of Cognito, which has no email address', cognito, cognito.sub, null],
    ['a token with an email address', user, 'usr_1', 'ann@example.com'],
    ['an email address that is not a string', { sub: 'usr_1', email: ['a'] }, 'usr_1', null],
  ])('gets GET /me with %s', async (_what, claims, userId, email) => {
    const { statusCode, body } = await control(() => NOON)(controlEvent('GET', '/me', { claims }), CONTEXT);
    expect([statusCode, CONTROL_OPERATIONS.getMe.result.parse(JSON.parse(body))]).toMatchObject([200, { userId, email, accounts: [] }]);
  });
});

describe("a member's sign-ins", () => {
  const record: SignInRecord = { at: NOON, outcome: 'failed', method: undefined, agent: 'A browser', address: undefined, count: 2 };
  const ask = async (userId: string, sessions?: Pick<SessionStore, 'listSignIns'>) => {
    const members = {
      membershipsOf: async (id: string) => [{ accountId: 'acc_1', role: id === 'usr_1' ? 'owner' : 'member' }],
      membersOf: async () => [{ userId: 'usr_1', role: 'owner' }],
    };
    const accounts = { getAccount: async () => ({ ...sampleAccount(), id: 'acc_1' }) };
    const control = createControl({
      ports: portsWith({ accounts, members, sessions }),
      clock: () => NOON,
      logger: new Logger({ logLevel: 'SILENT' }),
    });
    const event = controlEvent('GET', `/accounts/acc_1/members/${userId}/sign-ins`, { claims: { sub: 'usr_1' } });
    const { statusCode, body } = await control(event, CONTEXT);
    return { statusCode, body: JSON.parse(body) };
  };

  test('are those of the account, in the form that the user sees', async () => {
    const asked: unknown[] = [];
    const sessions = {
      listSignIns: async (...query: unknown[]) => {
        asked.push(query);
        return [record];
      },
    };
    const { statusCode, body } = await ask('usr_1', sessions);
    const signIns = [{ ...record, at: new Date(NOON).toISOString(), method: null, address: null }];
    expect([statusCode, CONTROL_OPERATIONS.listMemberSignIns.result.parse(body)]).toEqual([200, { canList: true, signIns }]);
    expect(asked).toEqual([['usr_1', 50, 'acc_1']]);
    expect((await ask('usr_2', sessions)).body).toMatchObject({ code: 'not_found', message: 'no member "usr_2" among yours' });
  });

  test('are an empty list where sign-ins are not listed, as on AWS', async () => {
    expect(await ask('usr_1')).toEqual({ statusCode: 200, body: { canList: false, signIns: [] } });
  });
});

test('every missing setting is named', () => {
  expect(parseEnvironment(controlSettings, CONTROL_ENVIRONMENT).KEY_MODE).toBe('test');
  expect(() => parseEnvironment(controlSettings, { KEY_MODE: 'x' })).toThrow(/PETS_TABLE[\s\S]*KEY_MODE: live or test[\s\S]*WORKFLOW_ARN/);
});

test.each([
  [new StoreFault('unavailable', 'secret detail'), 503, 'unavailable'],
  [new StoreFault('corrupt', 'secret detail'), 500, 'internal_error'],
  ['secret detail', 500, 'internal_error'],
])('a fault is answered without details: %s', async (fault, status, code) => {
  const ports = portsWith({ members: { membershipsOf: () => Promise.reject(fault) } });
  const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  const answer = await control(controlEvent('GET', '/accounts', { claims: { sub: 'user-1' } }), CONTEXT);
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([status, { code, message: expect.any(String), status }]);
  expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(answer.body).not.toContain('secret');
});

test('the document lists every error for each status, and its headers', () => {
  const document = controlOpenApi() as { paths: Record<string, Record<string, { responses: object }>> };
  const responses = (path: string, method: string) => declaredResponses(document, document.paths[path]?.[method] ?? { responses: {} });
  const creates = responses('/accounts', 'post');
  expect(creates[409]?.description).toMatch(/idempotency_in_progress[\s\S]*conflict/);
  expect(Object.keys(creates[409]?.headers ?? {})).toEqual(expect.arrayContaining(['Retry-After', 'X-RateLimit-Remaining']));
  expect(Object.keys(creates[201]?.headers ?? {})).toContain('Idempotent-Replayed');
  expect([responses('/me', 'get')[409], responses('/openapi.json', 'get')[401]]).toEqual([undefined, undefined]);
});

test('a body that is not JSON is refused', async () => {
  const control = createControl({ ports: portsWith({}), clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  const claims = { sub: 'user-1' };
  expect((await control(controlEvent('POST', '/accounts', { claims, body: '{' }), CONTEXT)).statusCode).toBe(400);
});

describe('what an unlocked computer must not do', () => {
  const rows = Object.entries<ControlRow>(CONTROL_OPERATIONS).filter(([, { needsRecentSignIn }]) => needsRecentSignIn !== undefined);
  // A change here is a decision: docs/decisions/0016-signing-in.md.
  test('is what cannot be undone, ends sessions, or lets in whoever has the answer', () => {
    expect(Object.fromEntries(rows.map(([id, { needsRecentSignIn }]) => [id, needsRecentSignIn]))).toEqual({
      endSessions: true,
      signOutEverywhere: true,
      deleteAccount: true,
      changeMember: { role: 'owner' },
      inviteMember: { role: 'owner' },
      issueKey: true,
      rotateKey: true,
      changeKey: 'sometimes',
      createDeployToken: true,
      requireSecondFactor: { required: false },
      setPlan: true,
      decidePlanRequest: true,
      suspendAccount: true,
      resumeAccount: true,
    });
  });

  const ports = portsWith({
    operators: ['usr_1'],
    members: { membershipsOf: async () => [{ accountId: 'acc_1', role: 'owner' }] },
    accounts: { getAccount: async () => ({ id: 'acc_1', name: 'Shop', plan: 'pro', limits: {}, createdAt: NOON }), getKey: async () => undefined },
    projects: { getProject: async () => ({ id: 'prj_1', accountId: 'acc_1' }) },
  });
  const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  const ask = ({ method, path, example }: ControlRow, claims: object, body: unknown = example.body) => {
    const named = path.replace('{accountId}', 'acc_1').replace('{projectId}', 'prj_1');
    return control(
      controlEvent(method, named, { claims: { sub: 'usr_1', ...claims }, body: body === undefined ? body : JSON.stringify(body) }),
      CONTEXT,
    );
  };
  const HOUR_AGO = NOON / 1_000 - 3_600;

  const always = rows.filter(([, { needsRecentSignIn }]) => needsRecentSignIn !== 'sometimes');
  test.each(always)('%s needs a sign-in within the last hour', async (_id, row) => {
    const body = row.needsRecentSignIn === true ? row.example.body : { ...Object(row.example.body), ...Object(row.needsRecentSignIn) };
    // API Gateway makes texts of numbers; tokens from before the claim was there have none.
    for (const claims of [{ auth_time: HOUR_AGO - 1 }, { auth_time: String(HOUR_AGO - 1) }, {}, { auth_time: 'junk' }]) {
      const { statusCode, headers, body: answer } = await ask(row, claims, body);
      expect([statusCode, JSON.parse(answer).code], JSON.stringify(claims)).toEqual([401, 'insufficient_user_authentication']);
      expect(headers['www-authenticate']).toBe('Bearer error="insufficient_user_authentication", max_age=3600');
    }
    for (const claims of [{ auth_time: HOUR_AGO }, { auth_time: String(HOUR_AGO) }, { auth_time: NOON / 1_000 + 60 }])
      expect((await ask(row, claims, body)).body).not.toContain('insufficient_user_authentication');
  });

  test.each(['changeMember', 'inviteMember'] as const)('%s does not, for a role that can do less', async (id) => {
    const { body } = await ask(CONTROL_OPERATIONS[id], {}, { ...CONTROL_OPERATIONS[id].example.body, role: 'member' });
    expect(body).not.toContain('insufficient_user_authentication');
  });

  const key = { ...withoutText(sampleKey('acc_0000000000')), scopes: ['pets:read'], expiresAt: NOON + DAY_MS };
  const PAUSED = { pausedAt: NOON - 1 };
  test.each([
    ['another name', {}, { name: 'Till' }, false],
    ['the scopes that it has', {}, { scopes: ['pets:read'] }, false],
    ['fewer scopes', { scopes: SCOPES }, { scopes: ['pets:read'] }, false],
    ['another scope', {}, { scopes: ['pets:write'] }, true],
    ['another scope, and an earlier end', { expiresAt: NEVER }, { scopes: SCOPES, expiresInDays: 1 }, true],
    ['an earlier end', { expiresAt: NEVER }, { expiresInDays: 1 }, false],
    ['a later end', {}, { expiresInDays: 2 }, true],
    ['no end', {}, { expiresInDays: null }, true],
    ['a pause', {}, { paused: true }, false],
    ['no pause, where there is none', {}, { paused: false }, false],
    ['the end of a pause', PAUSED, { paused: false }, true],
    ['another name during a pause', PAUSED, { name: 'Till' }, false],
  ])('giving a key %s', async (_what, before, body, needs) => {
    const stored: unknown[] = [];
    const accounts = {
      getAccount: async () => ({ id: key.accountId, name: 'Shop', plan: 'pro', limits: {}, createdAt: NOON }),
      getKey: async () => ({ ...key, ...before }),
      changeKey: async (next: unknown) => stored.push(next) > 0,
    };
    const members = { membershipsOf: async () => [{ accountId: key.accountId, role: 'member' }] };
    const theirs = createControl({ ports: portsWith({ accounts, members }), clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    const change = async (auth_time: number) => {
      const claims = { sub: 'usr_1', auth_time };
      const event = controlEvent('PUT', `/accounts/${key.accountId}/keys/${key.id}`, { claims, body: JSON.stringify(body) });
      const { statusCode, headers } = await theirs(event, CONTEXT);
      return [statusCode, headers['www-authenticate']];
    };
    const refused = [401, 'Bearer error="insufficient_user_authentication", max_age=3600'];
    expect(await change(HOUR_AGO - 1)).toEqual(needs ? refused : [200, undefined]);
    if (needs) expect(stored).toEqual([]);
    expect(await change(HOUR_AGO)).toEqual([200, undefined]);
  });

  test('is refused as forbidden first: signing in again would not help', async () => {
    const member = portsWith({ ...ports, members: { membershipsOf: async () => [{ accountId: 'acc_1', role: 'member' }] } });
    const theirs = createControl({ ports: member, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    expect((await theirs(controlEvent('DELETE', '/accounts/acc_1', { claims: { sub: 'usr_1' } }), CONTEXT)).statusCode).toBe(403);
  });
});

test('where tokens do not say how users have signed in, no account requires a second factor', async () => {
  const account = { id: 'acc_1', name: 'Shop', plan: 'pro', limits: {}, createdAt: NOON, requiresSecondFactor: true };
  const ports = portsWith({
    members: { membershipsOf: async () => [{ accountId: 'acc_1', role: 'owner' }] },
    accounts: { getAccount: async () => account, listKeys: async () => [] },
    knowsSecondFactors: false,
  });
  const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  // API Gateway makes texts of lists.
  const ask = (method: string, path: string, body?: string) =>
    control(controlEvent(method, `/accounts/acc_1${path}`, { claims: { sub: 'usr_1', amr: '[pwd mfa]' }, body }), CONTEXT);
  const { statusCode, body } = await ask('PUT', '/second-factor', '{"required":true}');
  expect([statusCode, JSON.parse(body).message]).toEqual([409, expect.stringContaining('its operator can require a second factor from all users')]);
  expect((await ask('GET', '/keys')).statusCode).toBe(200);
});

describe('what a path names is read once', () => {
  const project = {
    id: 'prj_1',
    accountId: 'acc_1',
    name: 'Shop',
    token: 'k7mzq2v8r4xw5tnb',
    createdAt: NOON,
    configuration: { domains: { redirects: [] } },
  };
  const account = { id: 'acc_1', name: 'Shop', plan: 'pro', limits: {}, createdAt: NOON };

  /** Answers every call with what a test needs, and lists the calls. */
  function counted(reads: string[]) {
    const port = (answers: Record<string, unknown>) => {
      const answer = (name: string) => {
        reads.push(name);
        return Promise.resolve(answers[name]);
      };
      return new Proxy({}, { get: (_, name: string) => () => answer(name) });
    };
    return portsWith({
      members: port({ membershipsOf: [{ accountId: 'acc_1', role: 'owner' }] }),
      accounts: port({ getAccount: account, getKey: { id: 'key_acc_1' }, listKeys: [] }),
      projects: port({ getProject: project, rename: true, listDeployments: [] }),
      domains: port({ listDomains: [] }),
      rules: { edge: { host: 'e' } },
    });
  }

  test.each([
    ['GET', '/accounts/acc_1/keys', ['membershipsOf', 'getAccount', 'listKeys']],
    ['GET', '/projects/prj_1/domains', ['getProject', 'membershipsOf', 'listDomains']],
    ['PUT', '/projects/prj_1', ['getProject', 'membershipsOf', 'getAccount', 'rename']],
    ['GET', '/projects/prj_1', ['getProject', 'membershipsOf']],
  ])('%s %s', async (method, path, expected) => {
    const reads: string[] = [];
    const control = createControl({ ports: counted(reads), clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    const body = method === 'PUT' ? '{"name":"New"}' : undefined;
    const { statusCode } = await control(controlEvent(method, path, { claims: { sub: 'usr_1' }, body }), CONTEXT);
    expect([statusCode, reads]).toEqual([200, expected]);
  });

  test('PUT /projects/prj_1 where accounts can require a second factor', async () => {
    const reads: string[] = [];
    const ports = { ...counted(reads), knowsSecondFactors: true };
    const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    await control(controlEvent('PUT', '/projects/prj_1', { claims: { sub: 'usr_1' }, body: '{"name":"New"}' }), CONTEXT);
    expect(reads).toEqual(['getProject', 'membershipsOf', 'getAccount', 'rename']);
  });

  test('PUT with If-Match judges what is replaced, without another read', async () => {
    const reads: string[] = [];
    const control = createControl({ ports: counted(reads), clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    const ask = (method: string, more: object) => control(controlEvent(method, '/projects/prj_1', { claims: { sub: 'usr_1' }, ...more }), CONTEXT);
    const { etag } = (await ask('GET', {})).headers;
    reads.length = 0;
    const answer = await ask('PUT', { body: '{"name":"New"}', headers: { 'if-match': String(etag) } });
    expect([answer.statusCode, reads]).toEqual([200, ['getProject', 'membershipsOf', 'getAccount', 'rename']]);
    expect((await ask('PUT', { body: '{"name":"New"}', headers: { 'if-match': '"other"' } })).statusCode).toBe(412);
  });

  test('what does not exist is not found, with a condition too', async () => {
    const control = createControl({ ports: counted([]), clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    const headers = { 'if-match': '"other"' };
    for (const path of ['/projects/prj_1/domains/dom_1', '/accounts/acc_1/keys/key_of_others', '/accounts/acc_2'])
      expect((await control(controlEvent('DELETE', path, { claims: { sub: 'usr_1' }, headers }), CONTEXT)).statusCode, path).toBe(404);
  });
});
