// The control API's client against a scripted server: what it sends, with which token, and what it sends again.

import { describe, expect, expectTypeOf, test } from 'vitest';
import { type ControlClientOptions, ControlError, type ControlSchemas, createControlClient, createDeployClient } from '../../client/control.ts';
import { CONTROL_OPERATIONS } from '../../service/control/operations.ts';
import { caught } from '../support/scripted-api.ts';

interface Sent {
  readonly call: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly redirect: RequestInit['redirect'];
}

type Answer = () => Response | Promise<Response>;

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify(body), { status, headers });
const refusal = (status: number, code: string, headers: Record<string, string> = {}) => json({ code, message: code, status }, status, headers);
const lost: Answer = () => Promise.reject(new TypeError('connection reset'));
const brokenOff: Answer = () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) }), { status: 201 });

/** Answers in order, then repeats the last answer. */
function server(...answers: Answer[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const send: typeof fetch = async (input, init) => {
    sent.push({ call: `${init?.method} ${input}`, headers: new Headers(init?.headers), body: init?.body, redirect: init?.redirect });
    init?.signal?.throwIfAborted();
    return ((answers.length > 1 ? answers.shift() : answers[0]) as Answer)();
  };
  const options = {
    baseUrl: 'http://petstore.test/',
    fetch: send,
    random: () => 0,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const make = (more: Partial<ControlClientOptions> = {}) => createControlClient({ token: 'user', ...options, ...more });
  return { control: make(), make, deploy: createDeployClient({ deployToken: 'deploy', ...options }), sent, waits };
}

const PROJECT = { projectId: 'prj_1' };
const KEYS = { name: 'CI', scopes: ['pets:read'] as 'pets:read'[] };

describe('control API client', () => {
  test('changes only what it has read, as often as it is asked to', async () => {
    const { control, sent } = server(
      json({ name: 'A' }, 200, { etag: '"1"' }),
      json({ name: 'B' }, 200, { etag: '"2"' }),
      refusal(412, 'precondition_failed'),
    );
    const read = await control.getProject({ path: PROJECT });
    const renamed = await control.renameProject({ path: PROJECT, body: { name: 'B' }, ifUnchanged: read });
    await expect(control.deleteProject({ path: PROJECT, ifUnchanged: renamed })).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
    await expect(control.deleteProject({ path: PROJECT })).rejects.toMatchObject({ status: 412 });
    expect(sent.map(({ headers }) => headers.get('if-match'))).toEqual([null, '"1"', '"2"', null]);
    const error = await caught(control.deleteProject({ path: PROJECT, ifUnchanged: { ...read } }));
    expect(error).toEqual(new TypeError('deleteProject: ifUnchanged: allowed: a value that this client returned'));
    expectTypeOf<Parameters<typeof control.getProject>[0]>().not.toHaveProperty('ifUnchanged');
  });

  test('does not send a conditional change again if its response is lost', async () => {
    const { control, sent } = server(json({ name: 'A' }, 200, { etag: '"1"' }), lost, json({}));
    const read = await control.getProject({ path: PROJECT });
    await expect(control.renameProject({ path: PROJECT, body: { name: 'B' }, ifUnchanged: read })).rejects.toThrow('connection reset');
    expect(sent).toHaveLength(2);
  });

  test.each([undefined, null, '', 7, '.', '..'])('sends nothing if a part of the path is %j, and names it', async (domainId) => {
    const { control, sent } = server(json({}));
    const error = await caught(control.getDomain({ path: { ...PROJECT, domainId: domainId as string } }));
    expect(error).toEqual(new TypeError(`getDomain: path.domainId: got ${JSON.stringify(domainId)}; allowed: the id, as text`));
    expect(sent).toEqual([]);
  });

  test('sends nothing if the path is missing, or given without its name', async () => {
    const { control, sent } = server(json([]));
    const wrong = [
      () => control.getProject({} as never),
      () => control.getProject(PROJECT as never),
      () => control.getProject('prj_1' as never),
      () =>
        control
          .all('listDomains', {} as never)
          [Symbol.asyncIterator]()
          .next(),
    ];
    for (const call of wrong) {
      const error = await caught(call());
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toMatchObject({ message: expect.stringMatching(/^(getProject|listDomains): path\.projectId: got undefined; allowed/) });
    }
    expect(sent).toEqual([]);
  });

  test('sends path, query and body with the token, and follows no redirect', async () => {
    const { control, sent } = server(json({ done: true }));
    await control.removeDomain({ path: { projectId: 'a/b', domainId: 'ü' }, query: { withRedirects: true } });
    await control.renameProject({ path: PROJECT, body: { name: 'Shop' } });
    await control.getMe();
    expect(sent.map(({ call }) => call)).toEqual([
      'DELETE http://petstore.test/dashboard/v1/projects/a%2Fb/domains/%C3%BC?withRedirects=true',
      'PUT http://petstore.test/dashboard/v1/projects/prj_1',
      'GET http://petstore.test/dashboard/v1/me',
    ]);
    expect(sent.map(({ body }) => body)).toEqual([null, '{"name":"Shop"}', null]);
    for (const { headers, redirect } of sent) expect([headers.get('authorization'), redirect]).toEqual(['Bearer user', 'error']);
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual([null, 'application/json', null]);
  });

  test('has all operations, and with a deploy token those that it allows', () => {
    const { control, deploy } = server(json({}));
    const rows = Object.entries(CONTROL_OPERATIONS);
    expect(Object.keys(control).toSorted()).toEqual([...rows.map(([id]) => id), 'all', 'sendFile'].toSorted());
    const deploying = rows.filter(([, row]) => 'deploys' in row && row.deploys).map(([id]) => id);
    expect(Object.keys(deploy).toSorted()).toEqual([...deploying, 'all', 'sendFile'].toSorted());
  });

  test('sends a deploy token to its own paths', async () => {
    const { deploy, sent } = server(json({}));
    await deploy.getProject({ path: PROJECT });
    expect(sent[0]).toMatchObject({ call: 'GET http://petstore.test/deploy/v1/projects/prj_1' });
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer deploy');
  });

  test('creates once: every attempt has the same Idempotency-Key', async () => {
    const { control, sent, waits } = server(
      lost,
      brokenOff,
      refusal(503, 'unavailable'),
      refusal(504, 'unavailable'),
      refusal(409, 'idempotency_in_progress', { 'retry-after': '1' }),
      json({}),
    );
    await control.issueKey({ path: { accountId: 'acc_1' }, body: KEYS });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect([sent.length, new Set(keys).size, waits.at(-1)]).toEqual([6, 1, 1_000]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    await control.createProject({ path: { accountId: 'acc_1' }, body: { name: 'x' }, idempotencyKey: 'mine' });
    expect(sent.at(-1)?.headers.get('idempotency-key')).toBe('mine');
  });

  test('does not repeat what may have taken effect, unless that is safe', async () => {
    const rollBack = { path: PROJECT, body: {} };
    for (const answer of [lost, brokenOff, refusal(503, 'unavailable', { 'retry-after': '1' })]) {
      const { control, sent } = server(answer);
      await caught(control.rollBack(rollBack));
      expect(sent).toHaveLength(1);
      expect(sent[0]?.headers.has('idempotency-key')).toBe(false);
      await caught(control.deleteProject({ path: PROJECT }));
      await caught(control.getProject({ path: PROJECT }));
      expect(sent).toHaveLength(13);
    }
  });

  test('waits for a limit as long as Retry-After says, also with what is not repeated', async () => {
    const { control, sent, waits } = server(refusal(429, 'rate_limit_exceeded', { 'retry-after': '7' }), json({}));
    await control.rollBack({ path: PROJECT, body: {} });
    expect([sent.length, waits]).toEqual([2, [7_000]]);
    const slow = server(refusal(429, 'rate_limit_exceeded', { 'retry-after': '600' }));
    expect(await caught(slow.control.getMe())).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 600 });
    expect(slow.waits).toEqual([]);
  });

  test('throws refusals with code, status, message and request id, at once', async () => {
    const { control, sent } = server(refusal(409, 'conflict', { 'x-request-id': 'req_1' }));
    const error = await caught(control.deleteProject({ path: PROJECT }));
    expect(error).toBeInstanceOf(ControlError);
    expect(error).toMatchObject({ name: 'ControlError', code: 'conflict', status: 409, message: 'conflict', requestId: 'req_1' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    [401, '{"message":"Unauthorized"}', 'unauthorized', 'Unauthorized'],
    [403, '{"message":"Forbidden"}', 'forbidden', 'Forbidden'],
    [504, '{"message":"Endpoint request timed out"}', 'unavailable', 'Endpoint request timed out'],
    [418, '<html>', 'internal_error', 'HTTP 418 with an unrecognized body'],
  ])('derives the code of a response that API Gateway made from its status %i', async (status, body, code, message) => {
    const { control } = server(() => new Response(body, { status, headers: { 'apigw-requestid': 'gw_1' } }));
    expect(await caught(control.getMe())).toMatchObject({ status, code, message, requestId: 'gw_1' });
  });

  test('asks for the token before each request, and once more if it is refused', async () => {
    const { make, sent } = server(refusal(401, 'unauthorized'), json({}), refusal(401, 'unauthorized'));
    const asked: (string | undefined)[] = [];
    const tokens = ['old', 'new', 'current', 'last'];
    const token = async (refused?: string) => {
      asked.push(refused);
      return tokens.shift() ?? '';
    };
    const control = make({ token });
    await control.verifyDomain({ path: { ...PROJECT, domainId: 'dom_1' } });
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old', 'Bearer new']);
    expect(await caught(control.getMe())).toMatchObject({ code: 'unauthorized' });
    expect(asked).toEqual([undefined, 'old', undefined, 'current']);
    expect(sent).toHaveLength(4);
    // A token that can't be renewed is not tried again.
    const fixed = server(refusal(401, 'unauthorized'));
    expect(await caught(fixed.control.getMe())).toMatchObject({ code: 'unauthorized' });
    expect(fixed.sent).toHaveLength(1);
  });

  test('ends with the error of the function that returns the token', async () => {
    const { make, sent } = server(json({}));
    const signedOut = new Error('signed out');
    expect(await caught(make({ token: () => Promise.reject(signedOut) }).getMe())).toBe(signedOut);
    expect(sent).toEqual([]);
  });

  test('iterates over a list in pages', async () => {
    const next = { link: '</dashboard/v1/projects/prj_1/domains?limit=100&cursor=c%2B1>; rel="next"' };
    const { control, sent } = server(json([{ host: 'a.test' }, { host: 'b.test' }], 200, next), json([{ host: 'c.test' }]));
    const hosts: string[] = [];
    for await (const domain of control.all('listDomains', { path: PROJECT })) {
      expectTypeOf(domain).toEqualTypeOf<ControlSchemas['Domain']>();
      hosts.push(domain.host);
    }
    expect(hosts).toEqual(['a.test', 'b.test', 'c.test']);
    expect(sent.map(({ call }) => call.split('?')[1])).toEqual(['limit=100', 'limit=100&cursor=c%2B1']);
  });

  test('sends a file with the token to the service only, and again after a fault', async () => {
    const headers = { 'content-type': 'text/html' };
    const { control, sent } = server(lost, () => new Response(null, { status: 200 }));
    await control.sendFile({ name: 'a', url: '/dashboard/v1/files/1', headers }, 'a');
    await control.sendFile({ name: 'b', url: 'https://storage.test/b?signature', headers }, new Uint8Array([1]));
    expect(sent.map(({ call, headers }) => [call, headers.get('authorization'), headers.get('content-type')])).toEqual([
      ['PUT http://petstore.test/dashboard/v1/files/1', 'Bearer user', 'text/html'],
      ['PUT http://petstore.test/dashboard/v1/files/1', 'Bearer user', 'text/html'],
      ['PUT https://storage.test/b?signature', null, 'text/html'],
    ]);
  });

  test('ends a call with its signal: before, in flight and while it waits', async () => {
    const reason = new Error('the user left');
    const { control, sent } = server(json({}));
    expect(await caught(control.getMe({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(sent).toEqual([]);
    for (const answer of [lost, refusal(503, 'unavailable')]) {
      const controller = new AbortController();
      const { make, sent } = server(answer);
      const sleep = async () => controller.abort(reason);
      expect(await caught(make({ sleep }).getMe({ signal: controller.signal }))).toBe(reason);
      expect(sent).toHaveLength(1);
    }
    const controller = new AbortController();
    const held = server(() => {
      controller.abort(reason);
      return lost();
    });
    expect(await caught(held.control.getMe({ signal: controller.signal }))).toBe(reason);
    expect(held.sent).toHaveLength(1);
  });

  test('has types for inputs and answers', () => {
    const { control } = server(json({}));
    // Checked by the compiler, never called.
    const calls = () => [
      // @ts-expect-error The path is required.
      control.getProject(),
      // @ts-expect-error The body is required.
      control.createProject({ path: { accountId: 'acc_1' } }),
      // @ts-expect-error Nothing is created, so there is no Idempotency-Key.
      control.getMe({ idempotencyKey: 'x' }),
      // @ts-expect-error Not a list in pages.
      control.all('listAccounts', {}),
    ];
    expect(calls).toBeTypeOf('function');
    expectTypeOf(control.listAccounts).returns.resolves.toEqualTypeOf<ControlSchemas['Account'][]>();
    expectTypeOf(control.createProject).returns.resolves.toEqualTypeOf<ControlSchemas['Project']>();
  });
});
