// Calls the handler with events, for cases that HTTP can't show, such as faults, the log, metrics, and dates years ahead.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import type { Stores } from '../../core/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { catalogueSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import { type CatalogueDependencies, createCatalogue } from '../../service/catalogue/create-catalogue.ts';
import { NOON, sampleAccount, sampleKey, samplePet } from '../../testing/samples.ts';
import { petBody, seededRandom32 } from '../support/samples.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function makeApi(
  options: { stores?: (stores: Stores) => Partial<Stores>; level?: 'INFO' | 'SILENT' | 'ERROR' } & Partial<
    Omit<CatalogueDependencies, 'stores'>
  > = {},
) {
  const { stores: change, level = 'SILENT', ...rest } = options;
  const memory = createMemoryStores();
  const account = sampleAccount({ perMinute: 100, perDay: 1_000 });
  const { text: key, ...record } = sampleKey(account.id);
  await memory.accounts.createAccount(account);
  await memory.accounts.addKey(record, 10, NOON);
  const clock = { now: NOON };
  const changed = change?.(memory) ?? {};
  const dependencies = { clock: () => clock.now, random32: seededRandom32(), logger: new Logger({ logLevel: level, serviceName: 'test' }), ...rest };
  const api = createCatalogue({ ...dependencies, stores: { ...memory, ...changed } });
  const call = async (method: string, path: string, fields: Partial<APIGatewayProxyEventV2> & { address?: string } = {}) => {
    const { address = '192.0.2.1', ...event } = fields;
    const requestContext = {
      domainName: 'api.example.com',
      requestId: 'request-1',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: address, userAgent: '' },
    };
    const whole = {
      rawPath: path,
      rawQueryString: '',
      isBase64Encoded: false,
      requestContext,
      ...event,
      headers: { authorization: `Bearer ${key}`, ...event.headers },
    };
    const response = await api(whole as unknown as APIGatewayProxyEventV2, {} as Context);
    return { ...response, json: response.body === '' ? undefined : JSON.parse(response.body) };
  };
  const post = (body: string, headers: Record<string, string> = {}) =>
    call('POST', '/v1/pets', { body, headers: { 'content-type': 'application/json', ...headers } });
  return { api, call, post, clock, memory, account, key, record };
}

const failing = (error: Error) => () => Promise.reject(error);

test('the ids of a burst in another process are stepped over', async () => {
  let first = 0;
  const { post, clock } = await makeApi({
    stores: ({ pets }) => ({
      pets: {
        ...pets,
        create: async (creation, now) => {
          first ||= creation.pet.id;
          const isTaken = creation.pet.id > first && creation.pet.id <= first + 500;
          return isTaken ? { kind: 'id_taken', holder: creation.pet } : pets.create(creation, now);
        },
      },
    }),
  });
  const body = petBody({ name: 'A', categoryId: 1 });
  expect((await post(body)).statusCode).toBe(201);
  // Behind the last id: the next one follows it.
  clock.now -= 1_000;
  expect((await post(body)).statusCode).toBe(201);
});

describe('faults', () => {
  test('failing storage gives a 503 with Retry-After and rate-limit headers, without details', async () => {
    const fault = new StoreFault('unavailable', 'secret table name');
    for (const stores of [
      (s: Stores) => ({ usage: { ...s.usage, admit: failing(fault) } }),
      (s: Stores) => ({ pets: { ...s.pets, list: failing(fault) } }),
    ]) {
      const { call } = await makeApi({ stores });
      const response = await call('GET', '/v1/pets');
      expect(response.statusCode).toBe(503);
      expect(response.json).toEqual({ code: 'unavailable', message: expect.not.stringContaining('secret'), status: 503 });
      expect(response.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': expect.any(String), 'x-request-id': 'request-1' });
    }
  });

  test('any other fault gives a 500 with a general message, and is logged in full', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { call } = await makeApi({ level: 'ERROR', stores: (s) => ({ pets: { ...s.pets, list: failing(new TypeError('secret detail')) } }) });
    const response = await call('GET', '/v1/pets');
    expect([response.statusCode, response.json.code]).toEqual([500, 'internal_error']);
    expect(response.body).not.toContain('secret');
    expect(JSON.parse(String(print.mock.calls[0]?.[0]))).toMatchObject({
      level: 'ERROR',
      message: 'fault',
      status: 500,
      error: { message: 'secret detail' },
    });
  });

  test('a thrown value need not be an Error', async () => {
    const { call } = await makeApi({ level: 'ERROR', stores: (s) => ({ pets: { ...s.pets, list: () => Promise.reject('text') } }) });
    vi.spyOn(console, 'error').mockImplementation(() => {});
    expect((await call('GET', '/v1/pets')).statusCode).toBe(500);
  });

  test('a corrupt item is answered with 500', async () => {
    const { call } = await makeApi({ stores: (s) => ({ pets: { ...s.pets, get: failing(new StoreFault('corrupt', 'x')) } }) });
    expect((await call('GET', '/v1/pets/7')).statusCode).toBe(500);
  });

  test('a taken id is replaced by another; five taken ids in a row are a fault', async () => {
    const tried: number[] = [];
    const { post } = await makeApi({
      stores: (s) => ({
        pets: {
          ...s.pets,
          create: async (creation, now) => {
            tried.push(creation.pet.id);
            return tried.length < 3 ? { kind: 'id_taken', holder: samplePet(creation.pet.id) } : s.pets.create(creation, now);
          },
        },
      }),
    });
    expect((await post(petBody({ name: 'A', categoryId: 1 }))).statusCode).toBe(201);
    expect(new Set(tried).size).toBe(3);
    const { post: never } = await makeApi({
      stores: (s) => ({ pets: { ...s.pets, create: async ({ pet }) => ({ kind: 'id_taken', holder: pet }) } }),
    });
    expect((await never(petBody({ name: 'A', categoryId: 1 }))).statusCode).toBe(503);
  });

  test('a condition means what RFC 9110 says, and is not taken beside an idempotency key', async () => {
    const { post } = await makeApi({});
    const body = petBody({ name: 'A', categoryId: 1 });
    const answer = async (headers: Record<string, string>) => {
      const { statusCode, json } = await post(body, headers);
      return [statusCode, json.code];
    };
    expect(await answer({ 'if-none-match': '*' })).toEqual([412, 'precondition_failed']);
    expect(await answer({ 'if-match': '"other"' })).toEqual([412, 'precondition_failed']);
    expect(await answer({ 'if-match': '*', 'idempotency-key': 'k' })).toEqual([400, 'invalid_request']);
    expect((await answer({ 'if-match': '*' }))[0]).toBe(201);
  });

  test('a creation in progress with the same idempotency key is answered with 409 and Retry-After', async () => {
    const { post } = await makeApi({ stores: (s) => ({ pets: { ...s.pets, create: async () => ({ kind: 'in_progress' }) } }) });
    const response = await post(petBody({ name: 'A', categoryId: 1 }), { 'idempotency-key': 'k' });
    expect([response.statusCode, response.json.code, response.headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1']);
  });
});

describe('deprecation', () => {
  test('an operation is gone after its sunset, and names its successor', async () => {
    const { call, clock, memory } = await makeApi();
    await memory.pets.create({ pet: samplePet(7) }, NOON);
    clock.now = Date.UTC(2030, 11, 5) - 1;
    expect((await call('GET', '/v1/pets/7')).statusCode).toBe(200);
    clock.now += 1;
    const response = await call('GET', '/v1/pets/7');
    expect([response.statusCode, response.json.code]).toEqual([410, 'gone']);
    expect(response.headers).toMatchObject({
      deprecation: '@1764892800',
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: '</v1/pets>; rel="successor-version"',
    });
    expect((await call('GET', '/v1/pets/7', { headers: { authorization: '' } })).statusCode).toBe(401);
  });
});

describe('client addresses', () => {
  const NO_KEY = { headers: { authorization: '' } };
  const JUNK = { headers: { authorization: 'Bearer junk' } };
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

  test('may fail 60 times a minute, and then have to wait; a valid key is still admitted', async () => {
    const { call } = await makeApi();
    for (let n = 0; n < 60; n += 1) expect((await call('GET', '/v1/pets', n % 2 ? JUNK : NO_KEY)).statusCode).toBe(401);
    for (const request of [JUNK, NO_KEY]) {
      const refused = await call('GET', '/v1/pets', request);
      expect([refused.statusCode, refused.json.code, refused.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '60']);
      expect(refused.json.message).toMatch(/more than 60 requests without a well-formed key/);
    }
    // This process has not seen the key yet, as after a restart.
    expect((await call('GET', '/v1/pets')).statusCode).toBe(200);
    expect((await call('GET', '/v1/pets', { ...JUNK, address: '192.0.2.2' })).statusCode).toBe(401);
  });

  test('have a separate budget for unknown keys; beyond it, a request costs a read and is not counted', async () => {
    const asked = { admit: 0, hasKey: 0 };
    const { call, clock, key, account } = await makeApi({
      stores: (s) => ({
        usage: {
          ...s.usage,
          admit: (request, now) => {
            asked.admit += 1;
            return s.usage.admit(request, now);
          },
          hasKey: (request, now) => {
            asked.hasKey += 1;
            return s.usage.hasKey(request, now);
          },
        },
      }),
    });
    const guess = () => call('GET', '/v1/pets', bearer(sampleKey(account.id).text));
    for (let n = 0; n < 60; n += 1) expect((await guess()).statusCode).toBe(401);
    expect(asked).toEqual({ admit: 60, hasKey: 0 });
    for (let n = 0; n < 20; n += 1) {
      const refused = await guess();
      expect([refused.statusCode, refused.json.message]).toEqual([429, expect.stringMatching(/unknown, expired or revoked.*more than 60/)]);
      expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    }
    expect(asked).toEqual({ admit: 60, hasKey: 20 });
    // The valid key is looked up once, and is known from then on.
    expect((await call('GET', '/v1/pets', bearer(key))).statusCode).toBe(200);
    expect((await call('GET', '/v1/pets', bearer(key))).statusCode).toBe(200);
    expect(asked).toEqual({ admit: 62, hasKey: 21 });
    // Requests without a key have a separate budget.
    expect((await call('GET', '/v1/pets', NO_KEY)).headers['x-ratelimit-remaining']).toBe('59');
    clock.now += 60_000;
    expect((await guess()).statusCode).toBe(401);
  });

  test('are not counted for public operations', async () => {
    const { call } = await makeApi();
    for (let n = 0; n < 100; n += 1) expect((await call('GET', '/v1/openapi.json', { headers: { authorization: '' } })).statusCode).toBe(200);
    expect((await call('GET', '/v1/pets', { headers: { authorization: '' } })).headers['x-ratelimit-remaining']).toBe('59');
  });
});

test('characters that were refused are escaped in the answer, and in the log', async () => {
  const written = vi.spyOn(console, 'info').mockImplementation(() => {});
  const { post, call } = await makeApi({ level: 'INFO' });
  const bad = '\u202eRex\u0085\u200f\u2028';
  const escaped = '\\u202eRex\\u0085\\u200f\\u2028';
  const named = await post(petBody({ name: bad, categoryId: 1 }));
  expect(named.json.message).toContain(`got "${escaped}"`);
  const asked = await call('GET', '/v1/pets', { queryStringParameters: { [bad]: bad } });
  expect(asked.json.message).toContain(escaped);
  await call('GET', `/v1/${bad}`);
  const lines = written.mock.calls.flat().join('');
  expect(lines).toContain('Rex');
  for (const text of [named.body, asked.body, lines]) expect(text).not.toMatch(/[\u0080-\u009f\u2028\u2029\p{Bidi_Control}]/u);
});

describe('the media type of a body', () => {
  test.each([
    'application/json',
    'Application/JSON ; x=y',
    'application/json; x=y',
    'application/json;charset="UTF-8";profile="https://example.com/a;b"',
    'application/json; x="a\\"b"; charset=utf-8 ;',
    'application/json;',
    'application/json; charset = utf-8',
    'application/json; x="y',
  ])('%j is JSON', async (type) => {
    const { post } = await makeApi();
    expect((await post(petBody({ name: 'Rex', categoryId: 1 }), { 'content-type': type })).statusCode).toBe(201);
  });

  test.each([
    'text/plain',
    'application/json-patch',
    'application/json; charset=iso-8859-1',
    'application/json x=y',
    'application/json, text/plain',
    'application/json; x=y; charset=utf-16',
    'json',
    '',
  ])('%j is not', async (type) => {
    const { post } = await makeApi();
    const { statusCode, json } = await post(petBody({ name: 'Rex', categoryId: 1 }), { 'content-type': type });
    expect([statusCode, json.message]).toEqual([415, `content-type: got ${JSON.stringify(type)}; allowed: application/json, in UTF-8`]);
  });
});

test('a path that needs no key needs none for its 405 either', async () => {
  const { call } = await makeApi();
  const without = { headers: { authorization: '' } };
  expect(await call('TRACE', '/v1/openapi.json', without)).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
  expect((await call('TRACE', '/v1/pets', without)).statusCode).toBe(401);
});

describe('refusals', () => {
  test('are repeated from memory while they last', async () => {
    let asked = 0;
    const { call, memory, account, clock } = await makeApi({
      stores: (s) => ({
        usage: {
          ...s.usage,
          admit: (request, now) => {
            asked += 1;
            return s.usage.admit(request, now);
          },
        },
      }),
    });
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 1, perDay: 9 });
    expect((await call('GET', '/v1/pets')).statusCode).toBe(200);
    for (let n = 0; n < 5; n += 1) {
      clock.now += 1_000;
      expect((await call('GET', '/v1/pets')).headers['retry-after']).toBe(String(60 - n - 1));
    }
    expect(asked).toBe(2);
  });

  test('name the window and the plan, and say how long to wait', async () => {
    const { call, memory, account } = await makeApi();
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 5, perDay: 1 });
    await call('GET', '/v1/pets');
    expect((await call('GET', '/v1/pets')).json.message).toBe(
      'this account has used its limit of 1 request per UTC day (plan Enterprise); retry in 50400 s',
    );
  });

  test('for concurrent requests are not strikes', async () => {
    const { call, memory, account } = await makeApi({
      stores: (s) => ({
        usage: {
          ...s.usage,
          admit: async (request, now) => {
            await new Promise((resolve) => setImmediate(resolve));
            return s.usage.admit(request, now);
          },
        },
      }),
    });
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 1, perDay: 9 });
    const responses = await Promise.all(Array.from({ length: 40 }, () => call('GET', '/v1/pets')));
    expect(new Set(responses.map(({ json }) => json.code))).toEqual(new Set([undefined, 'rate_limit_exceeded']));
  });

  test('are reported to storage within a minute, even without further requests, in few calls', async () => {
    const waiting: { milliseconds: number; work: () => Promise<void> | void }[] = [];
    let reports = 0;
    const { call, memory, account, clock } = await makeApi({
      later: (milliseconds, work) => waiting.push({ milliseconds, work }),
      stores: (s) => ({
        usage: {
          ...s.usage,
          countRefusals: (...args) => {
            reports += 1;
            return s.usage.countRefusals(...args);
          },
        },
      }),
    });
    const refused = async () => (await memory.usage.usage(account.id, clock.now))?.history.days.at(-1)?.refused;
    const passTime = () => Promise.all(waiting.splice(0).map(({ work }) => work()));
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 1, perDay: 9 });
    await call('GET', '/v1/pets');
    for (let n = 0; n < 3; n += 1) await call('GET', '/v1/pets');
    expect([await refused(), waiting.map(({ milliseconds }) => milliseconds)]).toEqual([0, [2_000]]);
    await passTime();
    expect([await refused(), reports]).toEqual([3, 1]);

    // If there are many refusals, most are reported at once: an idle Lambda is frozen, and its timers with it.
    await Promise.all(Array.from({ length: 100 }, () => call('GET', '/v1/pets')));
    expect(await refused()).toBeGreaterThanOrEqual(90);
    expect(reports).toBeLessThan(25);
    await passTime();
    expect([await refused(), waiting.length]).toEqual([103, 0]);
    await passTime();
    expect(await refused()).toBe(103);
  });

  test('are sent without waiting for a slow report', async () => {
    const { call, memory, account } = await makeApi({
      stores: (s) => ({ usage: { ...s.usage, countRefusals: () => new Promise(() => {}) } }),
    });
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 9, perDay: 1 });
    await call('GET', '/v1/pets');
    for (let n = 0; n < 30; n += 1) expect((await call('GET', '/v1/pets')).statusCode).toBe(429);
  });

  test('are sent even if reporting fails', async () => {
    const waiting: (() => Promise<void> | void)[] = [];
    const { call, memory, account, clock } = await makeApi({
      later: (_milliseconds, work) => waiting.push(work),
      stores: (s) => ({ usage: { ...s.usage, countRefusals: () => Promise.reject(new StoreFault('unavailable', 'down')) } }),
    });
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 9, perDay: 1 });
    expect((await call('GET', '/v1/pets')).statusCode).toBe(200);
    for (let n = 0; n < 10; n += 1) expect((await call('GET', '/v1/pets')).statusCode).toBe(429);
    await Promise.all(waiting.map((work) => work()));
    clock.now += 60_000;
    expect((await call('GET', '/v1/pets')).statusCode).toBe(429);
  });

  test('lead to a ban if they continue, and the ban is stored once', async () => {
    const bans: unknown[] = [];
    let asked = 0;
    const { call, memory, account, clock } = await makeApi({
      stores: (s) => ({
        usage: {
          ...s.usage,
          admit: (request, now) => {
            asked += 1;
            return s.usage.admit(request, now);
          },
          ban: (request, ban) => {
            bans.push(ban);
            return s.usage.ban(request, ban);
          },
        },
      }),
    });
    await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 9, perDay: 1 });
    const codes = new Set<string>();
    for (let n = 0; n < 200; n += 1) {
      const together = await Promise.all(Array.from({ length: 20 }, () => call('GET', '/v1/pets')));
      for (const { json } of together) codes.add(json.code);
      clock.now += 200;
    }
    expect([...codes]).toEqual([undefined, 'rate_limit_exceeded', 'api_key_banned']);
    expect(bans).toHaveLength(1);
    // The first burst reads storage for each request; the ban reads storage once.
    expect(asked).toBe(20 + 1);
    expect((await memory.usage.usage(account.id, clock.now))?.bans).toMatchObject([{ ban: { level: 1 } }]);
  });
});

test('a suspended account gets 403 with its quota, then 429 with Retry-After', async () => {
  const { call, memory, account, clock } = await makeApi();
  await memory.accounts.setPlan(account.id, 'enterprise', { perMinute: 2, perDay: 9 });
  await memory.accounts.setSuspension(account.id, { since: NOON, reason: 'not paid' });
  const ask = async () => {
    const { statusCode, headers, json } = await call('GET', '/v1/pets');
    return [statusCode, json?.code, headers['x-ratelimit-remaining'], headers['retry-after']];
  };
  expect([await ask(), await ask(), await ask()]).toEqual([
    [403, 'account_suspended', '1', undefined],
    [403, 'account_suspended', '0', undefined],
    [429, 'rate_limit_exceeded', '0', '60'],
  ]);
  clock.now += 60_000;
  expect((await ask())[1]).toBe('account_suspended');
  await memory.accounts.setSuspension(account.id, undefined);
  expect((await ask())[0]).toBe(200);
});

test('a paused key gets 403 and nothing is counted; resumed, it works again within 5 seconds', async () => {
  const { call, memory, account, clock } = await makeApi();
  const [key] = await memory.accounts.listKeys(account.id);
  if (key === undefined) throw new Error('the account has no key');
  const ask = async () => {
    const { statusCode, json } = await call('GET', '/v1/pets');
    return [statusCode, json?.code];
  };
  expect(await ask()).toEqual([200, undefined]);
  const before = (await memory.usage.usage(account.id, clock.now))?.quotas;
  await memory.accounts.changeKey({ ...key, pausedAt: NOON }, key);
  const refused = await call('GET', '/v1/pets');
  expect(refused).toMatchObject({ statusCode: 403, json: { code: 'api_key_paused', status: 403 } });
  expect(refused.headers).toMatchObject({
    'x-ratelimit-limit': String(before?.minute.limit),
    'x-ratelimit-remaining': String(before?.minute.remaining),
  });
  expect(refused.headers['retry-after']).toBeUndefined();
  expect((await memory.usage.usage(account.id, clock.now))?.quotas).toEqual(before);
  await memory.accounts.changeKey({ ...key, scopes: ['pets:write'] }, { ...key, pausedAt: NOON });
  expect(await ask()).toEqual([403, 'api_key_paused']);
  clock.now += 5_000;
  expect(await ask()).toEqual([403, 'forbidden']);
  await memory.accounts.changeKey(key, { ...key, scopes: ['pets:write'] });
  expect(await ask()).toEqual([200, undefined]);
});

describe('cursors', () => {
  test('are accepted only with the filter for which they were issued', async () => {
    const { call, memory } = await makeApi();
    for (let id = 1; id <= 3; id += 1) await memory.pets.create({ pet: samplePet(id, { status: 'sold' }) }, NOON);
    const first = await call('GET', '/v1/pets', { queryStringParameters: { limit: '1', status: 'sold' } });
    const cursor = /cursor=([\w-]+)/.exec(String(first.headers.link))?.[1] ?? '';
    expect((await call('GET', '/v1/pets', { queryStringParameters: { cursor, status: 'sold' } })).json.map(({ id }: { id: number }) => id)).toEqual([
      2, 3,
    ]);
    for (const query of [{ cursor }, { cursor, status: 'pending' }, { cursor: 'nonsense' }, { cursor: `${cursor}A`, status: 'sold' }]) {
      const refused = await call('GET', '/v1/pets', { queryStringParameters: query });
      expect([refused.statusCode, refused.json.message]).toEqual([400, expect.stringMatching(/^query parameter cursor: got/)]);
    }
  });

  test("are in links to the requested host, or in relative links if the host's name is invalid", async () => {
    const { api, call, memory, key } = await makeApi();
    for (let id = 1; id <= 2; id += 1) await memory.pets.create({ pet: samplePet(id) }, NOON);
    const link = async (domainName: string, proto?: string) => {
      const requestContext = { domainName, requestId: 'r', http: { method: 'GET', path: '/v1/pets', sourceIp: '192.0.2.1' } };
      const headers = { authorization: `Bearer ${key}`, ...(proto && { 'x-forwarded-proto': proto }) };
      const event = { rawPath: '/v1/pets', queryStringParameters: { limit: '1' }, headers, requestContext };
      return (await api(event as unknown as APIGatewayProxyEventV2, {} as Context)).headers.link;
    };
    expect(await link('api.example.com')).toMatch(/^<https:\/\/api\.example\.com\/v1\/pets\?limit=1&cursor=/);
    expect(await link('127.0.0.1:8080', 'http')).toMatch(/^<http:\/\/127\.0\.0\.1:8080\//);
    expect(await link('evil"> <x')).toMatch(/^<\/v1\/pets/);
    expect((await call('GET', '/v1/pets')).headers.link).toBeUndefined();
  });
});

describe('log and metrics', () => {
  test("have one line per request, with only the key's id", async () => {
    const print = vi.spyOn(console, 'info').mockImplementation(() => {});
    const { call, key, record, account } = await makeApi({ level: 'INFO' });
    await call('GET', '/v1/pets');
    await call('GET', '/v1/nothing', { headers: { authorization: '' } });
    const lines = print.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      message: 'request',
      requestId: 'request-1',
      sourceIp: '192.0.2.1',
      operation: 'listPets',
      status: 200,
      durationMs: 0,
      accountId: account.id,
      keyId: record.id,
      plan: 'enterprise',
    });
    expect(lines[1]).toMatchObject({ operation: 'not_found', status: 401, code: 'unauthorized' });
    expect(JSON.stringify(lines)).not.toContain(key.slice(-20));
    expect(JSON.stringify(lines)).not.toContain(record.digest);
  });

  test('count requests, refusals by kind, faults and latency in EMF, by operation and plan', async () => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    const metrics = new Metrics({ namespace: 'Petstore', serviceName: 'test' });
    const { call } = await makeApi({ metrics, stores: (s) => ({ pets: { ...s.pets, get: failing(new Error('x')) } }) });
    await call('GET', '/v1/pets');
    await call('GET', '/v1/pets', { headers: { authorization: 'Bearer junk' } });
    await call('GET', '/v1/pets/7');
    await call('DELETE', '/v1/pets');
    const lines = print.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines[0]).toMatchObject({ operation: 'listPets', plan: 'enterprise', Requests: 1, Latency: 0 });
    expect(lines[0]._aws.CloudWatchMetrics[0]).toMatchObject({
      Namespace: 'Petstore',
      Dimensions: [
        ['service', 'operation'],
        ['service', 'plan'],
      ],
    });
    expect(lines[1]).toMatchObject({ plan: 'none', Refused_unauthorized: 1 });
    expect(lines[2]).toMatchObject({ operation: 'getPet', Faults: 1, Refused_internal_error: 1 });
    expect(lines[3]).toMatchObject({ operation: 'method_not_allowed', Refused_method_not_allowed: 1 });
  });

  test('the draft headers are sent only if the setting is on', async () => {
    const { call } = await makeApi({ draftHeaders: true });
    expect((await call('GET', '/v1/pets')).headers).toMatchObject({
      ratelimit: expect.stringContaining('"minute";r=99;t=60'),
      'ratelimit-policy': expect.any(String),
    });
    expect((await (await makeApi()).call('GET', '/v1/pets')).headers).not.toHaveProperty('ratelimit');
  });
});

describe('settings of the function', () => {
  test('are read together, and all errors are reported at once', () => {
    expect(
      parseEnvironment(catalogueSettings, {
        PETS_TABLE: 'pets',
        USAGE_TABLE: 'usage',
        CONTROL_TABLE: 'control',
        DRAFT_HEADERS: 'on',
        SERVICE_NAME: 'petstore-staging',
      }),
    ).toEqual({
      ...{ PETS_TABLE: 'pets', USAGE_TABLE: 'usage', CONTROL_TABLE: 'control' },
      DRAFT_HEADERS: true,
      SERVICE_NAME: 'petstore-staging',
    });
    expect(() => parseEnvironment(catalogueSettings, { PETS_TABLE: 'a b' })).toThrow(/PETS_TABLE[\s\S]*USAGE_TABLE[\s\S]*CONTROL_TABLE/);
  });
});

describe('bytes replaced by API Gateway', () => {
  test('are distinguished by Content-Length from a replacement character that was sent', async () => {
    const { post } = await makeApi();
    const body = petBody({ name: '\uFFFD' });
    const sent = Buffer.byteLength(body);
    expect((await post(body, { 'content-length': String(sent) })).statusCode).toBe(201);
    const replaced = await post(body, { 'content-length': String(sent - 2) });
    expect([replaced.statusCode, replaced.json.message]).toEqual([400, 'body: not valid UTF-8']);
  });
});
