// What `npm run test:deploy` does: the previous release, staging, production, and stages beside them, on an emulated AWS, from an empty account to their
// deletion, with the real CDK, the tests of this folder, and the steps of deploy.yml. A judge in front of the emulator checks every request against AWS's own rules; its own tests run first.
// Arguments select tests by file name, and skip those of the judge: `npm run test:deploy -- domains`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { countsOf, problemsOf, startFront, unusedPermissions } from '../../judge/index.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import '../../judge/localhost-names.ts';
import { makeFolder } from '../support/folders.ts';
import { OPERATOR_VARIABLE, runCli } from '../support/processes.ts';
import { edgeName, prepareAccount, STAGES, type Stage, type StageVariables, settingsOf } from './account.ts';
import { deployBeside, stagesBeside } from './beside.ts';
import { bootstrap, type DeployedOutputs, deployAssembly, deployStage, destroyStage } from './cdk.ts';
import { ACCOUNT, ADMINISTRATOR, CONNECTIONS, EMULATED, type Emulator, GAPS, REGION, startEmulator } from './emulator.ts';
import { ALL_GAPS, createGapCloser, TEMPLATE_GAPS } from './gaps.ts';
import { assumeOperatorRole } from './operator.ts';
import { RELEASE } from './release/archive.ts';
import { checkUpgraded, countsOfStored, prepareRelease, startTraffic, storeData } from './release/upgrade.ts';
import { apiUrl, irreplaceable, resourcesMade, stacksAndAlarms } from './resources.ts';
import type { Environment } from './run-program.ts';
import { EXPLAINED } from './unused-permissions.ts';
import { runDeployWorkflow, type WorkflowOptions } from './workflow.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Minimum numbers in each stage. */
const RESOURCES = 140;
const ALARMS = 34;

// main.ts was killed, so this process ends its group, itself included.
process.once('disconnect', () => process.kill(0, 'SIGKILL'));

let failures = 0;
const started = Date.now();
const say = (text: string) => console.log(`[${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s] ${text}`);

if (process.argv.length === 2) await testJudge();
say('preparing and starting the emulator');
const emulator = await startEmulator().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
Object.assign(process.env, emulator.environment);
const gapCloser = createGapCloser(emulator.endpoint, ADMINISTRATOR);
const front = await startFront({ ...EMULATED, emulatorPort: emulator.port, port: emulator.frontPort, adjust: gapCloser.adjust });
const assemblies = makeFolder();
try {
  await run(emulator);
} catch (error) {
  failures += 1;
  console.error(error instanceof Error ? error.message : error);
} finally {
  await front.stop();
  await emulator.stop();
  assemblies.remove();
  say('emulator stopped');
}
say(`judged: ${countsOf(front.record)}`);
for (const problem of problemsOf(front.record)) check(false, problem);
console.log(`\nGaps of the emulator:\n${[...ALL_GAPS, ...GAPS].map(({ gap, instead }) => `- ${gap}: ${instead}`).join('\n')}`);
console.log(failures === 0 ? '\nemulated deployment: passed' : '\nemulated deployment: FAILED');
// A run that failed in the middle may still have clients and servers.
process.exit(failures === 0 ? 0 : 1);

async function run({ endpoint, environment, dnsPort }: Emulator): Promise<void> {
  say('cdk bootstrap');
  await bootstrap(`aws://${ACCOUNT}/${REGION}`, {});
  const settings = await prepareAccount({ port: dnsPort });
  for (const stage of STAGES) Object.assign(process.env, settingsOf(stage, settings[stage]));
  const upgrade = await deployRelease(settings.staging);
  const staging = await deployByHand('staging', endpoint);
  await upgrade.check();
  const production = await deployByHand('production', endpoint);
  say('an installation moves to production');
  check(await vitest('test/deploy/vitest.config.ts', targetOf('production', production.url), ['test/deploy/move.deployed.ts']), 'the move failed');
  check(await blackBox('production', production.url, {}), 'the black-box suite failed on production');
  await testStaging(staging);
  await deployByWorkflow(environment, {
    repository: {
      ...settingsOf('staging', settings.staging),
      ...settingsOf('production', settings.production),
      DIFF_ROLE_ARN_PRODUCTION: production.diffRoleArn,
    },
    environments: { staging: { DEPLOY_ROLE_ARN: staging.deployRoleArn }, production: { DEPLOY_ROLE_ARN: production.deployRoleArn } },
  });
  await listUnusedPermissions();
  await deployBeside({ endpoint, stages: stagesBeside(String(dnsPort), edgeName), say, check, blackBox });
  await destroyStages();
}

/** Fails only a full run: a partial one does not make every call. */
async function listUnusedPermissions(): Promise<void> {
  const { unexplained, explained } = await unusedPermissions(front, (role) => /^(petstore-)?staging-/.test(role), EXPLAINED);
  for (const [why, count] of explained) say(`${count} unused permissions: ${why}`);
  for (const line of unexplained) say(`unused permission: ${line}`);
  if (process.argv.length === 2) check(unexplained.length === 0, `${unexplained.length} unused permissions are not explained`);
}

/** Deploys the last release to staging and fills it, as if it had run there until now. @returns what checks the stage once it is upgraded */
async function deployRelease(variables: StageVariables): Promise<{ check(): Promise<void> }> {
  say(`cdk deploy staging/* of release ${RELEASE}`);
  const folder = join(assemblies.path, 'release');
  mkdirSync(folder);
  const { assembly, cli } = prepareRelease(folder, variables);
  await deployAssembly('staging', assembly);
  const stored = await storeData(cli, folder, { dnsPort: Number(variables.DNS_PORT), edgeName: variables.EDGE_NAME ?? '' });
  say(`release ${RELEASE} has stored ${countsOfStored(stored)}`);
  const before = await irreplaceable('staging');
  const url = await apiUrl('staging');
  const traffic = startTraffic(url, stored.key);
  return {
    check: async () => {
      const { requests, repeated, failed } = await traffic.stop();
      say(`upgrade of staging: ${requests} requests meanwhile, ${repeated} repeated after a 503, ${failed.length} failed`);
      check(requests > 50 && failed.length === 0, `upgrade: ${requests} requests, ${failed.length} failed: ${failed[0] ?? ''}`);
      const after = await irreplaceable('staging');
      const lost = before.filter((resource) => !after.includes(resource));
      check(before.length > 15 && lost.length === 0, `upgrade: of ${before.length} resources with data, not there: ${lost.join(', ')}`);
      const problems = await checkUpgraded(stored);
      for (const problem of problems.slice(0, 10)) check(false, `upgrade: ${problem}`);
      say(`upgrade of staging: ${before.length} resources with data kept, ${problems.length} differences in what is stored`);
    },
  };
}

async function deployByHand(stage: Stage, endpoint: string): Promise<DeployedOutputs> {
  say(`cdk deploy ${stage}/*`);
  const assembly = join(assemblies.path, stage);
  const deployed = await deployStage(stage, {}, assembly);
  const { status } = await fetch(`${deployed.url}/v1/openapi.json`);
  check(status === 200, `${stage}: the first response was ${status}`);
  const madeElsewhere = TEMPLATE_GAPS.flatMap(({ make, type }) => (make === undefined || type === undefined ? [] : [type]));
  const { wanted, made, missing } = await resourcesMade(stage, assembly, madeElsewhere);
  say(`${stage}: ${made} of ${wanted} resources created${missing.length === 0 ? '' : `; left out: ${missing.join(', ')}`}`);
  check(made >= RESOURCES, `${stage}: ${made} resources created; expected at least ${RESOURCES}`);
  const unexplained = missing.filter((type) => ![...gapCloser.leftOut.values()].includes(type));
  check(unexplained.length === 0, `${stage}: not created, and not a listed gap: ${unexplained.join(', ')}`);
  await handOverCors(endpoint, deployed.apiId, REGION);
  return deployed;
}

async function testStaging({ url, control, operatorRoleArn }: DeployedOutputs): Promise<void> {
  say('tests against the deployed API');
  const operator = await assumeOperatorRole(operatorRoleArn);
  const env = {
    ...targetOf('staging', url),
    E2E_CONTROL: JSON.stringify(control),
    E2E_MAILS: `http://127.0.0.1:${emulator.port}/_ministack/ses/messages`,
    [OPERATOR_VARIABLE]: JSON.stringify(operator),
  };
  check(await vitest('test/deploy/vitest.config.ts', env, process.argv.slice(2)), 'tests against the deployed API failed');
}

/** Runs the black-box suite on a stage. */
async function blackBox(stage: string, url: string, environment: Environment): Promise<boolean> {
  await handOverCors(emulator.endpoint, new URL(url).hostname.split('.')[0] ?? '', environment.AWS_REGION ?? REGION);
  return vitest('test/deploy/vitest.config.ts', { ...environment, ...targetOf(stage, url) }, ['test/e2e/api.test.ts']);
}

function targetOf(stage: string, url: string): Environment {
  return { E2E_URL: url, E2E_STAGE: stage, E2E_CONNECTIONS: String(CONNECTIONS) };
}

/** Ends the run if one fails: the judge's decisions, or the run's end, could not be trusted. */
async function testJudge(): Promise<void> {
  say('tests of the judge, and of this run');
  if ((await vitest('judge/vitest.config.ts', {})) && (await vitest('test/deploy/vitest.own.config.ts', {}))) return;
  console.error('FAILED: tests of the judge failed');
  process.exit(1);
}

/** Runs tests. @param args select them @returns whether all passed */
async function vitest(config: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<boolean> {
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const tests = spawn(process.execPath, [program, 'run', '--root', ROOT, '--config', config, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [code] = await once(tests, 'exit');
  return code === 0;
}

/** A release by deploy.yml keeps every stack and alarm that the deployment by hand created. */
async function deployByWorkflow(
  environment: Emulator['environment'],
  variables: Pick<WorkflowOptions, 'repository' | 'environments'>,
): Promise<void> {
  const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, AWS_REGION: ___, ...emulated } = environment;
  const before = await Promise.all(STAGES.map((stage) => stacksAndAlarms(stage)));
  await runDeployWorkflow({ ...variables, emulator: { ...emulated, E2E_CONNECTIONS: String(CONNECTIONS) }, say });
  for (const [index, stage] of STAGES.entries()) {
    const [old, { stacks, alarms }] = [before[index], await stacksAndAlarms(stage)];
    say(`${stage} after deploy.yml: ${stacks.length} stacks, ${alarms.length} alarms`);
    const lost = [...(old?.stacks ?? []), ...(old?.alarms ?? [])].filter((name) => ![...stacks, ...alarms].includes(name));
    check(lost.length === 0, `${stage}: lost by deploy.yml: ${lost.join(', ')}`);
    check(alarms.length >= ALARMS, `${stage}: ${alarms.length} alarms after deploy.yml; expected at least ${ALARMS}`);
  }
}

async function destroyStages(): Promise<void> {
  say('cdk destroy staging/*');
  await destroyStage('staging', {});
  const { retrying, once: single } = createDynamoDbClients();
  const { TableNames = [] } = await retrying.send(new ListTablesCommand({}));
  for (const client of [retrying, single]) client.destroy();
  const [left, kept] = ['staging', 'production'].map((stage) => TableNames.filter((name) => name.startsWith(`petstore-${stage}-`)));
  check(left?.length === 0, `tables were not deleted: ${left?.join(', ')}`);
  check(kept?.length === 4, `production must keep its four tables; it has: ${kept?.join(', ')}`);
  const { code: exit, stderr } = await runCli('.', ['--stage', 'staging', 'accounts', 'list']);
  check(exit === 1 && stderr.includes('deploy the stage first'), `unexpected message of the command line for a deleted stage: ${stderr}`);
}

/** Values that the template already contains, in the form that the emulator reads: see GAPS. */
async function handOverCors(endpoint: string, apiId: string, region: string): Promise<void> {
  const corsConfiguration = {
    allowOrigins: ['*'],
    allowMethods: ALLOWED_METHODS,
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  };
  const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/apigateway/aws4_request, SignedHeaders=host, Signature=0`;
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
