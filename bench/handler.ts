// The handler in process, from event to answer, with a memory store: ours compared with the stock alternatives. All of them give the same answer,
// header by header; ours also handles refusals, HEAD, CORS, deprecation and faults.

import assert from 'node:assert/strict';
import { Router } from '@aws-lambda-powertools/event-handler/http';
import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpRouter from '@middy/http-router';
import validator from '@middy/validator';
import { transpileSchema } from '@middy/validator/transpile';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { createMemoryStores } from '../adapters/store/memory/stores.ts';
import type { Stores } from '../core/ports.ts';
import { createCatalogue } from '../service/catalogue/create-catalogue.ts';
import { parseListQuery } from '../service/catalogue/list-pets.ts';
import { PAGE_SIZE } from '../service/catalogue/schemas.ts';
import { samplePet } from '../testing/samples.ts';
import { createList } from './handlers/shared.ts';
import { LIST_EVENT_SCHEMA } from './handlers/stock-schema.ts';
import { alternate, bar, ratio, report, sized } from './measure.ts';
import { makeBenchKey } from './seed.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;

const CALLS_A_ROUND = sized(20_000, 20);
const ANIMALS = sized(1_000, 30);

/** What Lambda passes to a handler besides the event. */
const CONTEXT = {
  functionName: 'bench',
  awsRequestId: 'bench',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 10_000,
} as Context;

/** Checks that all candidates answer alike, measures them, and prints the results. */
export async function benchHandler(rounds: number): Promise<void> {
  const candidates = [];
  let expected: unknown;
  for (const [name, create] of [
    ['ours', ours],
    ['stock middy router + validator', stockMiddy],
    ['Powertools event handler', powertools],
    ['hono, Lambda adapter', hono],
  ] as const) {
    const stores = createMemoryStores();
    const key = await makeBenchKey(stores.accounts);
    for (let n = 1; n <= ANIMALS; n += 1) {
      await stores.pets.create({ pet: samplePet(n * 1_000_003, { name: `Animal number ${n}`, categoryId: BigInt(n % 50) }) }, 0);
    }
    const handler = create(stores);
    // Flat strings, as in an event parsed from JSON.
    const authorization = Buffer.from(`Bearer ${key}`).toString('latin1');
    const answer = shown(await handler(eventOf(authorization), CONTEXT));
    expected ??= answer;
    assert.deepEqual(answer, expected, `${name} answers differently`);
    candidates.push({
      name,
      run: async () => {
        const started = process.cpuUsage();
        for (let n = 0; n < CALLS_A_ROUND; n += 1) await handler(eventOf(authorization), CONTEXT);
        const { user, system } = process.cpuUsage(started);
        return (user + system) / CALLS_A_ROUND;
      },
    });
  }
  for (const candidate of candidates) await candidate.run();
  const results = await alternate(candidates, rounds);
  report('Handler in process, list of 20, memory store', 'µs of CPU per call', results);
  const [own, ...peers] = results;
  bar('handler in process compared with the fastest peer', Math.max(...peers.map((peer) => ratio(own, peer))), 'at most', 0.85);
}

function ours({ pets, usage }: Stores): Handler {
  // Without leases, because the peers admit every request separately as well.
  return createCatalogue({ stores: { pets, usage }, clock: Date.now, random32: () => 0, logger: new Logger({ logLevel: 'WARN' }) });
}

function stockMiddy(stores: Stores): Handler {
  const list = createList(stores);
  const listHandler = middy()
    .use(validator({ eventSchema: transpileSchema(LIST_EVENT_SCHEMA) }))
    .handler(async (event) => {
      const { queryStringParameters, ...rest } = event as APIGatewayProxyEventV2;
      const { status, headers, body } = await list(rest, { limit: Number(queryStringParameters?.limit ?? PAGE_SIZE.default) });
      return { statusCode: status, headers, body };
    });
  return middy()
    .use(httpErrorHandler({ logger: false }))
    .handler(httpRouter([{ method: 'GET', path: '/v1/pets', handler: listHandler }] as never) as never) as unknown as Handler;
}

function powertools(stores: Stores): Handler {
  const list = createList(stores);
  const app = new Router();
  app.get('/v1/pets', async ({ event }) => {
    const call = event as APIGatewayProxyEventV2;
    const query = parseListQuery(call.queryStringParameters);
    if (!query.ok) return new Response(query.message, { status: 400 });
    const { status, headers, body } = await list(call, query.value);
    return new Response(body, { status, headers });
  });
  return (event, context) => app.resolve(event, context);
}

function hono(stores: Stores): Handler {
  const list = createList(stores);
  const app = new Hono<{ Bindings: { event: APIGatewayProxyEventV2 } }>();
  app.get('/v1/pets', async (context) => {
    const query = parseListQuery(context.req.query());
    if (!query.ok) return context.text(query.message, 400);
    const { status, headers, body } = await list(context.env.event, query.value);
    return context.body(body, status as 200, headers);
  });
  return handle(app) as Handler;
}

function eventOf(authorization: string): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: 'GET /v1/pets',
    rawPath: '/v1/pets',
    rawQueryString: 'limit=20',
    queryStringParameters: { limit: '20' },
    headers: { authorization, host: 'api.example.com', 'user-agent': 'bench', accept: 'application/json' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'bench',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method: 'GET', path: '/v1/pets', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'bench' },
      requestId: 'bench',
      routeKey: 'GET /v1/pets',
      stage: '$default',
      time: '21/Nov/2026:00:00:00 +0000',
      timeEpoch: 0,
    },
    isBase64Encoded: false,
  };
}

/** What clients see, ignoring the case and order of header names. */
function shown(result: unknown): unknown {
  const { statusCode, headers = {}, body } = result as APIGatewayProxyStructuredResultV2;
  return { statusCode, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])), body };
}
