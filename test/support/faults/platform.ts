// The service on one machine as its users have it, in a process of its own that is started again when it ends, as systemd does; and what they were
// answered, so that nothing that was acknowledged is missed when it is gone.

import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, cpSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { createSqliteEdgeMap } from '../../../adapters/edge/sqlite-edge.ts';
import { LAST_BACKUP_FILE, ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { createSqliteUserStore } from '../../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore } from '../../../adapters/sites/folder.ts';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { issueKey } from '../../../core/access/keys.ts';
import { SCOPES } from '../../../core/access/plans.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import { EMPTY_CONFIGURATION } from '../../../core/projects/project.ts';
import { collect, startChild, stopChild } from '../children.ts';
import { testFolder } from '../folders.ts';
import { PLENTY } from '../host.ts';
import { freePort } from '../ports.ts';
import { petBody } from '../samples.ts';
import { Browser, openSignIn, signIn, submit } from '../sign-in.ts';
import type { Disk } from './disk.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The project's domain. */
export const HOST = 'www.shop.test';
const OWNER = { id: 'usr_owner', email: 'owner@petstore.test', password: 'password of the owner' };
const PROJECT = 'prj_shop000000';
export const ACCOUNT = 'acc_shop000000';
/** The deployment that is current at the start. */
export const DEPLOYMENT = { id: 'dpl_first', projectId: PROJECT };
const DAY_MS = 86_400_000;
const RESTART_MS = 200;

/** What someone was answered. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

export interface UploadFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its content, each time from the beginning. */
  readonly read: () => Readable;
}

export interface Platform {
  /** The data folder, unless it is on another disk. */
  readonly folder: string;
  readonly url: string;
  readonly httpsPort: number;
  /** Of the process that runs now. */
  readonly pid: () => number;
  /** How each process has ended: its exit code or the signal. */
  readonly ends: readonly (number | string | null)[];
  /** All lines of all processes, on both outputs. */
  readonly log: () => string;
  /** Waits until a process answers. */
  readonly back: () => Promise<void>;
  /** Adds an animal. An acknowledged one is remembered. @returns undefined if the connection ends without an answer */
  addAnimal(): Promise<Answer | undefined>;
  listAnimals(): Promise<Answer | undefined>;
  /** A request of the owner to the control API. */
  own(method: string, path: string, body?: unknown): Promise<Answer | undefined>;
  /** Signs in again, with a new browser. @returns the answer to the password */
  signIn(): Promise<Answer | undefined>;
  /** Issues a key. An acknowledged one is remembered. */
  addKey(): Promise<Answer | undefined>;
  /**
   * Publishes a page. The last acknowledged one is remembered.
   *
   * @param more files beside it
   * @returns the first answer that is a refusal, or the last one
   */
  publish(page: string, more?: readonly UploadFile[]): Promise<Answer | undefined>;
  /** Visits the site. @param agent with connections that are used again. @default a new connection */
  visit(path?: string, agent?: Agent): Promise<Answer | undefined>;
  get(path: string): Promise<Answer | undefined>;
  /** The metrics; undefined if they can't be read. */
  scrape(): Promise<string | undefined>;
  /** Sets a limit of the process, such as `--nofile=100:`. */
  limit(option: string): void;
  /** What was acknowledged and is not there; empty if nothing was lost. */
  lost(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface PlatformOptions {
  /** @default a folder on the machine's disk */
  readonly disk?: Disk;
  /** How many files and connections it may have open. @default as many as the tests */
  readonly descriptors?: number;
  /** A file to which both outputs are appended. @default this process reads them */
  readonly logFile?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Adds to the stores before the first start. */
  readonly seed?: (stores: SqliteStores, folder: string) => Promise<void> | void;
}

/** Starts the service with an account that has all rights, a project with a page, and a live domain. Ends with the test. */
export async function startPlatform({ disk, descriptors, logFile, environment = {}, seed }: PlatformOptions = {}): Promise<Platform> {
  const made = testFolder();
  const apiKey = await seedFolder(made, seed);
  const ca = readFileSync(join(made, ROOT_FILE));
  const folder = disk === undefined ? made : join(disk.path, 'data');
  if (disk !== undefined) cpSync(made, join(disk.seen, 'data'), { recursive: true });
  const [port, metricsPort, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_') && !name.startsWith('NODE_V8'));
  const env = {
    ...Object.fromEntries(own),
    PETSTORE_DATA: folder,
    PETSTORE_PORT: String(port),
    PETSTORE_METRICS_PORT: String(metricsPort),
    PETSTORE_EDGE_HTTP_PORT: String(httpPort),
    PETSTORE_EDGE_HTTPS_PORT: String(httpsPort),
    PETSTORE_SANDBOX_DNS_PORT: '0',
    // As without the tests: one line each.
    POWERTOOLS_DEV: 'false',
    ...environment,
  };

  const limits = descriptors === undefined ? [] : ['prlimit', `--nofile=${descriptors}`];
  const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const ends: (number | string | null)[] = [];
  const logs: (() => string)[] = [];
  let stopped = false;
  let child = start();

  function start() {
    const [program = '', ...args] = [...(disk?.command ?? []), ...limits, process.execPath, join(ROOT, 'local/main.ts')];
    const started = startChild(program, args, { cwd: ROOT, env, stdio: ['ignore', output, output] });
    logs.push(collect(started.stdout), collect(started.stderr));
    started.once('exit', (code, signal) => {
      ends.push(code ?? signal);
      // As systemd/petstore.service: Restart=always. The pause is shorter.
      setTimeout(() => {
        if (!stopped) child = start();
      }, RESTART_MS);
    });
    return started;
  }

  const stop = async () => {
    stopped = true;
    await stopChild(child, 'SIGTERM');
  };
  onTestFinished(async () => {
    stopped = true;
    await stopChild(child, 'SIGKILL');
    if (output !== 'pipe') closeSync(output);
  });

  async function ask(target: string, init: RequestInit = {}): Promise<Answer | undefined> {
    try {
      const response = await fetch(target, init);
      return { status: response.status, retryAfter: response.headers.get('retry-after') ?? undefined, body: await response.text() };
    } catch {
      return undefined;
    }
  }
  const get = (path: string) => ask(url + path);

  const animals = new Map<number, string>();
  const keys: string[] = [];
  let page = 'first';
  let token: string | undefined;
  const json = { 'content-type': 'application/json' };

  const visit = (path = '/', agent = new Agent({ keepAlive: false })) =>
    new Promise<Answer | undefined>((resolve) => {
      const asked = httpsRequest(
        { host: '127.0.0.1', port: httpsPort, servername: HOST, ca, path, headers: { host: HOST }, agent },
        async (response) => {
          const body = await response.toArray().then(
            (chunks) => Buffer.concat(chunks).toString(),
            () => undefined,
          );
          resolve(body === undefined ? undefined : { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body });
        },
      );
      asked.once('error', () => resolve(undefined)).end();
    });

  async function control(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    return ask(`${url}/dashboard/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && json) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  const platform: Platform = {
    folder,
    url,
    httpsPort,
    pid: () => child.pid ?? 0,
    ends,
    log: () => (logFile === undefined ? logs.map((text) => text()).join('') : readFileSync(logFile, 'utf8')),
    back: async () => {
      for (;;) {
        if ((await get('/livez'))?.status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    addAnimal: async () => {
      const name = randomBytes(8).toString('hex');
      const answer = await ask(`${url}/v1/pets`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${apiKey}` },
        body: petBody({ name, categoryId: 1 }),
      });
      if (answer?.status === 201) animals.set(JSON.parse(answer.body).id, name);
      return answer;
    },
    listAnimals: () => ask(`${url}/v1/pets?limit=5`, { headers: { authorization: `Bearer ${apiKey}` } }),
    own: control,
    signIn: async () => {
      try {
        const browser = new Browser();
        const { page: form } = await openSignIn(browser, url);
        const { status, headers } = await submit(browser, form, OWNER.email, OWNER.password);
        return { status, retryAfter: headers.get('retry-after') ?? undefined, body: '' };
      } catch {
        return undefined;
      }
    },
    addKey: async () => {
      const answer = await control('POST', `/accounts/${ACCOUNT}/keys`, { name: 'One more', scopes: ['pets:read'] });
      if (answer?.status === 201) keys.push(JSON.parse(answer.body).key);
      return answer;
    },
    publish: async (content, more = []) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      const index = { name: 'index.html', bytes: Buffer.byteLength(content), sha256, read: () => Readable.from([Buffer.from(content)]) };
      const files = new Map([index, ...more].map((file) => [file.name, file]));
      const announced = [...files.values()].map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
      const begun = await control('POST', `/projects/${PROJECT}/uploads`, { files: announced });
      if (begun?.status !== 201) return begun;
      const { deploymentId } = JSON.parse(begun.body);
      const listed = await control('GET', `/projects/${PROJECT}/uploads/${deploymentId}`);
      if (listed?.status !== 200) return listed;
      for (const target of JSON.parse(listed.body).targets as { name: string; url: string }[]) {
        const body = files.get(target.name)?.read();
        const sent = await ask(new URL(target.url, url).href, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}` },
          body,
          duplex: 'half',
        } as RequestInit);
        if (sent?.status !== 204) return sent;
      }
      const published = await control('POST', `/projects/${PROJECT}/uploads/${deploymentId}/publish`);
      if (published?.status === 200) page = content;
      return published;
    },
    visit,
    get,
    // With a connection of its own, as Prometheus: the service closes idle ones after 5 seconds.
    scrape: () =>
      new Promise((resolve) => {
        httpRequest({ host: '127.0.0.1', port: metricsPort, path: '/metrics', agent: false }, (response) => {
          response.toArray().then(
            (chunks) => resolve(response.statusCode === 200 ? Buffer.concat(chunks).toString() : undefined),
            () => resolve(undefined),
          );
        })
          .once('error', () => resolve(undefined))
          .end();
      }),
    limit: (option) => {
      const { status, stderr } = spawnSync('prlimit', [`--pid=${child.pid}`, option], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    },
    lost: async () => {
      const missing: string[] = [];
      for (const [id, name] of animals) {
        const found = await ask(`${url}/v1/pets/${id}`, { headers: { authorization: `Bearer ${apiKey}` } });
        if (found?.status !== 200 || JSON.parse(found.body).name !== name) missing.push(`animal ${id}: ${found?.status}`);
      }
      for (const key of keys) {
        const found = await ask(`${url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
        if (found?.status !== 200) missing.push(`key ${key.slice(0, 20)}: ${found?.status}`);
      }
      const seen = await visit();
      if (seen?.body !== page) missing.push(`page ${page.slice(0, 40)}: ${seen?.status}`);
      return missing;
    },
    stop,
  };

  await platform.back();
  // The listener is open before the first sign-in works.
  while (!platform.log().includes('petstore ready')) await new Promise((resolve) => setTimeout(resolve, 20));
  token = (await signIn(url, OWNER.email, OWNER.password)).access_token;
  return platform;
}

async function seedFolder(folder: string, seed: PlatformOptions['seed']): Promise<string> {
  const now = Date.now();
  const stores = openSqliteStores(folder);
  const { database } = stores;
  await stores.accounts.createAccount({ id: ACCOUNT, name: 'Shop', plan: 'enterprise', limits: PLENTY, createdAt: now });
  await createSqliteUserStore(database).add({ id: OWNER.id, email: OWNER.email }, OWNER.password);
  await stores.members.addMember(ACCOUNT, OWNER.id, 'owner');
  const project = { id: PROJECT, accountId: ACCOUNT, name: 'Shop', token: 'shop', createdAt: now, currentDeploymentId: undefined };
  await stores.projects.createProject({ ...project, configuration: EMPTY_CONFIGURATION });
  await createFolderSiteStore(folder).put(DEPLOYMENT, 'index.html', Readable.from(['first']), 5);
  await stores.projects.deploy({ ...DEPLOYMENT, createdAt: now, files: 1, bytes: 5 });
  const vault = createSqliteVault(database);
  const certificate = await (await createDevelopmentAuthority(folder, vault, Date.now)).request(HOST, 'dom_shop-g1');
  createSqliteEdgeMap(database).set(HOST, { projectId: PROJECT, certificate });
  const domain = newDomain({ id: 'dom_shop', host: HOST, projectId: PROJECT, accountId: ACCOUNT }, now);
  await stores.domains.addDomain({ ...domain, state: { name: 'live', since: now, certificate, misses: 0, nextCheckAt: now + DAY_MS } });
  const request = { mode: 'test', accountId: ACCOUNT, name: 'Shop', scopes: SCOPES, by: OWNER.id, expiresAt: undefined, now } as const;
  const issued = await issueKey(stores.accounts, randomBytes, request);
  if (!issued.ok) throw new Error(issued.message);
  await seed?.(stores, folder);
  stores.close();
  writeFileSync(join(folder, LAST_BACKUP_FILE), JSON.stringify({ createdAt: now }), { mode: 0o600 });
  return issued.key;
}
