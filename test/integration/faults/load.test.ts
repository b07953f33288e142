// Work that is much more than usual, with everyone else at work beside it.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { createSqliteEdgeMap } from '../../../adapters/edge/sqlite-edge.ts';
import { DATABASE_FILE, ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { planOf } from '../../../core/access/plans.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import { EMPTY_CONFIGURATION } from '../../../core/projects/project.ts';
import { sampleAccount } from '../../../testing/samples.ts';
import { stopChild } from '../../support/children.ts';
import { wrongAlerts } from '../../support/faults/alerts.ts';
import { ACCOUNT, DEPLOYMENT, HOST, type Platform, startPlatform } from '../../support/faults/platform.ts';
import { onLinux, report, sized } from '../../support/faults/size.ts';
import { testFolder } from '../../support/folders.ts';
import { freeDnsPort } from '../../support/ports.ts';
import { startCli } from '../../support/processes.ts';
import { startScriptedDns } from '../../support/scripted-dns.ts';
import { Browser, openSignIn } from '../../support/sign-in.ts';

const MOST_DOMAINS = planOf('enterprise').domains;
const PIECE = 2 ** 16;
const TIMEOUT_MS = sized(3_600_000, 600_000);
/** An owner's requests to the control API have a limit of their own, so they are not more than one in this time. */
const OWN_EVERY_MS = 500;
/** Everyone is answered, each time. */
const WELL = { readiness: [200], added: [201], listed: [200], visited: [200], accounts: [200] };

/** Uses the service as everyone does, until the work has ended. @returns the answers that there were, and how often each was asked for */
async function useDuring(platform: Platform, work: Promise<unknown>) {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const answers: Record<keyof typeof WELL, Set<number | undefined>> = {
    readiness: new Set(),
    added: new Set(),
    listed: new Set(),
    visited: new Set(),
    accounts: new Set(),
  };
  let [rounds, owned] = [0, 0];
  do {
    const isOwners = performance.now() - owned > OWN_EVERY_MS;
    if (isOwners) owned = performance.now();
    const asked = {
      readiness: platform.get('/readyz'),
      added: platform.addAnimal(),
      listed: platform.listAnimals(),
      visited: platform.visit(),
      ...(isOwners && { accounts: platform.own('GET', '/accounts') }),
    };
    for (const [what, answer] of Object.entries(asked)) answers[what as keyof typeof WELL].add((await answer)?.status);
    rounds += 1;
  } while (!isOver);
  await over;
  return { rounds, seen: Object.fromEntries(Object.entries(answers).map(([what, statuses]) => [what, [...statuses]])) };
}

/** Alerts fire at the end of the work only, if at all. */
async function quiet(platform: Platform, well: string | undefined, during: string | undefined, fires: readonly string[] = []): Promise<void> {
  const after = await platform.scrape();
  const phases = [
    { scrapes: [well], minutes: 10, fires: [] },
    { scrapes: [during], minutes: 20, fires },
    { scrapes: [after, after], minutes: 40, fires: [] },
  ];
  expect(wrongAlerts(phases)).toBe('');
}

/** How many requests were answered so far. @param status how it begins. @default any */
function requests(scrape = '', status = ''): number {
  const series = scrape.matchAll(new RegExp(`^petstore_http_requests_total\\{.*status="${status}.* (\\d+)$`, 'gm'));
  return [...series].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What people ask about, of a scrape. */
function figuresOf(scrape = ''): Readonly<Record<string, number>> {
  const names = [
    'nodejs_eventloop_lag_max_seconds',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'petstore_database_wal_size_bytes',
  ];
  return Object.fromEntries(names.map((name) => [name, Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(scrape)?.[1])]));
}

test.runIf(onLinux)(
  'a storm of sign-ins: some are checked, the others are told when to come again, and nothing else waits',
  async () => {
    const platform = await startPlatform({ environment: { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' } });
    const well = await platform.scrape();
    const attempts = await Promise.all(
      Array.from({ length: sized(1_000, 60) }, async (_, n) => {
        const browser = new Browser({ 'x-forwarded-for': `192.0.2.${n % 250}` });
        const { page } = await openSignIn(browser, platform.url);
        const body = new URLSearchParams({ email: `someone-${n}@petstore.test`, password: 'a guess' });
        return () => browser.fetch(page, { method: 'POST', body });
      }),
    );
    const storm = Promise.all(attempts.map((attempt) => attempt().then(({ status, headers }) => `${status} ${headers.get('retry-after') ?? ''}`)));
    const { rounds, seen } = await useDuring(platform, storm);
    expect(seen).toEqual(WELL);
    const checked = (await storm).filter((answer) => answer === '401 ').length;
    expect(new Set(await storm)).toEqual(new Set(['401 ', '503 5']));
    // For each password that is hashed, everyone else has been answered at least once.
    expect(rounds).toBeGreaterThan(checked / 2);
    expect([platform.ends, await platform.lost()]).toEqual([[], []]);
    const during = await platform.scrape();
    report('sign-ins', { ...figuresOf(during), attempts: attempts.length, checked, rounds });
    // How many others were answered meanwhile depends on the machine.
    const share = (requests(during, '5') - requests(well, '5')) / (requests(during) - requests(well));
    await quiet(platform, well, during, share > 0.02 ? ['PetstoreErrors'] : []);
  },
  TIMEOUT_MS,
);

test.runIf(onLinux)(
  'an import beside requests, killed once: each line is there once, and no request waits for it',
  async () => {
    const animals = sized(1_000_000, 20_000);
    const file = join(testFolder(), 'animals.jsonl');
    const out = createWriteStream(file);
    for (let n = 0; n < animals; n += 1) if (!out.write(`{"name":"Imported ${n}","categoryId":${n % 50}}\n`)) await once(out, 'drain');
    out.end();
    await finished(out);
    const platform = await startPlatform();
    const well = await platform.scrape();
    const database = new DatabaseSync(join(platform.folder, DATABASE_FILE), { readOnly: true });
    onTestFinished(() => database.close());
    const count = () => Number(database.prepare("SELECT count(*) AS n FROM pets WHERE name LIKE 'Imported %'").get()?.n);
    const first = startCli(platform.folder, ['pets', 'import', file]);
    onTestFinished(() => stopChild(first, 'SIGKILL'));
    const killed = async () => {
      while (count() === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      await stopChild(first, 'SIGKILL');
    };
    const used = [await useDuring(platform, killed())];
    expect(count()).toBeLessThan(animals);
    const second = startCli(platform.folder, ['pets', 'import', file]);
    onTestFinished(() => stopChild(second, 'SIGKILL'));
    const began = performance.now();
    used.push(await useDuring(platform, once(second, 'exit')));
    const milliseconds = Math.round(performance.now() - began);
    const during = await platform.scrape();
    expect(second.exitCode).toBe(0);
    for (const each of used) expect(each.seen).toEqual(WELL);
    expect(count()).toBe(animals);
    expect([platform.ends, await platform.lost()]).toEqual([[], []]);
    await quiet(platform, well, during);
    report('import', { ...figuresOf(during), animals, milliseconds, used });
  },
  TIMEOUT_MS,
);

test.runIf(onLinux)(
  'a large site is sent and served in pieces, with bounded memory',
  async () => {
    // 503 MB; a plan includes 500 MiB, with files of 25 MiB.
    const [files, pieces] = [sized(20, 5), 24 * 16];
    const bytes = pieces * PIECE;
    const piece = (n: number) => Buffer.alloc(PIECE, `piece ${n} of the film `);
    const read = () => Readable.from(Array.from({ length: pieces }, (_, n) => n).values()).map(piece);
    const digest = createHash('sha256');
    for await (const each of read()) digest.update(each);
    const sha256 = digest.digest('hex');
    const names = Array.from({ length: files }, (_, n) => `film-${n}.mp4`);
    const platform = await startPlatform();
    const well = await platform.scrape();
    const ca = readFileSync(join(platform.folder, ROOT_FILE));
    const download = (name: string, range?: string) =>
      new Promise<{ status: number | undefined; bytes: number; sha256: string; contentRange: string | undefined }>((resolve, reject) => {
        const headers = { host: HOST, ...(range !== undefined && { range }) };
        request({ host: '127.0.0.1', port: platform.httpsPort, servername: HOST, ca, path: `/${name}`, headers, agent: false }, async (response) => {
          const received = createHash('sha256');
          let size = 0;
          for await (const each of response) {
            received.update(each);
            size += each.length;
          }
          resolve({ status: response.statusCode, bytes: size, sha256: received.digest('hex'), contentRange: response.headers['content-range'] });
        })
          .once('error', reject)
          .end();
      });
    const mebibytes = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${platform.pid()}/status`, 'utf8'))?.[1]) / 1_024;
    const before = mebibytes();
    const published = platform.publish(
      'with a film',
      names.map((name) => ({ name, bytes, sha256, read })),
    );
    const used = [await useDuring(platform, published)];
    expect((await published)?.status).toBe(200);
    // All at once.
    const downloads = Promise.all(names.map((name) => download(name)));
    used.push(await useDuring(platform, downloads));
    for (const each of await downloads) expect(each).toMatchObject({ status: 200, bytes, sha256 });
    const middle = (pieces / 2) * PIECE;
    expect(await download(names[0] ?? '', `bytes=${middle}-${middle + PIECE - 1}`)).toEqual({
      status: 206,
      bytes: PIECE,
      sha256: createHash('sha256')
        .update(piece(pieces / 2))
        .digest('hex'),
      contentRange: `bytes ${middle}-${middle + PIECE - 1}/${bytes}`,
    });
    const during = await platform.scrape();
    for (const each of used) expect(each.seen).toEqual(WELL);
    report('site', { ...figuresOf(during), files, bytes: files * bytes, mebibytesBefore: before, mebibytesMost: mebibytes(), used });
    expect(mebibytes() - before).toBeLessThan(150);
    expect([platform.ends, await platform.lost()]).toEqual([[], []]);
    await quiet(platform, well, during);
  },
  TIMEOUT_MS,
);

test.runIf(onLinux)(
  "domains that are due after a week's rest are worked off a few at a time, and stay live",
  async () => {
    const domains = sized(10_000, 200);
    const now = Date.now();
    const WEEK_MS = 7 * 86_400_000;
    const port = await freeDnsPort();
    const tokenOf = (zone: string) => {
      const first = Math.floor(Number(/\d+/.exec(zone)?.[0]) / MOST_DOMAINS) * MOST_DOMAINS;
      return first === 0 ? 'shop' : `more${first}`;
    };
    const answer = ({ name, type }: { name: string; type?: string }) => {
      const zone = /(?:^|\.)(shop\d+\.dev)$/.exec(name)?.[1];
      if (zone === undefined) return {};
      const record = (type: 'A' | 'NS' | 'CNAME', data: string) => ({ answers: [{ type, name, ttl: 60, data }] });
      if (type === 'NS' && name === zone) return record('NS', `ns.${zone}`);
      if (type === 'A' && name === `ns.${zone}`) return record('A', '127.0.0.1');
      return type === 'CNAME' && name === `www.${zone}` ? record('CNAME', `${tokenOf(zone)}.edge.bench.dev`) : {};
    };
    const servers = [await startScriptedDns(answer), await startScriptedDns(answer, '127.0.0.1', port)];
    onTestFinished(async () => {
      for (const server of servers) await server.stop();
    });
    const platform = await startPlatform({
      environment: {
        PETSTORE_DNS_SERVERS: `127.0.0.1:${servers[0]?.port}`,
        PETSTORE_DNS_PORT: String(port),
        PETSTORE_DNS_PRIVATE_NETWORKS: 'on',
        PETSTORE_EDGE_NAME: 'edge.bench.dev',
      },
      seed: async ({ accounts, projects, database, domains: store }, folder) => {
        const authority = await createDevelopmentAuthority(folder, createSqliteVault(database), Date.now);
        const map = createSqliteEdgeMap(database);
        let [accountId, projectId] = [ACCOUNT, DEPLOYMENT.projectId];
        for (let n = 0; n < domains; n += 1) {
          // As many as an account may have; all are of one project.
          if (n > 0 && n % MOST_DOMAINS === 0) {
            const account = { ...sampleAccount(), plan: 'enterprise' as const };
            [accountId, projectId] = [account.id, `prj_more${n}`];
            await accounts.createAccount(account);
            const project = { id: projectId, accountId, name: 'More', token: `more${n}`, createdAt: now, currentDeploymentId: undefined };
            await projects.createProject({ ...project, configuration: EMPTY_CONFIGURATION });
            await projects.deploy({ id: `dpl_more${n}`, projectId, createdAt: now, files: 1, bytes: 5 });
          }
          const host = `www.shop${n}.dev`;
          const certificate = await authority.request(host, `dom_${n}-g1`);
          map.set(host, { projectId, certificate });
          const domain = newDomain({ id: `dom_${n}`, host, projectId, accountId }, now - 2 * WEEK_MS);
          await store.addDomain({ ...domain, state: { name: 'live', since: now - 2 * WEEK_MS, certificate, misses: 0, nextCheckAt: now - WEEK_MS } });
        }
      },
    });
    const began = performance.now();
    const due = (scrape: string | undefined) => Number(/queue_due_items\{queue="domains"\} (\d+)/.exec(scrape ?? '')?.[1]);
    const first = await platform.scrape();
    let files = 0;
    const done = async () => {
      while (due(await platform.scrape()) > 0) {
        files = Math.max(files, readdirSync(`/proc/${platform.pid()}/fd`).length);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    };
    const { rounds, seen } = await useDuring(platform, done());
    const during = await platform.scrape();
    report('domains', { ...figuresOf(during), domains, milliseconds: Math.round(performance.now() - began), files, rounds });
    expect(seen).toEqual(WELL);
    expect(during).toContain(`petstore_domains{state="live"} ${domains + 1}`);
    expect(files).toBeLessThan(500);
    expect([platform.ends, await platform.lost()]).toEqual([[], []]);
    const phases = [
      { scrapes: [first], minutes: 4, fires: [] },
      { scrapes: [await platform.scrape()], minutes: 20, fires: [] },
    ];
    expect(wrongAlerts(phases)).toBe('');
  },
  TIMEOUT_MS,
);
