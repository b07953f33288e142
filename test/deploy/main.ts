// `npm run test:deploy`: staging on an emulated AWS, from creation to deletion. It starts the emulator, bootstraps and deploys with the real CDK,
// runs the black-box suite and this folder's tests against the deployed API, and destroys everything.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CloudFrontClient, CreateConnectionGroupCommand } from '@aws-sdk/client-cloudfront';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import { runCli } from '../support/processes.ts';
import { bootstrap, deployStaging, destroyStaging } from './cdk.ts';
import { CONNECTIONS, type Emulator, GAPS, startEmulator } from './emulator.ts';
import './localhost-names.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Maximum time from an empty account to the first 200. */
const FIRST_ANSWER_SECONDS = 60;

// The `exit` handlers stop everything that an interrupted run has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let failures = 0;
const started = Date.now();
const say = (text: string) => console.log(`[${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s] ${text}`);

say('preparing and starting the emulator');
const emulator = await startEmulator().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
Object.assign(process.env, emulator.environment);
try {
  await run(emulator);
} catch (error) {
  failures += 1;
  console.error(error instanceof Error ? error.message : error);
} finally {
  await emulator.stop();
  say('emulator stopped');
}
console.log(`\nWhat the emulator can't do:\n${GAPS.map(({ gap, instead }) => `- ${gap}: ${instead}`).join('\n')}`);
console.log(failures === 0 ? '\nemulated deployment: passed' : '\nemulated deployment: FAILED');
process.exitCode = failures === 0 ? 0 : 1;

async function run({ endpoint, environment }: Emulator): Promise<void> {
  const empty = Date.now();
  say('cdk bootstrap');
  await bootstrap(environment);
  say('cdk deploy');
  await makeConnectionGroup();
  const { url, apiId, control } = await deployStaging(environment);
  const status = (await fetch(`${url}/v1/openapi.json`)).status;
  const seconds = (Date.now() - empty) / 1_000;
  say(`first answer: ${status}, ${seconds.toFixed(1)} s after nothing`);
  check(status === 200, `the first answer was ${status}`);
  check(seconds < FIRST_ANSWER_SECONDS, `the first answer took ${seconds.toFixed(1)} s; allowed: ${FIRST_ANSWER_SECONDS}`);
  await handOverCors(endpoint, apiId);

  say('tests against the deployed API');
  const tests = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', ROOT, '--config', 'test/deploy/vitest.config.ts'],
    {
      cwd: ROOT,
      env: { ...process.env, E2E_URL: url, E2E_STAGE: 'staging', E2E_CONNECTIONS: String(CONNECTIONS), E2E_CONTROL: JSON.stringify(control) },
      stdio: 'inherit',
    },
  );
  const [code] = await once(tests, 'exit');
  check(code === 0, 'tests against the deployed API failed');

  say('cdk destroy');
  await destroyStaging(environment);
  const { retrying, once: single } = createDynamoDbClients();
  const { TableNames = [] } = await retrying.send(new ListTablesCommand({}));
  for (const client of [retrying, single]) client.destroy();
  check(TableNames.length === 0, `tables are left behind: ${TableNames.join(', ')}`);
  const { code: exit, stderr } = await runCli('.', ['--stage', 'staging', 'accounts', 'list']);
  check(exit === 1 && stderr.includes('deploy the stage first'), `the command line says of a stage that is gone: ${stderr}`);
}

/** The resources of the stack EdgeEntry, which the emulator's CloudFormation does not support: see GAPS. */
async function makeConnectionGroup(): Promise<void> {
  const [cloudFront, ssm] = [new CloudFrontClient({}), new SSMClient({})];
  const { ConnectionGroup } = await cloudFront.send(new CreateConnectionGroupCommand({ Name: 'petstore-staging', Enabled: true }));
  const Name = parameterName('staging', 'edge', 'routing-endpoint');
  await ssm.send(new PutParameterCommand({ Name, Value: ConnectionGroup?.RoutingEndpoint, Type: 'String' }));
  for (const client of [cloudFront, ssm]) client.destroy();
}

/** Values that the template already contains, in the form that the emulator reads: see GAPS. */
async function handOverCors(endpoint: string, apiId: string): Promise<void> {
  const corsConfiguration = {
    allowOrigins: ['*'],
    allowMethods: ALLOWED_METHODS,
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  };
  const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/apigateway/aws4_request, SignedHeaders=host, Signature=0';
  const answer = await fetch(`${endpoint}/v2/apis/${apiId}`, {
    method: 'PATCH',
    headers: { authorization },
    body: JSON.stringify({ corsConfiguration }),
  });
  check(answer.ok, `the emulator refused the CORS configuration: ${answer.status}`);
}

function check(holds: boolean, otherwise: string): void {
  if (holds) return;
  failures += 1;
  console.error(`FAILED: ${otherwise}`);
}
