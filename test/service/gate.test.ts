// The gate with in-memory stores: what reaches the target, and what callers get.

import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import { SCOPES } from '../../core/access/plans.ts';
import type { Stores } from '../../core/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { createGate, type GateScopes } from '../../service/gate/create-gate.ts';
import type { GateTarget, KnownCaller } from '../../service/gate/target.ts';
import { NOON, sampleAccount, sampleKey } from '../../testing/samples.ts';

const BY_METHOD: GateScopes = { read: 'pets:read', write: 'pets:write' };

interface Options {
  readonly perMinute?: number;
  readonly keyScopes?: GateScopes;
  readonly scopes?: (typeof SCOPES)[number][];
  readonly target?: GateTarget;
  readonly stores?: (stores: Stores) => Partial<Stores>;
  /** How long ago API Gateway got the request, in milliseconds. */
  readonly startMs?: number;
  /** What Lambda leaves the function, in milliseconds. */
  readonly remainingMs?: number;
}

async function makeGate(options: Options = {}) {
  const { perMinute = 100, keyScopes = BY_METHOD, scopes = [...SCOPES], target, stores: change, startMs = 0, remainingMs = 30_000 } = options;
  const memory = createMemoryStores();
  const account = sampleAccount({ perMinute, perDay: 1_000 });
  const { text: key, ...record } = sampleKey(account.id, { scopes });
  await memory.accounts.createAccount(account);
  await memory.accounts.addKey(record, 10, NOON);
  const reached: { event: APIGatewayProxyEventV2; caller: KnownCaller; leftMs: number }[] = [];
  const answering: GateTarget = async (event, caller, left) => {
    reached.push({ event, caller, leftMs: left() });
    return target === undefined
      ? { ok: true, response: { statusCode: 200, headers: { 'x-ratelimit-limit': '7' }, body: 'hello' } }
      : target(event, caller, left);
  };
  const handler = createGate({
    stores: { ...memory, ...change?.(memory) },
    target: answering,
    timeoutMs: 25_000,
    scopes: keyScopes,
    clock: () => NOON,
    logger: new Logger({ logLevel: 'SILENT' }),
  });
  const send = async (method: string, path: string, headers: Record<string, string> = {}, address = '192.0.2.1') => {
    const http = { method, path, protocol: 'HTTP/1.1', sourceIp: address, userAgent: '' };
    const event = {
      rawPath: path,
      rawQueryString: '',
      isBase64Encoded: false,
      requestContext: { requestId: 'request-1', timeEpoch: NOON - startMs, http },
      headers: { authorization: `Bearer ${key}`, ...headers },
    };
    return handler(event as unknown as APIGatewayProxyEventV2, { getRemainingTimeInMillis: () => remainingMs } as Context);
  };
  return { send, reached, account, keyId: record.id };
}

const codeOf = ({ body }: { readonly body: string }) => (JSON.parse(body) as { code: string }).code;

describe('a request that is admitted', () => {
  test('reaches the target with its caller, and gets the account’s own rate-limit headers', async () => {
    const { send, reached, account, keyId } = await makeGate();
    const response = await send('GET', '/anything/at/all', { origin: 'https://page.example' });
    expect(response).toMatchObject({ statusCode: 200, body: 'hello' });
    expect(response.headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
      'x-request-id': 'request-1',
      'access-control-allow-origin': '*',
    });
    expect(reached).toMatchObject([{ event: { rawPath: '/anything/at/all' }, caller: { accountId: account.id, keyId, plan: 'enterprise' } }]);
    expect(reached[0]?.caller.scopes).toEqual(SCOPES);
  });

  test.each([
    ['what its target may take', {}, 25_000],
    ['what Lambda leaves', { remainingMs: 20_000.7 }, 19_500],
    ['what API Gateway leaves after a cold start', { startMs: 6_000 }, 23_500],
    ['nothing, after a slow admission', { remainingMs: 400 }, -100],
  ])('has %s', async (_, options, leftMs) => {
    const { send, reached } = await makeGate(options);
    await send('GET', '/');
    expect(reached).toMatchObject([{ leftMs }]);
  });

  test('continues the trace of its caller as a part of its own, and its answer is as before', async () => {
    const { send, reached } = await makeGate();
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const parent = '00f067aa0ba902b7';
    const response = await send('GET', '/', { traceparent: `cc-${trace}-${parent}-01-later`, tracestate: 'a=1,b=2' });
    const { traceparent, tracestate } = reached[0]?.event.headers ?? {};
    expect(traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toContain(parent);
    expect(tracestate).toBe('a=1,b=2');
    expect(response.headers).toMatchObject({ 'x-request-id': 'request-1' });
    expect(Object.keys(response.headers).filter((name) => name.startsWith('trace'))).toEqual([]);
  });

  test('begins a trace if it is in none, or in one that is not valid, and then drops the state', async () => {
    const { send, reached } = await makeGate();
    await send('GET', '/');
    await send('GET', '/', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, tracestate: 'a=1' });
    const headers = reached.map(({ event }) => event.headers);
    for (const { traceparent } of headers) expect(traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(headers[0]?.traceparent).not.toBe(headers[1]?.traceparent);
    expect(headers[1]).not.toHaveProperty('tracestate');
  });

  test('needs the scope of its method', async () => {
    const { send, reached } = await makeGate({ scopes: ['pets:read'] });
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect((await send(method, '/')).statusCode).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(method, '/');
      expect([response.statusCode, codeOf(response)]).toEqual([403, 'forbidden']);
    }
    expect(reached).toHaveLength(3);
  });

  test('needs another scope if the gate is set so', async () => {
    const { send } = await makeGate({ scopes: ['pets:read'], keyScopes: { read: 'pets:read', write: 'pets:read' } });
    expect((await send('POST', '/')).statusCode).toBe(200);
  });
});

describe('a request that is refused never reaches the target', () => {
  test('above the limit: exactly the limit is admitted, however many come at once', async () => {
    const { send, reached } = await makeGate({ perMinute: 20 });
    const responses = await Promise.all(Array.from({ length: 100 }, () => send('GET', '/')));
    const statuses = responses.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
    expect(reached).toHaveLength(20);
    const refused = responses.find(({ statusCode }) => statusCode === 429);
    expect(refused?.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' });
  });

  test.each([
    ['without a key', ''],
    ['with a malformed key', 'Bearer petstore_live_x'],
    ['with an unknown key', `Bearer ${sampleKey(sampleAccount().id).text}`],
  ])('%s', async (_, authorization) => {
    const { send, reached } = await makeGate();
    const response = await send('GET', '/', { authorization });
    expect([response.statusCode, codeOf(response)]).toEqual([401, 'unauthorized']);
    expect(response.headers).toMatchObject({ 'www-authenticate': expect.stringContaining('Bearer'), 'x-ratelimit-limit': expect.any(String) });
    expect(reached).toEqual([]);
  });

  test('from an address that has used up its failures', async () => {
    const { send, reached } = await makeGate();
    for (let sent = 0; sent < 60; sent += 1) await send('GET', '/', { authorization: '' });
    const response = await send('GET', '/', { authorization: '' });
    expect([response.statusCode, codeOf(response)]).toEqual([429, 'rate_limit_exceeded']);
    expect((await send('GET', '/', { authorization: '' }, '192.0.2.2')).statusCode).toBe(401);
    expect(reached).toEqual([]);
  });

  test.each(['TRACE', 'CONNECT', 'PROPFIND', 'get', ''])('with the method %j', async (method) => {
    const { send, reached } = await makeGate();
    const response = await send(method, '/');
    expect([response.statusCode, codeOf(response), response.headers.allow]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ]);
    expect(response.headers['x-ratelimit-remaining']).toBe('99');
    expect((await send(method, '/', { authorization: '' })).statusCode).toBe(401);
    expect(reached).toEqual([]);
  });

  test('while storage does not answer', async () => {
    const fault = () => Promise.reject(new StoreFault('unavailable', 'secret'));
    const { send, reached } = await makeGate({ stores: ({ usage, leases: _ }) => ({ usage: { ...usage, admit: fault } }) });
    const response = await send('GET', '/');
    expect([response.statusCode, codeOf(response)]).toEqual([503, 'unavailable']);
    expect(response.body).not.toContain('secret');
    expect(reached).toEqual([]);
  });

  test('as a preflight, which is answered without a key', async () => {
    const { send, reached } = await makeGate();
    const asked = { authorization: '', origin: 'https://page.example', 'access-control-request-method': 'PUT' };
    const response = await send('OPTIONS', '/', asked);
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({ 'access-control-allow-methods': expect.stringContaining('PUT'), 'access-control-allow-origin': '*' });
    expect(reached).toEqual([]);
  });
});

describe('what callers are told', () => {
  const textOf = ({ body }: { readonly body: string }) => (JSON.parse(body) as { message: string }).message;

  test('is nothing about another API', async () => {
    const { send } = await makeGate({ scopes: ['pets:read'] });
    const { send: sendMuch } = await makeGate({ perMinute: 1 });
    const { send: sendInVain } = await makeGate({
      stores: ({ usage }) => ({ usage: { ...usage, admit: () => Promise.reject(new StoreFault('unavailable', '')) }, leases: undefined as never }),
    });
    const token = { authorization: 'Bearer a.b.c' };
    const texts = [
      ...[await send('GET', '/', token), await send('GET', '/', { authorization: '' }), await send('POST', '/'), await send('TRACE', '/')],
      ...(await Promise.all(Array.from({ length: 60 }, () => send('GET', '/', token)))),
      ...[await sendMuch('GET', '/'), await sendMuch('GET', '/'), await sendInVain('GET', '/')],
    ]
      .filter(({ statusCode }) => statusCode !== 200)
      .map(textOf);
    expect(texts).toContain('this is an access token; this API takes API keys');
    expect(texts).toContain('storage did not answer; the request has not been passed on; retry');
    expect(new Set(texts).size).toBeGreaterThan(6);
    for (const text of texts) expect(text.replace(/pets:\w+/g, '')).not.toMatch(/pet|animal|Idempotency|JWT|dashboard|control API|catalogue|member/i);
  });

  test('about a ban is how it ends', async () => {
    const until = NOON + 300_000;
    const limits = { minute: { limit: 1, remaining: 0, resetAt: until }, day: { limit: 1, remaining: 0, resetAt: until } };
    const banned = { kind: 'banned', plan: 'pro', retryAt: until, quotas: limits } as const;
    const { send } = await makeGate({ stores: ({ usage }) => ({ usage: { ...usage, admit: async () => banned }, leases: undefined as never }) });
    expect(textOf(await send('GET', '/'))).toContain('wait 300 s, or ask for the ban to be lifted; then');
  });
});

describe('a target that fails', () => {
  test('is reported in the form of all errors, with the rate-limit headers', async () => {
    const { send } = await makeGate({ target: async () => ({ ok: false, refusal: { code: 'bad_gateway', message: 'failed' } }) });
    const response = await send('GET', '/');
    expect(response.statusCode).toBe(502);
    expect(JSON.parse(response.body)).toEqual({ code: 'bad_gateway', message: 'failed', status: 502 });
    expect(response.headers['x-ratelimit-remaining']).toBe('99');
  });

  test('does not show why', async () => {
    const { send } = await makeGate({ target: () => Promise.reject(new Error('secret')) });
    const response = await send('GET', '/');
    expect([response.statusCode, codeOf(response)]).toEqual([500, 'internal_error']);
    expect(response.body).not.toContain('secret');
  });
});
