// The API as an integrator sees it: black-box, only over HTTP. Each test creates its own data, in a catalogue that others use as well.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atADayWithTime } from '../support/day.ts';
import { eventually } from '../support/eventually.ts';
import { petBody } from '../support/samples.ts';
import { expectAdmitted } from './admitted.ts';
import { ROOMY, startTarget, type Target } from './target.ts';

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

interface ErrorBody {
  code: string;
  message: string;
  status: number;
}

let target: Target;
let key: string;

beforeAll(async () => {
  target = await startTarget();
  ({ key } = await target.issueKey(ROOMY));
});

afterAll(() => target.stop());

const call = (path: string, init: RequestInit = {}, bearer: string | undefined = key) =>
  fetch(`${target.url}${path}`, {
    ...init,
    headers: { ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...(init.headers as Record<string, string>) },
  });
const create = (body: string | Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) =>
  call('/v1/pets', {
    method: 'POST',
    body: typeof body === 'string' ? body : petBody(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
const json = async <T>(response: Response) => (await response.json()) as T;
const unique = () => `e2e-${crypto.randomUUID()}`;

async function expectError(response: Response, status: number, code: string): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expectLimitHeaders(response);
  const body = await json<ErrorBody>(response);
  expect(Object.keys(body).sort()).toEqual(['code', 'message', 'status']);
  expect(body).toMatchObject({ code, status });
  return body.message;
}

function expectLimitHeaders(response: Response): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) expect(response.headers.get(name)).toMatch(/^\d+$/);
  expect(response.headers.get('x-request-id')).toBeTruthy();
}

describe('animals', () => {
  test('can be added, with an id, and read', async () => {
    const response = await create({ name: 'Bella', categoryId: 7 });
    expect(response.status).toBe(201);
    expectLimitHeaders(response);
    const pet = await json<Pet>(response);
    expect(pet).toMatchObject({ id: expect.any(Number), name: 'Bella', categoryId: 7, status: 'available' });
    expect(Number.isSafeInteger(pet.id)).toBe(true);
    expect(response.headers.get('location')).toBe(`/v1/pets/${pet.id}`);
    expect(await (await call(`/v1/pets/${pet.id}`)).json()).toEqual(pet);
  });

  test('keep every digit of an int64, in and out', async () => {
    for (const digits of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
      const text = await (await create({ name: 'Digits', categoryId: BigInt(digits) })).text();
      expect(text).toContain(`"categoryId":${digits},`);
      expect(await (await call(`/v1/pets/${JSON.parse(text).id}`)).text()).toBe(text);
    }
  });

  test('are listed in pages, without gaps or duplicates', async () => {
    const names = Array.from({ length: 7 }, unique);
    for (const name of names) expect((await create({ name, categoryId: 1, status: 'pending' })).status).toBe(201);
    // With a filter, a list may be briefly out of date.
    await eventually(
      async () => (await walk('/v1/pets?status=pending&limit=100')).filter(({ name }) => names.includes(name)),
      (listed) => expect(listed).toHaveLength(7),
    );
    for (const path of ['/v1/pets?status=pending&limit=3', '/v1/pets?limit=100']) {
      const pets = await walk(path);
      expect(pets.filter(({ name }) => names.includes(name)).map(({ name }) => name)).toEqual(names);
      const ids = pets.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      if (path.includes('status')) expect(pets.every(({ status }) => status === 'pending')).toBe(true);
    }
  });

  async function walk(path: string): Promise<Pet[]> {
    const pets: Pet[] = [];
    let next: string | undefined = `${target.url}${path}`;
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status).toBe(200);
      pets.push(...(await json<Pet[]>(response)));
      const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      // The page's URL contains the public host, which an emulator only simulates.
      const page = link === undefined ? undefined : new URL(link);
      next = page && `${target.url}${page.pathname}${page.search}`;
    }
    return pets;
  }

  test('are listed 20 to a page, or as many as requested', async () => {
    for (let n = 0; n < 21; n += 1) await create({ name: 'Page', categoryId: 1 });
    expect(await (await call('/v1/pets')).json()).toHaveLength(20);
    expect(await (await call('/v1/pets/?limit=1')).json()).toHaveLength(1);
    expect((await call('/v1/pets?limit=1')).headers.get('link')).toMatch(/^<http.*\/v1\/pets\?limit=1&cursor=[\w-]{16}>; rel="next"$/);
  });

  test('are returned by a deprecated operation that names its sunset and its successor', async () => {
    const response = await call('/v1/pets/1');
    expect(await expectError(response, 404, 'not_found')).toContain('"1"');
    expect(response.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(response.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    expect(response.headers.get('link')).toContain('rel="successor-version"');
    for (const id of ['0', '-1', '1.5', 'abc', '9999999999999999999999', '%00']) await expectError(await call(`/v1/pets/${id}`), 404, 'not_found');
  });
});

describe('keys', () => {
  test('are refused with the reason if missing or malformed', async () => {
    const missing = await fetch(`${target.url}/v1/pets`);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(missing, 401, 'unauthorized');
    const changed = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const bad of [changed, 'x', key.toLowerCase(), `${key}x`]) {
      const response = await call('/v1/pets', {}, bad);
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      await expectError(response, 401, 'unauthorized');
    }
    await expectError(await fetch(`${target.url}/v1/pets`, { headers: { authorization: `Basic ${key}` } }), 401, 'unauthorized');
    expect((await fetch(`${target.url}/v1/pets`, { headers: { authorization: `bearer ${key}` } })).status).toBe(200);
  });

  test('without the required scope are refused, and the error names the scope', async () => {
    const reader = await target.issueKey(ROOMY, 'pets:read');
    expect((await call('/v1/pets', {}, reader.key)).status).toBe(200);
    const refused = await call('/v1/pets', { method: 'POST', body: '{}' }, reader.key);
    expect(await expectError(refused, 403, 'forbidden')).toContain('pets:write');
  });

  test('are refused at once if revoked, and after the grace period if rotated', async () => {
    const first = await target.issueKey(ROOMY);
    const rotated = await target.petstore<{ key: string; keyId: string }>(['keys', 'rotate', first.keyId]);
    for (const each of [first.key, rotated.key]) expect((await call('/v1/pets', {}, each)).status).toBe(200);
    const again = await target.petstore<{ key: string }>(['keys', 'rotate', rotated.keyId, '--grace', '0s']);
    await target.petstore(['keys', 'revoke', first.keyId, '--yes']);
    for (const each of [first.key, rotated.key]) await expectError(await call('/v1/pets', {}, each), 401, 'unauthorized');
    expect((await call('/v1/pets', {}, again.key)).status).toBe(200);
  });
});

describe('limits', () => {
  test('admit exactly 60 of 500 concurrent requests in a minute, and the day counter shows them', async () => {
    await atADayWithTime();
    const free = await target.issueKey(['free']);
    const responses = await concurrently(500, () => call('/v1/pets?limit=1', {}, free.key));
    const { least, most } = expectAdmitted(responses, 60);
    const refused = responses.filter(({ status }) => status === 429);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
      expectLimitHeaders(response);
    }
    const codes = new Set(await Promise.all(refused.map(async (response) => (await json<ErrorBody>(response)).code)));
    expect([...codes]).toEqual(['rate_limit_exceeded']);
    const { day } = await target.petstore<{ day: { used: number } }>(['usage', '--account', free.accountId]);
    expect(day.used).toBeGreaterThanOrEqual(least);
    expect(day.used).toBeLessThanOrEqual(most);
  });

  test('count down in the headers', async () => {
    const first = async () => {
      const { key: fresh } = await target.issueKey(['free']);
      const responses = [await call('/v1/pets', {}, fresh), await call('/v1/pets', {}, fresh), await call('/v1/pets', {}, fresh)];
      return responses.map(({ headers }) => ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`))));
    };
    let seen = await first();
    // A minute has ended between them.
    while (new Set(seen.map(([, , reset]) => reset)).size > 1) seen = await first();
    const reset = seen[0]?.[2] ?? 0;
    expect(seen).toEqual([
      [60, 59, reset],
      [60, 58, reset],
      [60, 57, reset],
    ]);
    expect(reset % 60).toBe(0);
    expect(reset - Date.now() / 1000).toBeLessThanOrEqual(61);
  });

  /** Sends all requests at once, or as many at a time as the target's front end accepts. */
  async function concurrently<T>(times: number, run: () => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    let started = 0;
    const worker = async () => {
      while (started < times) {
        started += 1;
        results.push(await run());
      }
    };
    await Promise.all(Array.from({ length: Math.min(times, target.connections) }, worker));
    return results;
  }
});

describe('idempotency', () => {
  test('returns the first answer for the same key and body, and refuses another body', async () => {
    const headers = { 'idempotency-key': unique() };
    const first = await create({ name: 'Once', categoryId: 5 }, headers);
    const text = await first.text();
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const second = await create(petBody({ categoryId: 5, name: 'Once' }).replaceAll(/([:,])/g, '$1 '), {
      'idempotency-key': `"${headers['idempotency-key']}"`,
    });
    expect([second.status, await second.text(), second.headers.get('idempotent-replayed')]).toEqual([201, text, 'true']);
    await expectError(await create({ name: 'Twice', categoryId: 5 }, headers), 422, 'idempotency_key_reused');
  });

  test('creates one animal for concurrent requests with one key', async () => {
    const headers = { 'idempotency-key': unique() };
    const race = () => create({ name: 'Race', categoryId: 5 }, headers);
    const responses = await Promise.all(Array.from({ length: 20 }, race));
    const ids = new Set<number>();
    for (const response of responses) {
      // Storage on a busy machine may be too slow for some of them: 503, repeat with the same key.
      expect([201, 409, 503]).toContain(response.status);
      if (response.status === 201) ids.add((await json<Pet>(response)).id);
    }
    await eventually(
      async () => (await race()).status,
      (status) => expect(status).toBe(201),
    );
    ids.add((await json<Pet>(await race())).id);
    expect(ids.size).toBe(1);
  });

  test.each(['', 'a b', 'é', 'x'.repeat(256)])('refuses a key like %j', async (value) => {
    const encoded = Buffer.from(value).toString('latin1');
    await expectError(await create({ name: 'A', categoryId: 1 }, { 'idempotency-key': encoded }), 400, 'invalid_request');
  });
});

describe('HTTP', () => {
  test('skips the transfer if the ETag matches', async () => {
    const { id } = await json<Pet>(await create({ name: 'Tag', categoryId: 1 }));
    const tag = (await call(`/v1/pets/${id}`)).headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const response = await call(`/v1/pets/${id}`, { headers: { 'if-none-match': known } });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag]);
      expectLimitHeaders(response);
    }
    expect((await call(`/v1/pets/${id}`, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  test('answers HEAD as GET, without a body', async () => {
    const [get, head] = [await call('/v1/pets?limit=1'), await call('/v1/pets?limit=1', { method: 'HEAD' })];
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
  });

  test('answers unknown paths with 404 and known ones with a wrong method with 405, but only to requests with a key', async () => {
    await expectError(await call('/v1/store/orders'), 404, 'not_found');
    await expectError(await call('/v1/unknown'), 404, 'not_found');
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await call('/v1/pets', { method });
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
      await expectError(response, 405, 'method_not_allowed');
    }
    await expectError(await call('/v1/pets/1', { method: 'DELETE' }), 405, 'method_not_allowed');
    await expectError(await fetch(`${target.url}/v1/unknown`), 401, 'unauthorized');
  });

  test('lets a browser call from any origin', async () => {
    const preflight = await fetch(`${target.url}/v1/pets`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    const response = await call('/v1/pets', { headers: { origin: 'https://shop.example' } });
    expect(response.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining');
  });

  test.each([
    ['text/plain', 415],
    ['application/jsonx', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON', 201],
  ])('answers a body of %s with %i', async (type, status) => {
    expect((await create({ name: 'Type', categoryId: 1 }, { 'content-type': type })).status).toBe(status);
  });

  test('refuses a body that is too large, compressed, or not UTF-8', async () => {
    await expectError(await create({ name: 'x'.repeat(65_536) }), 413, 'payload_too_large');
    await expectError(await create({ name: 'A', categoryId: 1 }, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
    const bytes = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","categoryId":1}')]);
    expect((await call('/v1/pets', { method: 'POST', body: bytes, headers: { 'content-type': 'application/json' } })).status).toBe(400);
  });

  test('serves the OpenAPI document without a key', async () => {
    const response = await fetch(`${target.url}/v1/openapi.json`);
    expect(response.status).toBe(200);
    expectLimitHeaders(response);
    expect((await json<{ openapi: string }>(response)).openapi).toBe('3.1.0');
  });
});
