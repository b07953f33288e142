// An HTTP fuzzer that knows the OpenAPI document: it sends requests as the document describes them, altered in one or more places, and checks every
// response against the document: a documented status, the Error shape, the headers. It must never get a 500, and never hang.

import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PET_FIELD_LIST } from '../../core/pets/fields.ts';
import { anyCharacter } from '../support/characters.ts';
import { undeclaredHeaders } from '../support/declared-headers.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { petBody } from '../support/samples.ts';

interface Document {
  /** By their whole paths. */
  paths: Record<string, Record<string, { operationId: string; parameters: Parameter[]; responses: Record<string, unknown> }>>;
}

interface Parameter {
  name: string;
  in: string;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

let host: TestHost;
let key: string;
let document: Document;
/** Documented statuses: those of each operation, and those of all operations. */
let documented: Map<string, Set<number>>;

beforeAll(async () => {
  host = await startTestHost();
  ({ key } = await host.makeKey({ perMinute: 1_000_000_000, perDay: 1_000_000_000 }));
  const served = (await (await fetch(`${host.url}/v1/openapi.json`)).json()) as Document & { servers: [{ url: string }] };
  const paths = Object.entries(served.paths).map(([path, methods]) => [`${served.servers[0].url}${path}`, methods]);
  document = { ...served, paths: Object.fromEntries(paths) };
  documented = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { responses }]) => [`${method.toUpperCase()} ${path}`, new Set(Object.keys(responses).map(Number))] as const,
      ),
    ),
  );
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
});

const TIMEOUT_MS = 5_000;

/** Sends a request that no library tidies up; resolves with undefined if Node itself refuses to send it. */
function send(method: string, path: string, headers: Record<string, string>, body: string | Buffer | undefined): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    let request: ReturnType<typeof httpRequest>;
    try {
      const { hostname, port } = new URL(host.url);
      request = httpRequest({ hostname, port, method, path, headers, timeout: TIMEOUT_MS });
    } catch (error) {
      if (error instanceof TypeError) return resolve(undefined);
      return reject(error);
    }
    request.on('timeout', () => reject(new Error(`no answer within ${TIMEOUT_MS} ms to ${method} ${path}`)));
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.end(body);
  });
}

function expectDocumented(answer: Answer, operation: string | undefined, what: string): void {
  expect(answer.status, what).toBeLessThan(500);
  if (operation !== undefined) {
    const [method = '', path = ''] = operation.split(' ');
    expect([...(documented.get(operation) ?? [])], what).toContain(answer.status);
    expect(undeclaredHeaders(document, method, path, answer.status, Object.keys(answer.headers)), what).toEqual([]);
  }
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
    expect(answer.headers, what).toHaveProperty(name);
  if (answer.status < 400) return;
  const body = JSON.parse(answer.body);
  expect(Object.keys(body), what).toEqual(['code', 'message', 'status']);
  expect([body.status, typeof body.code, typeof body.message], what).toEqual([answer.status, 'string', 'string']);
  expect(answer.body, what).not.toMatch(/node:|\.ts:\d|at \w+ \(|SQLITE|Error:/);
}

const authorized = () => ({ authorization: `Bearer ${key}` });

/** JSON values that are close to valid for a field, and some that are not. */
const oddNumber = fc.constantFrom(
  '1.0',
  '1e3',
  '1E400',
  '-0',
  '-0.0',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '01',
  '+1',
  '.5',
  '5.',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '1_000',
  '1'.repeat(400),
);
const oddText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    'a'.repeat(255),
    'a'.repeat(256),
    '🐕'.repeat(255),
    '🐕'.repeat(256),
    'e\u0301'.repeat(255),
    '\u00a0',
    '\u200b',
  ),
);
const textLiteral = oddText.map((text) => JSON.stringify(text));
const literal = fc.oneof(
  oddNumber,
  textLiteral,
  fc.constantFrom('null', 'true', '[]', '{}', '[1]', '{"a":1}', '"available"', '"sold"', '"1"', '""'),
  fc.json(),
  fc.bigInt().map(String),
);
const memberName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<string>(...PET_FIELD_LIST.map(({ name }) => name)) },
  fc.constantFrom('id', '__proto__', 'constructor', 'toString', 'Name', 'na\\u006de', ''),
  fc.string({ maxLength: 5 }),
);
const membersOf = (body: string) => body.slice(1, -1).split(',');
const goodMembers = fc.constantFrom(membersOf(petBody({ name: 'Rex' })), membersOf(petBody({ name: 'Rex', status: 'sold' })), []);
const objectBody = fc
  .tuple(goodMembers, fc.array(fc.tuple(memberName, literal), { maxLength: 3 }))
  .map(
    ([good, odd]) =>
      `{${[...good, ...odd.map(([name, value]) => `${name.includes('\\u') ? `"${name}"` : JSON.stringify(name)}:${value}`)].join(',')}}`,
  );
const body = fc.oneof(
  { weight: 8, arbitrary: objectBody },
  literal,
  fc.tuple(objectBody, fc.nat(60), oddText).map(([text, at, odd]) => text.slice(0, at) + odd + text.slice(at)),
  fc.integer({ min: 1, max: 30_000 }).map((depth) => '['.repeat(depth)),
  fc.integer({ min: 1, max: 10_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('x'.repeat(70_000), Buffer.alloc(300_000, 0x20)),
);
const headerValue = fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.replace(/[^\x20-\x7e]/g, ''));
const contentType = fc.oneof(
  { weight: 10, arbitrary: fc.constant('application/json') },
  fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json;', 'multipart/form-data', ''),
  headerValue,
);
const oddHeaders = fc.dictionary(
  fc.constantFrom(
    'idempotency-key',
    'if-none-match',
    'accept',
    'content-encoding',
    'origin',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-http-method-override',
    'expect',
    'range',
    'cookie',
    'host',
    'te',
  ),
  fc.oneof(headerValue, fc.constantFrom('*', '"', '"x', 'gzip', 'null', 'W/""', '0'.repeat(300))),
  { maxKeys: 3 },
);
const queryValue = fc.oneof(
  fc.constantFrom(
    '1',
    '20',
    '100',
    '0',
    '101',
    '-1',
    '1.0',
    '1e1',
    'available',
    'sold',
    'lost',
    '',
    '%',
    '%00',
    '%ff',
    '%ED%A0%80',
    '٣',
    '__proto__',
  ),
  fc.string().map(encodeSafely),
);
const RUNS = 250;

/** Percent-encodes as many characters as possible. */
function encodeSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

describe('fuzzer', () => {
  test('sends any body when creating an animal', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(body, contentType, oddHeaders, async (sent, type, headers) => {
        const { host: _, expect: __, ...rest } = headers;
        const answer = await send('POST', '/v1/pets', { ...rest, ...authorized(), 'content-type': type }, sent);
        if (answer === undefined) return;
        expectDocumented(answer, 'POST /v1/pets', `body ${String(sent).slice(0, 200)}`);
        if (answer.status !== 201) return;
        taken += 1;
        // What was stored is returned unchanged.
        const pet = JSON.parse(answer.body);
        const found = await send('GET', `/v1/pets/${pet.id}`, authorized(), undefined);
        expect(found?.body).toBe(answer.body);
      }),
      { numRuns: RUNS * 2 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  test('sends any query to the list', async () => {
    const names = (document.paths['/v1/pets']?.get?.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    expect(names).toEqual(['limit', 'status', 'cursor']);
    const pair = fc.tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...names) },
        fc.constantFrom('page', '__proto__', 'LIMIT', 'limit%00'),
        fc.string().map(encodeSafely),
      ),
      queryValue,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 4 }), oddHeaders, async (pairs, headers) => {
        const { expect: _, ...rest } = headers;
        const path = `/v1/pets?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
        const answer = await send('GET', path, { ...rest, ...authorized() }, undefined);
        if (answer !== undefined) expectDocumented(answer, 'GET /v1/pets', path);
      }),
      { numRuns: RUNS },
    );
  });

  test('sends any path and method', async () => {
    const segment = fc.oneof(
      fc.constantFrom('v1', 'pets', 'store', 'orders', '..', '.', '', '7', '%2e%2e', '%00', '-1', '9'.repeat(30), '1e3', '__proto__', 'openapi.json'),
      fc.webSegment(),
    );
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY', 'LOCK');
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), method, oddHeaders, async (segments, verb, headers) => {
        const { expect: _, ...rest } = headers;
        const path = `/${segments.join('/')}`;
        if (['/', '/docs', '/healthz'].includes(path)) return;
        const answer = await send(verb, path, { ...rest, ...authorized() }, undefined);
        if (answer !== undefined && verb !== 'HEAD') expectDocumented(answer, undefined, `${verb} ${path}`);
      }),
      { numRuns: RUNS },
    );
  });

  test('sends any animal id', async () => {
    const id = fc.oneof(fc.bigInt().map(String), oddText.map(encodeSafely), fc.double().map(String), oddNumber.map(encodeURIComponent));
    await fc.assert(
      fc.asyncProperty(
        id.filter((text) => text !== '' && text !== '.' && text !== '..'),
        async (text) => {
          const answer = await send('GET', `/v1/pets/${text}`, authorized(), undefined);
          if (answer !== undefined) expectDocumented(answer, 'GET /v1/pets/{petId}', text);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('sends any key, each from a new address', async () => {
    const changed = fc.tuple(fc.nat(59), fc.string({ minLength: 1, maxLength: 1 })).map(
      ([at, character]) =>
        (k: string) =>
          k.slice(0, at) + character + k.slice(at + 1),
    );
    const value = fc.oneof(
      changed,
      headerValue.map((text) => () => text),
    );
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', ''), async (make, scheme) => {
        const bent = make(key);
        // Each uses a separate minute, because an address's failures are limited.
        host.clock.now += 60_000;
        const answer = await send('GET', '/v1/pets', { authorization: scheme + bent }, undefined);
        if (answer === undefined) return;
        expectDocumented(answer, 'GET /v1/pets', bent);
        expect(answer.status === 200).toBe(bent.trim() === key && scheme.toLowerCase().startsWith('bearer'));
      }),
      { numRuns: RUNS },
    );
  });

  test('sends any altered cursor, and sets the clock forward and back', async () => {
    for (let n = 0; n < 3; n += 1)
      await send('POST', '/v1/pets', { ...authorized(), 'content-type': 'application/json' }, petBody({ name: `C${n}` }));
    const first = await send('GET', '/v1/pets?limit=1', authorized(), undefined);
    const cursor = /cursor=([\w-]+)/.exec(String(first?.headers.link))?.[1] ?? '';
    expect(cursor).toHaveLength(16);
    await fc.assert(
      fc.asyncProperty(fc.nat(15), fc.constantFrom(...'AZaz09-_'), fc.integer({ min: -10_000_000, max: 10_000_000 }), async (at, character, step) => {
        const bent = cursor.slice(0, at) + character + cursor.slice(at + 1);
        host.clock.now += step;
        const answer = await send('GET', `/v1/pets?cursor=${bent}`, authorized(), undefined);
        expect(answer?.status).toBe(bent === cursor ? 200 : 400);
        if (answer !== undefined) expectDocumented(answer, 'GET /v1/pets', bent);
        expect((await send('GET', `/v1/pets?cursor=${cursor}&status=sold`, authorized(), undefined))?.status).toBe(400);
      }),
      { numRuns: 100 },
    );
  });
});
