// The probe against the catalogue itself: it accepts a working API, and notices each way in which one fails.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import type { Stores } from '../../core/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { parseEnvironment, probeSettings } from '../../platforms/aws/function-settings.ts';
import { createCatalogue } from '../../service/catalogue/create-catalogue.ts';
import { type ProbeOptions, probeApi } from '../../service/probe/probe-api.ts';
import { NOON } from '../../testing/samples.ts';
import { seededRandom32 } from '../support/samples.ts';

const URL_OF_API = 'https://api.example.com';

/** Sends requests to the catalogue, as API Gateway does. */
function fetchFrom(stores: Stores): ProbeOptions['fetch'] {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const api = createCatalogue({
    stores,
    clock: () => NOON,
    random32: seededRandom32(),
    logger: new Logger({ logLevel: 'SILENT', serviceName: 'test' }),
    metrics: new Metrics({ namespace: 'Petstore', serviceName: 'test' }),
    draftHeaders: false,
  });
  return async (url, { headers }) => {
    const path = url.slice(URL_OF_API.length);
    const http = { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' };
    const requestContext = { domainName: 'api.example.com', requestId: 'r1', http };
    const event = { rawPath: path, rawQueryString: '', headers, requestContext, isBase64Encoded: false };
    const { statusCode, body } = await api(event as unknown as APIGatewayProxyEventV2, {} as Context);
    return new Response(body, { status: statusCode });
  };
}

const probeWith = (fetch: ProbeOptions['fetch']) => probeApi({ url: URL_OF_API, keyMode: 'live', fetch, randomBytes });

test('a working API has no problems, and its storage was asked', async () => {
  const stores = createMemoryStores();
  const admit = vi.spyOn(stores.usage, 'admit');
  expect(await probeWith(fetchFrom(stores))).toEqual([]);
  expect(admit).toHaveBeenCalledOnce();
});

test('its requests cause as many metrics of the service as are paid for', async () => {
  const fetch = fetchFrom(createMemoryStores());
  const lines = vi.mocked(console.log).mock.calls;
  lines.length = 0;
  await probeWith(fetch);
  const published = lines.flatMap(([line]) => metricsIn(JSON.parse(String(line))));
  expect(new Set(published).size).toBe(8);
});

interface EmbeddedMetrics {
  readonly _aws: { readonly CloudWatchMetrics: { readonly Dimensions: string[][]; readonly Metrics: { readonly Name: string }[] }[] };
  readonly [value: string]: unknown;
}

/** The metrics in a line of the embedded metric format: each name with each set of dimensions is one. */
function metricsIn({ _aws, ...values }: EmbeddedMetrics): readonly string[] {
  return _aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics: metrics }) =>
    Dimensions.flatMap((names) => metrics.map(({ Name }) => [Name, ...names.map((name) => `${name}=${values[name]}`)].join(' '))),
  );
}

test('storage that does not answer is a problem', async () => {
  const stores = createMemoryStores();
  vi.spyOn(stores.usage, 'admit').mockRejectedValue(new StoreFault('unavailable', 'x'));
  expect(await probeWith(fetchFrom(stores))).toEqual(['GET /v1/pets: got 503; expected 401']);
});

test.each<[string, () => Promise<Response>, RegExp]>([
  ['no connection', () => Promise.reject(new Error('fetch failed')), /: fetch failed$/],
  ['a page from something else', async () => new Response('<html>', { status: 200 }), /: (Unexpected token|got 200)/],
  ['an empty document', async () => new Response('{}', { status: 200 }), /got (a different body with 200|200; expected 401)/],
  ["API Gateway's own refusal", async () => new Response('{"message":"Too Many Requests"}', { status: 429 }), /got 429/],
  ["a 401 that is not the API's", async () => new Response('{"message":"Unauthorized"}', { status: 401 }), /got (401|a different body with 401)/],
])('%s is a problem of both requests', async (_what, respond, problem) => {
  expect(await probeWith(respond)).toEqual([expect.stringMatching(problem), expect.stringMatching(problem)]);
});

test('the settings are checked', () => {
  const settings = { API_URL: URL_OF_API, KEY_MODE: 'test', SERVICE_NAME: 'petstore-staging' };
  expect(parseEnvironment(probeSettings, settings)).toEqual(settings);
  expect(() => parseEnvironment(probeSettings, { ...settings, API_URL: 'api.example.com', KEY_MODE: '' })).toThrow(
    /API_URL: the URL of the API[\s\S]*KEY_MODE/,
  );
});
