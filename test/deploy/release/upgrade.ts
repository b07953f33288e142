// An upgrade from the last release: deploys it as its operators had it, stores data with its own command line and API, and checks that everything
// is there after this version has been deployed over it.

import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { type SandboxServer, startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { createDynamoDbClients } from '../../../adapters/store/dynamodb/calls.ts';
import { PETS_PARTITION } from '../../../adapters/store/dynamodb/tables.ts';
import type { SandboxRecord } from '../../../core/sandbox/records.ts';
import { dataOf } from '../../../platforms/aws/stage-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { sampleNewPet } from '../../support/samples.ts';
import type { Stage, StageVariables } from '../account.ts';
import { DNS_SUFFIX } from '../emulator.ts';
import { runProgram } from '../run-program.ts';
import { ASSEMBLY, CLI, PLACEHOLDERS, unpackRelease } from './archive.ts';

const STAGE: Stage = 'staging';
const ANIMALS = 3_000;
const ACCOUNTS = 30;
const PROJECTS = 5;
const DOMAINS = 20;
/** Of the domains, how many are live. */
const LIVE = 3;
/** Processes of the command line at a time. */
const PROCESSES = 3;
/** Attempts at a request, or at a command that only reads. */
const TRIES = 4;
const READS: ReadonlySet<string> = new Set(['export', 'list']);
/** Requests in a BatchWriteItem, at most (API reference). */
const DELETED_AT_ONCE = 25;

const NEW_CLI = join(import.meta.dirname, '../../../cli/petstore.ts');

/** Extracts the release, with the values of this account in its templates. @returns the folders for `cdk deploy --app` and for `storeData` */
export function prepareRelease(folder: string, variables: StageVariables): { readonly assembly: string; readonly cli: string } {
  unpackRelease(folder);
  const [, zoneId = ''] = (variables.EDGE_ZONE ?? '').split(':');
  const [, certificate = ''] = (variables.API_CERTIFICATE_ARN ?? '').split('/');
  const values = { zoneId, certificate, dnsPort: variables.DNS_PORT ?? '' };
  const assembly = join(folder, ASSEMBLY);
  for (const file of globSync('assembly-*/*.template.json', { cwd: assembly })) {
    const path = join(assembly, file);
    const names = Object.keys(PLACEHOLDERS) as (keyof typeof PLACEHOLDERS)[];
    writeFileSync(
      path,
      names.reduce((text, name) => text.replaceAll(PLACEHOLDERS[name], values[name]), readFileSync(path, 'utf8')),
    );
  }
  return { assembly, cli: join(folder, CLI) };
}

interface Domain {
  readonly host: string;
  readonly state: string;
}

/** What the command line shows of a stage. Fields that a later version adds are left out of comparisons. */
interface Shown {
  readonly animals: readonly string[];
  readonly accounts: readonly Readonly<Record<string, unknown>>[];
  readonly domains: readonly Domain[];
}

export interface StoredData {
  /** A key that the release issued. */
  readonly key: string;
  readonly shown: Shown;
  readonly projects: readonly string[];
  readonly dns: SandboxServer;
}

interface Petstore {
  /** Runs a command with `--json`. @returns what it printed */
  json<T>(...args: string[]): Promise<T>;
  /** Runs a command. @returns the lines that it printed */
  lines(...args: string[]): Promise<readonly string[]>;
}

function petstoreOf(cli: string): Petstore {
  /** The release gives up after three calls of two seconds each: while the machine is busy, the emulator takes longer. */
  const run = async (args: readonly string[], tries = 1): Promise<string> => {
    const { code, stdout, output } = await runProgram(process.execPath, [cli, '--stage', STAGE, ...args], '.', process.env);
    if (code === 0) return stdout;
    if (tries < TRIES && READS.has(args[1] ?? '') && output.includes('TimeoutError')) return await run(args, tries + 1);
    throw new Error(`${cli} ${args.join(' ')} ended with ${code}: ${output}`);
  };
  return {
    json: async (...args) => JSON.parse(await run([...args, '--json'])),
    lines: async (...args) => (await run(args)).trim().split('\n'),
  };
}

/** Runs work for each number below `count`, a few at a time. */
async function times<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < count; number = next++) results[number] = await work(number);
  };
  await Promise.all(Array.from({ length: PROCESSES }, worker));
  return results;
}

/** Fills the stage with the release's own command line. @param folder for files @param dnsPort where the stage's functions look records up */
export async function storeData(cli: string, folder: string, { dnsPort, edgeName }: { dnsPort: number; edgeName: string }): Promise<StoredData> {
  const petstore = petstoreOf(cli);
  const animals = join(folder, 'animals.jsonl');
  const lines = Array.from({ length: ANIMALS }, (_, n) => {
    // The black-box suite walks through the pending ones, three to a page.
    const pet = sampleNewPet({ name: `Upgraded ${n}`, status: n % 2 === 0 ? 'available' : 'sold' });
    return JSON.stringify(pet, (_key, value) => (typeof value === 'bigint' ? Number(value) : value));
  });
  writeFileSync(animals, `${lines.join('\n')}\n`);
  const importing = petstore.json('pets', 'import', animals);
  const accounts = await times(ACCOUNTS, (n) =>
    petstore.json<{ accountId: string }>('accounts', 'create', '--name', `Account ${n}`, '--plan', n % 2 === 0 ? 'pro' : 'business'),
  );
  const [{ accountId } = { accountId: '' }] = accounts;
  await petstore.json('accounts', 'set-plan', accountId, '--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000');
  const { key } = await petstore.json<{ key: string }>('keys', 'issue', '--account', accountId, '--scopes', 'pets:read,pets:write');
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'deployed by the release');
  const projects = await times(PROJECTS, async (n) => {
    const made = await petstore.json<{ projectId: string; target: string }>('projects', 'create', '--account', accountId, '--name', `Shop ${n}`);
    await petstore.json('projects', 'deploy', made.projectId, site);
    return made;
  });
  const hostOf = (n: number) => `www.upgraded-${n}.${DNS_SUFFIX}`;
  const records: SandboxRecord[] = [];
  const dns = await startSandboxServer({
    host: '127.0.0.1',
    port: dnsPort,
    suffix: DNS_SUFFIX,
    records: () => records,
    edge: { host: edgeName, address: '127.0.0.1' },
  });
  await times(DOMAINS, async (n) => {
    const { projectId = '', target = '' } = projects[n % PROJECTS] ?? {};
    await petstore.json('domains', 'add', hostOf(n), '--project', projectId);
    if (n >= LIVE) return;
    records.push({ name: hostOf(n), type: 'CNAME', value: target, ttl: 60 });
    await petstore.json('domains', 'verify', hostOf(n));
  });
  await importing;
  const ids = projects.map(({ projectId }) => projectId);
  await eventually(
    async () => (await domainsOf(petstore, ids)).filter(({ state }) => state === 'live').length,
    (live) => assert.equal(live, LIVE, `the release's domains: only ${live} of ${LIVE} are live`),
  );
  return { key, shown: await show(petstore, ids), projects: ids, dns };
}

/** Returns a line for the log. */
export function countsOfStored({ shown: { animals, accounts, domains } }: StoredData): string {
  const live = domains.filter(({ state }) => state === 'live').length;
  return `${animals.length} animals, ${accounts.length} accounts and ${domains.length} domains, ${live} of them live`;
}

async function show(petstore: Petstore, projects: readonly string[]): Promise<Shown> {
  const animals = await petstore.lines('pets', 'export');
  const accounts = await petstore.json<Shown['accounts']>('accounts', 'list');
  return { animals, accounts, domains: await domainsOf(petstore, projects) };
}

async function domainsOf(petstore: Petstore, projects: readonly string[]): Promise<readonly Domain[]> {
  return (await times(projects.length, (n) => petstore.json<Domain[]>('domains', 'list', projects[n] ?? ''))).flat();
}

export interface Traffic {
  /** Ends it. @returns the number of requests, the repetitions that responses asked for, and a line for each request that failed */
  stop(): Promise<{ readonly requests: number; readonly repeated: number; readonly failed: readonly string[] }>;
}

/** Reads animals continuously, with a key of the release. */
export function startTraffic(url: string, key: string): Traffic {
  const failed: string[] = [];
  let [requests, repeated] = [0, 0];
  let running = true;
  /** A slow storage is a 503 that says when to repeat the request. On a busy machine the emulator's is slow at times, without an upgrade too. */
  const request = async (tries = 1): Promise<void> => {
    const response = await fetch(`${url}/v1/pets?limit=5`, { headers: { authorization: `Bearer ${key}` } });
    const body = await response.text();
    const seconds = response.headers.get('retry-after');
    if (response.status === 503 && seconds !== null && tries < TRIES) {
      repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
      await request(tries + 1);
    } else if (response.status !== 200) failed.push(`${response.status} ${body}`);
  };
  const client = async () => {
    while (running) {
      requests += 1;
      await request().catch((error: unknown) => failed.push(String(error)));
    }
  };
  const clients = [client(), client()];
  return {
    stop: async () => {
      running = false;
      await Promise.all(clients);
      return { requests, repeated, failed };
    },
  };
}

/** Compares what this version's command line shows with what the release showed, and removes the live domains. @returns a line for each difference */
export async function checkUpgraded({ shown, projects, dns }: StoredData): Promise<readonly string[]> {
  const petstore = petstoreOf(NEW_CLI);
  const now = await show(petstore, projects);
  const problems: string[] = [];
  const animals = new Set(now.animals);
  const missing = shown.animals.filter((line) => !animals.has(line));
  if (shown.animals.length < ANIMALS || missing.length > 0)
    problems.push(`${shown.animals.length} animals before; ${missing.length} of them are not there`);
  for (const before of shown.accounts) {
    const after = now.accounts.find(({ accountId }) => accountId === before.accountId) ?? {};
    for (const [name, value] of Object.entries(before))
      if (JSON.stringify(after[name]) !== JSON.stringify(value))
        problems.push(`account ${before.accountId}: ${name} was ${JSON.stringify(value)}, is ${JSON.stringify(after[name])}`);
  }
  if (shown.accounts.length < ACCOUNTS) problems.push(`only ${shown.accounts.length} accounts before`);
  for (const { host, state } of shown.domains) {
    const after = now.domains.find((domain) => domain.host === host);
    if (after?.state !== state) problems.push(`${host} was ${state}, is ${after?.state ?? 'gone'}`);
  }
  if (shown.domains.length < DOMAINS) problems.push(`only ${shown.domains.length} domains before`);
  // The new version also ends what the release began.
  const live = now.domains.filter(({ state }) => state === 'live').map(({ host }) => host);
  for (const host of live) await petstore.json('domains', 'remove', host, '--yes');
  await eventually(
    async () => (await domainsOf(petstore, projects)).filter(({ host }) => live.includes(host)),
    (left) => assert.deepEqual(left, []),
  );
  await dns.stop();
  await deleteAnimals();
  return problems;
}

/** The emulator reads a whole partition for each query, so that each list of animals would take a tenth of a second for the rest of the run. */
async function deleteAnimals(): Promise<void> {
  const { pets = '' } = await dataOf(STAGE);
  const { retrying, once } = createDynamoDbClients();
  const query = {
    TableName: pets,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: PETS_PARTITION } },
    ProjectionExpression: 'pk, id',
  };
  for await (const { Items = [] } of paginateQuery({ client: retrying }, query)) {
    for (let from = 0; from < Items.length; from += DELETED_AT_ONCE) {
      const requests = Items.slice(from, from + DELETED_AT_ONCE).map((Key) => ({ DeleteRequest: { Key } }));
      await retrying.send(new BatchWriteItemCommand({ RequestItems: { [pets]: requests } }));
    }
  }
  for (const client of [retrying, once]) client.destroy();
}
