// Cold start: a fresh process imports the bundle and gives its first answer, a list requested with a key, compared with a stock middy and SDK
// handler for the same operations. AWS is a local server that answers at once with the same bytes. The control API's function, which has no such peer,
// lists the accounts of a user who has none.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { keyAttribute } from '../adapters/store/dynamodb/items.ts';
import { keyValue, usageItem } from '../adapters/store/dynamodb/usage/usage-item.ts';
import { NEVER } from '../core/access/account.ts';
import { generateApiKey, parseApiKey } from '../core/access/api-key.ts';
import { SCOPES } from '../core/access/plans.ts';
import { windowsAt } from '../core/limits/windows.ts';
import { BUNDLE_OPTIONS } from '../functions/bundle/build.ts';
import { entryOf } from '../functions/bundle/bundles.ts';
import type { Environments } from '../platforms/aws/function-settings.ts';
import { alternate, bar, ratio, report } from './measure.ts';

const STOCK_ENTRY = join(import.meta.dirname, 'handlers/stock-lambda.ts');
/** The bundle of a careful stack: a minified ES module, without the SDK's credential chain. */
const CREDENTIALS = '@aws-sdk/credential-provider-node';
const CAREFUL: BuildOptions = { ...BUNDLE_OPTIONS, alias: { [CREDENTIALS]: BUNDLE_OPTIONS.alias?.[CREDENTIALS] ?? '' } };
/** The bundle that a stack without settings creates: CommonJS, not minified. */
const DEFAULTS: BuildOptions = { bundle: true, platform: 'node', target: 'node24', format: 'cjs' };

const LIST_OF_ANIMALS = { path: '/v1/pets', query: { limit: '20' }, context: {}, items: 20 };
const LIST_OF_ACCOUNTS = {
  path: '/dashboard/v1/accounts',
  query: {},
  context: { authorizer: { jwt: { claims: { sub: 'user', iss: 'https://id.example.com' } } } },
  items: 0,
};

const PROBE = `
  const [, bundle, authorization, request] = process.argv;
  const { path, query, context } = JSON.parse(request);
  const started = process.hrtime.bigint();
  const { handler } = await import(bundle);
  const answer = await handler({ version: '2.0', rawPath: path, rawQueryString: String(new URLSearchParams(query)), isBase64Encoded: false,
    queryStringParameters: query, headers: { authorization, host: 'api.example.com' },
    requestContext: { domainName: 'x', requestId: 'cold', http: { method: 'GET', path, sourceIp: '192.0.2.1' }, ...context } },
    { getRemainingTimeInMillis: () => 10_000 });
  console.log(JSON.stringify({ status: answer.statusCode, ms: Number(process.hrtime.bigint() - started) / 1e6, items: JSON.parse(answer.body).length }));
  process.exit();
`;

/** Measures bundle sizes and cold starts, and prints the results. */
export async function benchCold(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-cold-'));
  const accountId = 'acc_0000000000';
  const key = generateApiKey('test', accountId, randomBytes);
  const server = createServer(answerAsDynamoDb(accountId, parseApiKey(key)?.digest ?? ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const candidates = [];
    const bundles: readonly (readonly [name: string, entry: string, options: BuildOptions, extension: string])[] = [
      ['ours', entryOf('catalogue'), BUNDLE_OPTIONS, 'mjs'],
      ['stock middy + SDK, bundled with care', STOCK_ENTRY, CAREFUL, 'mjs'],
      ['stock middy + SDK, bundled like ours', STOCK_ENTRY, BUNDLE_OPTIONS, 'mjs'],
      ['stock middy + SDK, bundled with defaults', STOCK_ENTRY, DEFAULTS, 'cjs'],
      [
        'ours, with the default main fields and credential providers',
        entryOf('catalogue'),
        { ...BUNDLE_OPTIONS, mainFields: ['main', 'module'], alias: {} },
        'mjs',
      ],
    ];
    for (const [index, [name, entry, options, extension]] of bundles.entries()) {
      const outfile = join(folder, `${index}.${extension}`);
      await build({ ...options, entryPoints: [entry], outfile, logLevel: 'error' });
      const kilobytes = statSync(outfile).size / 1_000;
      console.log(`${index === 0 ? '\n' : ''}Bundle, ${name}: ${kilobytes.toFixed(1)} KB including the SDK`);
      if (index === 0) bar('API bundle in KB', kilobytes, 'at most', 380);
      candidates.push({ name, run: () => firstAnswer(outfile, endpoint, key, LIST_OF_ANIMALS) });
    }
    const control = join(folder, 'control.mjs');
    await build({ ...BUNDLE_OPTIONS, entryPoints: [entryOf('control')], outfile: control, logLevel: 'error' });
    candidates.push({ name: 'control API, ours', run: () => firstAnswer(control, endpoint, key, LIST_OF_ACCOUNTS) });
    for (const candidate of candidates) await candidate.run();
    const results = await alternate(candidates, rounds);
    report('Cold: import to first answer, in a fresh process', 'ms', results);
    bar('cold start compared with stock middy + SDK, bundled with care', ratio(results[0], results[1]), 'at most', 0.5);
    bar('cold start compared with stock middy + SDK, bundled like ours', ratio(results[0], results[2]), 'at most', 0.55);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstAnswer(
  bundle: string,
  endpoint: string,
  key: string,
  request: typeof LIST_OF_ANIMALS | typeof LIST_OF_ACCOUNTS,
): Promise<number> {
  const environment = {
    PATH: process.env.PATH,
    PETS_TABLE: 'pets',
    USAGE_TABLE: 'usage',
    CONTROL_TABLE: 'control',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: endpoint,
    POWERTOOLS_LOG_LEVEL: 'INFO',
    ...CONTROL_ENVIRONMENT,
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', PROBE, bundle, `Bearer ${key}`, JSON.stringify(request)],
    {
      env: environment,
    },
  );
  const { status, items, ms } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  assert.deepEqual([status, items], [200, request.items], stdout);
  return ms;
}

/** The rest of the control API function's environment. */
const CONTROL_ENVIRONMENT: Omit<Environments['control'], `${string}_TABLE`> = {
  SERVICE_NAME: 'petstore',
  KEY_MODE: 'test',
  EDGE_NAME: 'edge.example.com',
  ROUTING_ENDPOINT_PARAMETER: 'routing-endpoint',
  EDGE_MAP_ARN: 'arn:aws:cloudfront::123456789012:key-value-store/map',
  SITES_BUCKET: 'sites',
  WORKFLOW_ARN: 'arn:aws:states:us-east-1:123456789012:stateMachine:domains',
  PUBLISH_FUNCTION: 'arn:aws:lambda:us-east-1:123456789012:function:publish',
};

/** DynamoDB's responses for a list: the admitted account and twenty animals, or no account; and the parameter of the control API's function. */
function answerAsDynamoDb(accountId: string, digest: string): RequestListener {
  const account = {
    ...usageItem(accountId, 'free', { perMinute: 60, perDay: 1_000 }),
    [keyAttribute(digest)]: keyValue({ scopes: SCOPES, expiresAt: NEVER }),
  };
  const animals = Array.from({ length: 20 }, (_, n) => ({
    pk: { S: 'pets' },
    id: { N: String(n + 1) },
    name: { S: `Animal ${n}` },
    categoryId: { N: '7' },
    status: { S: 'available' },
  }));
  return (request, response) => {
    void text(request).then((body) => {
      const { minute, day } = windowsAt(Date.now());
      const admitted = { Attributes: { ...account, [`m${minute}`]: { N: '1' }, [`d${day}`]: { N: '1' }, counted: { N: '1' } } };
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const answers: Readonly<Record<string, object>> = {
        UpdateItem: admitted,
        Query: JSON.parse(body).TableName === 'pets' ? { Items: animals, Count: 20, ScannedCount: 20 } : { Items: [], Count: 0, ScannedCount: 0 },
        GetParameter: { Parameter: { Value: 'd111111abcdef8.cloudfront.net' } },
      };
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.end(JSON.stringify(answers[operation]));
    });
  };
}
