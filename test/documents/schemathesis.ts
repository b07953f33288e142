// `npm run test:documents`: schemathesis checks that the service matches its OpenAPI documents, with requests generated from both documents and
// fixed seeds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATALOGUE_PREFIX } from '../../service/catalogue/operations.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';
import { preparePython } from '../support/python.ts';
import { signIn } from '../support/sign-in.ts';

/** Others search for new failures: `SEEDS=3,4 npm run test:documents`. */
const SEEDS = (process.env.SEEDS ?? '1').split(',').map(Number);
/** Of runs that are about what happens in between, and not about each value that there is. */
const SHORT = ['--phases', 'fuzzing,stateful', '--max-examples', '8'];
/** Maximum duration of one run, in milliseconds. */
const PATIENCE_MS = 720_000;
/** These operations revoke the token that all other requests need. */
const ENDS_SESSIONS = ['signOutEverywhere', 'endSessions'];
/** After these, nothing is left of a suspended account that could be asked for. */
const TAKES_APART = ['deleteAccount', 'deleteProject', 'removeMember'];

interface Run {
  readonly name: string;
  readonly document: string;
  /** The path of the API. */
  readonly prefix: string;
  readonly token: string;
  readonly seed: number;
  readonly more: readonly string[];
  /** Values of path parameters for valid requests. @default schemathesis chooses */
  readonly ids?: Readonly<Record<string, string>>;
  /** Whether the account with these ids is suspended. @default false */
  readonly isSuspended?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-documents-'));
const started = Date.now();
const say = (text: string) => console.log(`[${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s] ${text}`);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

say('installing schemathesis');
const requirements = join(import.meta.dirname, 'requirements.txt');
const programs = preparePython({ folder: join(folder, 'python'), requirements, command: 'npm run test:documents' });
const schemathesis = join(programs, 'schemathesis');
const data = join(folder, 'data');
mkdirSync(data, { mode: 0o700 });
say('starting the service');
// Each request carries a different client address, as if from a proxy: see hooks.py.
const server = await startServerProcess(data, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
const results = await testAll(server).finally(() => server.stop());
const failed = results.filter(({ code }) => code !== 0);
for (const { run, output } of failed) console.log(`\n=== ${run.name}\n${output}`);
say(`${results.length - failed.length} of ${results.length} runs passed`);
if (server.stderr() !== '') console.log(server.stderr());
process.exitCode = failed.length === 0 && server.stderr() === '' ? 0 : 1;

async function testAll({ url }: ServerProcess) {
  const key = await makeKey();
  // Passed as files: otherwise the operation that serves the document would be left out.
  const [pets, control] = await Promise.all([download(`${url}/v1/openapi.json`), download(`${url}/dashboard/v1/openapi.json`)]);
  const catalogue = SEEDS.map((seed) => ({ name: `catalogue, seed ${seed}`, document: pets, prefix: CATALOGUE_PREFIX, token: key, seed, more: [] }));
  const controlRuns: Run[] = [];
  for (const seed of SEEDS) {
    const more = ENDS_SESSIONS.flatMap((id) => ['--exclude-operation-id', id]);
    controlRuns.push({
      name: `control, seed ${seed}`,
      document: control,
      prefix: CONTROL_PREFIX,
      token: await makeUser(url, `seed-${seed}`),
      seed,
      more,
    });
  }
  // Users of different accounts do not affect each other, so the control API's runs are concurrent; the catalogue's run one after another.
  const deploy = await makeDeployToken(url, await makeUser(url, 'deploys'));
  const byToken = { document: forDeployTokens(control), prefix: DEPLOY_PREFIX, seed: 1, more: [] };
  controlRuns.push({ ...byToken, name: 'deploy tokens', token: deploy.token });
  const [ofKey, ...ofUsers] = await suspendedRuns(url, pets, control, byToken);
  controlRuns.push(...(await editorsRuns(url, control)));
  const [first, ...rest] = await Promise.all([inTurn(url, [...catalogue, ofKey]), ...[...controlRuns, ...ofUsers].map((run) => inTurn(url, [run]))]);
  const alone: Run[] = [];
  for (const id of ENDS_SESSIONS)
    alone.push({ ...(controlRuns[0] as Run), name: id, token: await makeUser(url, id.toLowerCase()), more: ['--include-operation-id', id] });
  return [...first, ...rest.flat(), ...(await inTurn(url, alone))];
}

/** Two users who change the same account and the same project at the same time. */
async function editorsRuns(url: string, document: string): Promise<readonly Run[]> {
  const ann = await makeUser(url, 'ann');
  const { accountId, projectId } = await makeDeployToken(url, ann);
  const bob = await makeUser(url, 'bob');
  const { code, stderr } = await runCli(data, ['accounts', 'add-member', accountId, 'bob@petstore.test', '--role', 'member']);
  if (code !== 0) throw new Error(stderr);
  const more = [...SHORT, ...[...ENDS_SESSIONS, ...TAKES_APART].flatMap((id) => ['--exclude-operation-id', id])];
  const common = { document, prefix: CONTROL_PREFIX, ids: { accountId, projectId }, more };
  return [
    { ...common, name: 'control, one of two editors', token: ann, seed: 3 },
    { ...common, name: 'control, the other of two editors', token: bob, seed: 4 },
  ];
}

/** A key, a user and a deploy token of an account that is suspended. */
async function suspendedRuns(url: string, pets: string, control: string, byToken: Omit<Run, 'name' | 'token'>): Promise<readonly [Run, ...Run[]]> {
  const user = await makeUser(url, 'suspended');
  const { accountId, projectId, token } = await makeDeployToken(url, user);
  const { key } = await runCliJson<{ key: string }>(data, ['keys', 'issue', '--account', accountId, '--name', 'schemathesis']);
  const { code, stderr } = await runCli(data, ['accounts', 'suspend', accountId, '--reason', 'unpaid since May']);
  if (code !== 0) throw new Error(stderr);
  const common = { seed: 1, ids: { accountId, projectId }, isSuspended: true, more: SHORT };
  const kept = [...SHORT, ...[...ENDS_SESSIONS, ...TAKES_APART].flatMap((id) => ['--exclude-operation-id', id])];
  return [
    { ...common, name: 'catalogue, suspended', document: pets, prefix: CATALOGUE_PREFIX, token: key },
    { ...common, name: 'control, suspended', document: control, prefix: CONTROL_PREFIX, token: user, more: kept },
    { ...byToken, ...common, name: 'deploy tokens, suspended', token },
  ];
}

async function inTurn(url: string, runs: readonly Run[]) {
  const done = [];
  for (const run of runs) {
    const result = await test(url, run);
    const [, count = 'no'] = /(\d+) generated/.exec(result.output) ?? [];
    say(`${run.name}: ${result.code === 0 ? 'passed' : 'FAILED'}, ${count} test cases`);
    done.push({ run, ...result });
  }
  return done;
}

async function test(
  url: string,
  { document, prefix, token, seed, more, ids, isSuspended = false }: Run,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const options = [
    '--url',
    `${url}${prefix}`,
    '--checks',
    'all',
    ...(more.includes('--phases') ? [] : ['--phases', 'examples,coverage,fuzzing,stateful']),
    '--seed',
    String(seed),
    '--no-color',
  ];
  const child = spawn(schemathesis, ['run', document, ...options, ...more], {
    // Where schemathesis looks for its configuration and hooks.
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      TOKEN: token,
      ...(ids && { IDS: JSON.stringify(ids) }),
      ...(isSuspended && { SUSPENDED: 'yes' }),
      PYTHONPATH: import.meta.dirname,
      PYTHONPYCACHEPREFIX: join(folder, 'compiled'),
      HYPOTHESIS_STORAGE_DIRECTORY: join(folder, 'hypothesis'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [code] = await once(child, 'close');
  clearTimeout(patience);
  return { code, output };
}

/** The document with the operations that allow deploy tokens: their server has no others. @returns the path of the file */
function forDeployTokens(file: string): string {
  const { paths, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, { security: object[] }>> };
  const allowed = Object.entries(paths).map(([path, methods]) => {
    const operations = Object.entries(methods).filter(([, { security }]) => security.some((scheme) => 'pipeline' in scheme));
    return [path, Object.fromEntries(operations)] as const;
  });
  const kept = Object.fromEntries(allowed.filter(([, methods]) => Object.keys(methods).length > 0));
  const written = file.replace(/\.json$/, '-deploy.json');
  writeFileSync(written, JSON.stringify({ ...rest, paths: kept }));
  return written;
}

/** @returns the path of the file */
async function download(address: string): Promise<string> {
  const file = join(folder, `${new URL(address).pathname.replaceAll('/', '-').slice(1)}`);
  writeFileSync(file, await (await fetch(address)).text());
  return file;
}

/** A key for an account whose limits the run does not reach. */
async function makeKey(): Promise<string> {
  const accountId = await makeAccount('catalogue');
  const { key } = await runCliJson<{ key: string }>(data, ['keys', 'issue', '--account', accountId, '--name', 'schemathesis']);
  return key;
}

/** A user with a new account. @returns the access token */
async function makeUser(url: string, name: string): Promise<string> {
  const [email, password] = [`${name}@petstore.test`, `the password of ${name}`];
  const { userId } = await runCliJson<{ userId: string }>(data, ['users', 'create', email, '--password-stdin'], password);
  const accountId = await makeAccount(name);
  const { code, stderr } = await runCli(data, ['accounts', 'add-member', accountId, userId]);
  if (code !== 0) throw new Error(stderr);
  return (await signIn(url, email, password)).access_token;
}

/** A new project of the user's account, and a deploy token for it. @param user the user's access token */
async function makeDeployToken(url: string, user: string): Promise<Record<'accountId' | 'projectId' | 'token', string>> {
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${user}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/dashboard/v1${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    // biome-ignore lint/suspicious/noExplicitAny: the run fails if the answer is another one.
    return (await response.json()) as any;
  };
  const [{ accountId }] = await call('/accounts');
  const { projectId } = await call(`/accounts/${accountId}/projects`, { name: 'Deployed' });
  const { token } = await call(`/projects/${projectId}/deploy-tokens`, { name: 'CI' });
  return { accountId, projectId, token };
}

async function makeAccount(name: string): Promise<string> {
  const limits = ['--per-minute', '1000000', '--per-day', '1000000'];
  return (await runCliJson<{ accountId: string }>(data, ['accounts', 'create', '--name', name, '--plan', 'enterprise', ...limits])).accountId;
}
