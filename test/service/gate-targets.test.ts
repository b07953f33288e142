// What targets get, and how their answers are read.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLambdaTarget, type Invocation, MAX_RETURNED_BYTES } from '../../service/gate/lambda-target.ts';
import type { KnownCaller } from '../../service/gate/target.ts';
import { createUrlTarget, MAX_RESPONSE_BYTES, type TargetSecret } from '../../service/gate/url-target.ts';

const CALLER: KnownCaller = { accountId: 'acc_1', keyId: 'key_1', plan: 'pro', scopes: ['pets:read'] };
const SPOOFED = {
  'x-petstore-account-id': 'acc_2',
  'x-petstore-key-id': 'key_2',
  'X-Petstore-Plan': 'enterprise',
  'X-Petstore-Secret': 'guessed',
  x_petstore_secret: 'guessed',
};

/** By which proxies, content delivery networks and frameworks name the client, as their documentation spells them. */
const SPOOFED_CLIENT = [
  ...['X-Real-IP', 'True-Client-IP', 'X-Client-IP', 'Client-IP', 'X-Cluster-Client-IP', 'CF-Connecting-IP', 'CF-Connecting-IPv6', 'Fly-Client-IP'],
  ...[
    'Fastly-Client-IP',
    'X-Azure-ClientIP',
    'X-Azure-SocketIP',
    'X-Appengine-User-IP',
    'X-Originating-IP',
    'X-Remote-IP',
    'X-Remote-Addr',
    'X_Real_IP',
  ],
  ...[
    'CloudFront-Viewer-Address',
    'X-Envoy-External-Address',
    'WL-Proxy-Client-IP',
    'X-Nf-Client-Connection-IP',
    'Ali-CDN-Real-IP',
    'X-Ip',
    'CF-Pseudo-IPv4',
  ],
  ...['X-Forwarded', 'X-Forwarded-Prefix', 'X-Forwarded-Path', 'X-Forwarded-Uri', 'X-Forwarded-Method', 'X-Forwarded-Server', 'X-Forwarded-Scheme'],
  ...['X-Forwarded-Ssl', 'X-Forwarded-User', 'X-Forwarded-Email', 'X-Forwarded-Client-Cert', 'X-Vercel-Forwarded-For', 'X-Original-Forwarded-For'],
  ...['Forwarded-For', 'X-Original-Host', 'X-Original-Method', 'X-Original-Uri', 'X-Original-Remote-Addr', 'X-Rewrite-Uri', 'X-Host', 'X-Scheme'],
  ...[
    'X-Script-Name',
    'Front-End-Https',
    'X-Url-Scheme',
    'Remote-User',
    'X-Remote-User',
    'X-SSL-Client-Cert',
    'SSL-Client-Verify',
    'Client-Cert',
    'X-Amzn-Oidc-Identity',
  ],
];
/** Headers of clients that resemble them. */
const ORDINARY = [
  'user-agent',
  'x-client-version',
  'x-email-address',
  'x-original-filename',
  'x-request-id',
  'x-ship',
  'x-zip',
  'origin',
  'x-mac-address',
];

function eventOf(method: string, rawPath: string, fields: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  const requestContext = { requestId: 'r1', http: { method, path: rawPath, sourceIp: '192.0.2.1' } };
  const event = { version: '2.0', rawPath, rawQueryString: '', isBase64Encoded: false, requestContext, ...fields };
  return { ...event, headers: { authorization: 'Bearer secret', ...fields.headers } } as unknown as APIGatewayProxyEventV2;
}

const left = () => 5_000;

describe('a Lambda function', () => {
  const onFault = vi.fn();
  const answerTo = (payload: string) => createLambdaTarget(async () => ({ kind: 'returned', payload }), onFault)(eventOf('GET', '/'), CALLER, left);

  test('gets the event with the caller as a Lambda authorizer would pass it, without the key', async () => {
    const payloads: string[] = [];
    const target = createLambdaTarget(async (payload) => {
      payloads.push(payload);
      return { kind: 'returned', payload: '{"statusCode":204}' };
    }, onFault);
    const authorizer = { lambda: { accountId: 'acc_2' } };
    const event = eventOf('GET', '/a', { headers: { ...SPOOFED, accept: 'text/plain' } });
    await target(Object.assign(event, { call: { secret: true }, requestContext: { ...event.requestContext, authorizer } }), CALLER, left);
    expect(JSON.parse(payloads[0] ?? '')).toEqual({
      ...{ version: '2.0', rawPath: '/a', rawQueryString: '', isBase64Encoded: false },
      headers: { accept: 'text/plain', 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' },
      requestContext: { requestId: 'r1', http: event.requestContext.http, authorizer: { lambda: CALLER } },
    });
  });

  test.each([
    ['a whole response', { statusCode: 201, headers: { 'X-A': 1, 'Content-Type': 'text/plain' }, body: 'a' }, { statusCode: 201, body: 'a' }],
    ['a text', 'hello', { statusCode: 200, headers: { 'content-type': 'application/json' }, body: 'hello' }],
    ['an object', { message: 'hi' }, { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{"message":"hi"}' }],
    ['a list', [1, 2], { statusCode: 200, body: '[1,2]' }],
    ['nothing', null, { statusCode: 200, body: 'null' }],
    ['cookies', { statusCode: 200, cookies: ['a=1', 'b=2'] }, { cookies: ['a=1', 'b=2'], body: '' }],
    ['what Go writes', { statusCode: 200, headers: null, multiValueHeaders: null, body: 'x', cookies: null }, { statusCode: 200, body: 'x' }],
    ['nulls for what is absent', { statusCode: '201', headers: {}, body: null, isBase64Encoded: null }, { statusCode: 201, body: '' }],
    ['an object with a status of null', { statusCode: null, a: 1 }, { statusCode: 200, body: '{"statusCode":null,"a":1}' }],
    ['a file', { statusCode: 200, body: 'aGk=', isBase64Encoded: true }, { body: 'aGk=', isBase64Encoded: true }],
  ])('may return %s', async (_, returned, response) => {
    expect(await answerTo(JSON.stringify(returned))).toMatchObject({ ok: true, response });
  });

  test('has its header names in lower case, and its numbers as text', async () => {
    const answer = await answerTo('{"statusCode":200,"headers":{"X-A":1,"Content-Type":"text/plain","x-none":null}}');
    expect(answer).toMatchObject({ response: { headers: { 'x-a': '1', 'content-type': 'text/plain' } } });
    expect(JSON.stringify(answer)).not.toContain('x-none');
  });

  test.each([
    ['no JSON', '<html>'],
    ['a status that does not exist', '{"statusCode":99}'],
    ['a status that is a text', '{"statusCode":"ok"}'],
    ['a body that is no text', '{"statusCode":200,"body":{}}'],
    ['cookies that are no texts', '{"statusCode":200,"cookies":[1]}'],
    ['more than fits into a response', JSON.stringify('a'.repeat(MAX_RETURNED_BYTES))],
    ['what is larger as the body of a response', JSON.stringify(Array.from({ length: 1_600_000 }, () => '"'))],
  ])('is reported as failed if it returns %s, and why goes to the log', async (_, payload) => {
    onFault.mockClear();
    expect(await answerTo(payload)).toMatchObject({ ok: false, refusal: { code: 'bad_gateway' } });
    expect(onFault).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringMatching(/^request r1: the function returned /) }),
    );
  });

  test.each([
    ['failed', 'bad_gateway'],
    ['busy', 'unavailable'],
    ['timeout', 'gateway_timeout'],
    ['too_large', 'payload_too_large'],
  ] as const)('that %s is answered with %s', async (kind, code) => {
    const target = createLambdaTarget(async (): Promise<Invocation> => ({ kind }), onFault);
    expect(await target(eventOf('GET', '/'), CALLER, left)).toMatchObject({ ok: false, refusal: { code } });
  });

  test('is invoked with the time that is left, and not at all without', async () => {
    const invoke = vi.fn(async (): Promise<Invocation> => ({ kind: 'timeout' }));
    const target = createLambdaTarget(invoke, onFault);
    await target(eventOf('GET', '/'), CALLER, () => 1_234);
    expect(invoke).toHaveBeenCalledExactlyOnceWith(expect.any(String), 1_234);
    expect(await target(eventOf('GET', '/'), CALLER, () => 0)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
    expect(invoke).toHaveBeenCalledOnce();
  });

  test('that can not be invoked is reported as failed, and why goes to the log', async () => {
    onFault.mockClear();
    const error = new Error('not permitted');
    const answer = await createLambdaTarget(async () => ({ kind: 'failed', error }), onFault)(eventOf('GET', '/'), CALLER, left);
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'bad_gateway', message: expect.not.stringContaining('permitted') } });
    const [logged] = onFault.mock.calls[0] ?? [];
    expect(logged).toMatchObject({ message: expect.stringContaining('request r1: '), cause: error });
  });
});

describe('a URL', () => {
  test('gets the request with the caller, without the key, and without what clients say of themselves', async () => {
    const { send, requests } = await makeUrl((_request, response) => {
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-a': 'b', connection: 'x-hop', 'x-hop': '1' }).end('made');
    });
    const headers = { ...SPOOFED, host: 'api.example.com', te: 'trailers', connection: 'x-mine', 'x-mine': '1', 'content-type': 'text/plain' };
    const answer = await send('POST', '/things', {
      headers,
      rawQueryString: 'a=1&b=%2F',
      body: 'aGk=',
      isBase64Encoded: true,
      cookies: ['s=1', 't=2'],
    });
    expect(answer).toMatchObject({ ok: true, response: { statusCode: 201, headers: { 'x-a': 'b' }, cookies: ['a=1', 'b=2'] } });
    expect(answer.ok && Buffer.from(answer.response.body, 'base64').toString()).toBe('made');
    expect(JSON.stringify(answer)).not.toContain('x-hop');
    const [request] = requests;
    expect([request?.method, request?.url, request?.text]).toEqual(['POST', '/base/things?a=1&b=%2F', 'hi']);
    expect(request?.headers).toMatchObject({
      'x-petstore-account-id': 'acc_1',
      'x-petstore-key-id': 'key_1',
      'x-petstore-plan': 'pro',
      'content-type': 'text/plain',
      cookie: 's=1; t=2',
    });
    for (const name of ['authorization', 'te', 'x-mine', 'x-petstore-secret', 'x_petstore_secret']) expect(request?.headers).not.toHaveProperty(name);
    expect(request?.headers.host).toMatch(/^127\.0\.0\.1:/);
  });

  test.each(['//evil.example/a', '@evil.example/a', '/\\evil.example/a', '/https://evil.example', '/a?b#c', '/../basement'])(
    'is never left by the path %s',
    async (path) => {
      const { send, requests } = await makeUrl((_request, response) => response.end('ok'));
      const answer = await send('GET', path);
      if (!answer.ok) expect(answer.refusal.code).toBe('not_found');
      for (const { url } of requests) expect(url).toMatch(/^\/base\//);
      expect(requests.length + (answer.ok ? 0 : 1)).toBe(1);
    },
  );

  test('gets no header that its server could take for the caller, another method or another path', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.end('ok'));
    const forged = { x_petstore_account_id: 'acc_2', 'X_Petstore-Plan': 'enterprise', 'x-petstore-scopes': 'pets:write', Authorization_: 'x' };
    const overrides = {
      'X-HTTP-Method-Override': 'DELETE',
      x_http_method: 'PUT',
      'x-original-url': '/admin',
      forwarded: 'host=evil',
      'x-forwarded-host': 'evil',
    };
    await send('GET', '/', { headers: { ...forged, ...overrides, 'x-mine': 'a', x_petstor: 'b' } });
    const ours = ['account-id', 'key-id', 'plan']
      .map((name) => `x-petstore-${name}`)
      .concat(['for', 'port', 'proto'].map((name) => `x-forwarded-${name}`));
    const names = Object.keys(requests[0]?.headers ?? {}).filter((name) => /petstor|method|original|rewrite|forwarded|authorization|mine/.test(name));
    expect(names.toSorted()).toEqual([...ours, 'authorization_', 'x-mine', 'x_petstor'].toSorted());
    expect(requests[0]?.headers).toMatchObject({ 'x-petstore-account-id': 'acc_1', 'x-petstore-plan': 'pro' });
  });

  test('gets no header that its server could take for the client or its connection, but those that are true', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.end('ok'));
    const headers = {
      ...Object.fromEntries(SPOOFED_CLIENT.map((name) => [name, '203.0.113.66'])),
      ...{ 'x-forwarded-for': '203.0.113.66, 192.0.2.1', 'x-forwarded-proto': 'http', 'x-forwarded-port': '80' },
      ...Object.fromEntries(ORDINARY.map((name) => [name, 'mine'])),
    };
    await send('GET', '/', { headers });
    const got = requests[0]?.headers ?? {};
    expect(got).toMatchObject({ 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' });
    expect(Object.keys(got).filter((name) => got[name] === '203.0.113.66')).toEqual([]);
    expect(Object.keys(got).filter((name) => got[name] === 'mine')).toEqual(ORDINARY);
  });

  test('gets its secret with each request, which clients can not send', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.end('ok'), { secret: async () => 'the-secret' });
    await send('GET', '/', { headers: { ...SPOOFED, connection: 'x-petstore-secret' } });
    expect(requests[0]?.headers).toMatchObject({ 'x-petstore-secret': 'the-secret' });
    expect(JSON.stringify(requests)).not.toContain('guessed');
  });

  test('gets no request without its secret', async () => {
    const { send, requests, onFault } = await makeUrl((_request, response) => response.end('ok'), { secret: async () => undefined });
    expect(await send('POST', '/', { body: '{}' })).toMatchObject({ ok: false, refusal: { code: 'bad_gateway' } });
    expect(onFault).toHaveBeenCalledExactlyOnceWith(new Error("request r1: not sent, because the target's secret could not be read"));
    expect(requests).toEqual([]);
  });

  test('gets no request without time, also if the secret has taken it', async () => {
    let timeoutMs = 5_000;
    const requests = vi.fn<typeof fetch>();
    const secret = async () => {
      timeoutMs = 0;
      return 'the-secret';
    };
    const target = createUrlTarget({ url: 'https://orders.example.com', fetch: requests, onFault: vi.fn(), secret });
    expect(await target(eventOf('GET', '/'), CALLER, () => timeoutMs)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
    expect(requests).not.toHaveBeenCalled();
  });

  test('gets every character of headers, cookies and paths', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.end('ok'));
    expect(await send('GET', '/50%/a%2Fb', { headers: { 'x-name': 'Zoë €' }, cookies: ['a=€'] })).toMatchObject({ ok: true });
    const { url, headers = {} } = requests[0] ?? {};
    const utf8 = (value: unknown) => Buffer.from(String(value), 'latin1').toString();
    expect([url, utf8(headers['x-name']), utf8(headers.cookie)]).toEqual(['/base/50%25/a%2Fb', 'Zoë €', 'a=€']);
  });

  const ENCODED = [
    '/..%2fadmin',
    '/..%2f..%2Fadmin',
    '/..%5cadmin',
    '/..;/admin',
    '/..;a=b/admin',
    '/%252e%252e/admin',
    '/a/%2e%2e%252fadmin',
    '/..\\admin',
  ];
  test.each(['/../admin', '/a/../../admin', '/%2e%2e/admin', '/..', ...ENCODED])('refuses the path %s, which leads out of its own', async (path) => {
    const { send, requests } = await makeUrl((_request, response) => response.end('ok'));
    expect(await send('GET', path)).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
    expect(requests).toEqual([]);
  });

  test('passes a redirect on instead of following it', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    expect(await send('GET', '/')).toMatchObject({ ok: true, response: { statusCode: 302, headers: { location: 'http://169.254.169.254/' } } });
    expect(requests).toHaveLength(1);
  });

  test('is not asked to read with a body', async () => {
    const { send, requests } = await makeUrl((_request, response) => response.end());
    expect(await send('GET', '/', { body: 'x' })).toMatchObject({ ok: false, refusal: { code: 'invalid_request' } });
    expect(requests).toEqual([]);
  });

  test('that sends too much, too late or nothing is reported as failed, and why goes to the log', async () => {
    const large = await makeUrl((_request, response) => response.end(Buffer.alloc(MAX_RESPONSE_BYTES + 1)));
    expect(await large.send('GET', '/')).toMatchObject({ ok: false, refusal: { code: 'bad_gateway' } });
    expect(large.onFault).toHaveBeenCalledWith(new Error(`request r1: a response of more than ${MAX_RESPONSE_BYTES} bytes`));
    const whole = await makeUrl((_request, response) => response.end(Buffer.alloc(MAX_RESPONSE_BYTES)));
    expect(await whole.send('GET', '/')).toMatchObject({ ok: true });
    const late = await makeUrl(() => {}, { timeoutMs: 50 });
    expect(await late.send('GET', '/')).toMatchObject({ ok: false, refusal: { code: 'gateway_timeout' } });
    const slow = await makeUrl((_request, response) => void response.writeHead(200).write('a'), { timeoutMs: 50 });
    expect(await slow.send('GET', '/')).toMatchObject({ ok: false, refusal: { code: 'gateway_timeout' } });
    const broken = await makeUrl((request) => request.destroy());
    expect(await broken.send('GET', '/')).toMatchObject({
      ok: false,
      refusal: { code: 'bad_gateway', message: expect.not.stringContaining('127.0.0.1') },
    });
    expect(broken.onFault).toHaveBeenCalledOnce();
  });
});

interface Seen extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  text: string;
}

async function makeUrl(answer: RequestListener, { timeoutMs = 5_000, secret }: { timeoutMs?: number; secret?: TargetSecret } = {}) {
  const requests: Seen[] = [];
  const server = createServer(async (request, response) => {
    const seen: Seen = { method: request.method, url: request.url, headers: request.headers, text: '' };
    requests.push(seen);
    request.on('error', () => {});
    if (request.method === 'POST') for await (const chunk of request) seen.text += chunk;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const onFault = vi.fn();
  const { port } = server.address() as AddressInfo;
  const target = createUrlTarget({ url: `http://127.0.0.1:${port}/base/`, fetch, onFault, secret });
  const send = (method: string, path: string, fields: Partial<APIGatewayProxyEventV2> = {}) =>
    target(eventOf(method, path, fields), CALLER, () => timeoutMs);
  return { send, requests, onFault };
}
