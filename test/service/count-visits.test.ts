// What CloudFront has logged is counted by project and day, once, and only chosen visits are written.

import { gzipSync } from 'node:zlib';
import { DeleteObjectsCommand, GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCloudFrontLogs } from '../../adapters/sites/cloudfront-logs.ts';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { newProjectToken, PROJECT_TOKEN_LENGTH } from '../../core/domains/records.ts';
import { goneLive } from '../../core/domains/served.ts';
import type { ProjectTraffic } from '../../core/projects/project.ts';
import { countVisits } from '../../service/workflow/count-visits.ts';
import { makeProject, nextNumber } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testInstallation } from '../support/folders.ts';
import { type MemoryBucket, memoryBucket } from '../support/memory-s3.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const EDGE = 'edge.example.com';
const client = new S3Client({ region: 'eu-central-1' });
const s3 = mockedClient(client);
let bucket: MemoryBucket & { readonly objects: Map<string, Buffer> };
let stores: SqliteStores;
let sweeps = createMemorySweepStore();
let totals: Record<string, readonly [requests: number, bytes: number]> = {};
let lines: object[] = [];
let faults: string[] = [];

beforeEach(() => {
  bucket = memoryBucket(s3) as typeof bucket;
  stores = openSqliteStores(testInstallation(), { clock: () => NOON });
  onTestFinished(() => stores.close());
  [sweeps, totals, lines, faults] = [createMemorySweepStore(), {}, [], []];
});

async function count(add = keep, id = 'run') {
  const traffic = { add, between: async () => [] };
  const work = { ...stores, edgeHost: EDGE, logs: createCloudFrontLogs(client, 'sites'), traffic, logVisit: (line: object) => lines.push(line) };
  return countVisits(work, { store: sweeps, id, clock: () => NOON, remainingMs: () => 240_000 }, (_, file) => faults.push(file));
}

async function keep(traffic: readonly ProjectTraffic[]): Promise<void> {
  for (const { day, projectId, requests, bytes } of traffic) {
    const [before, bytesBefore] = totals[`${day} ${projectId}`] ?? [0, 0];
    totals[`${day} ${projectId}`] = [before + requests, bytesBefore + bytes];
  }
}

async function makeSite({ logs = false } = {}) {
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  const token = newProjectToken(crypto.getRandomValues(new Uint8Array(PROJECT_TOKEN_LENGTH)));
  const project = await makeProject(stores, { accountId: account.id, token });
  if (logs) await stores.projects.putConfiguration(project.id, { domains: { redirects: [] }, logs: { access: true } });
  const host = `h${nextNumber()}.dev`;
  const domain = newDomain({ id: `dom_${host}`, host, projectId: project.id, accountId: account.id }, NOON);
  await stores.domains.addDomain(domain);
  const live = goneLive(domain, 'c', NOON);
  await stores.domains.saveDomain(live, domain);
  return { projectId: project.id, host, target: `${project.token}.${EDGE}`, live };
}

/** As CloudFront writes it: all values are texts. */
const line = (host: string, more: object = {}) =>
  JSON.stringify({
    ...{ date: '2026-11-24', time: '11:59:58', 'x-host-header': host, 'cs-method': 'GET', 'cs-uri-stem': '/' },
    ...{ 'sc-status': '200', 'sc-bytes': '1000', 'time-taken': '0.012', ...more },
  });
const FILE = 'AWSLogs/123456789012/CloudFront/E1.2026-11-24-11.0a1b2c3d.gz';
const put = (key: string, ...content: string[]) => bucket.objects.set(key, gzipSync(content.join('\n')));

test('requests and bytes add up by project and day, at a domain and at the own address, and the files are removed', async () => {
  const [one, other] = [await makeSite(), await makeSite()];
  put(FILE, line(one.host), line(`${one.host.toUpperCase()}:443`), line(one.target, { 'sc-bytes': '24' }), line(other.host));
  bucket.objects.set('AWSLogs/plain', Buffer.from(`${line(one.host, { date: '2026-11-23', 'sc-status': '000' })}\n`));
  bucket.objects.set('prj_a/dpl_b/index.html', Buffer.from('kept'));
  expect(await count()).toEqual({ files: 2, visits: 5, strangers: 0, failed: 0 });
  expect(totals).toEqual({
    [`2026-11-24 ${one.projectId}`]: [3, 2_024],
    [`2026-11-24 ${other.projectId}`]: [1, 1_000],
    [`2026-11-23 ${one.projectId}`]: [1, 1_000],
  });
  expect([...bucket.objects.keys()]).toEqual(['prj_a/dpl_b/index.html']);
  expect(await count()).toEqual({ files: 0, visits: 0, strangers: 0, failed: 0 });
  expect(lines).toEqual([]);
});

test('only visits to projects whose owners have chosen it are written, without secrets', async () => {
  const [chosen, other] = [await makeSite({ logs: true }), await makeSite()];
  // As the visitor asked for it, and as CloudFront asked S3 for it.
  const paths = ['/shop/petstore%5Flive_0123456789abcdef', `/${chosen.projectId}/dpl_4Hq0Zt8wY2/shop/petstore_live_0123456789abcdef`];
  for (const [n, host] of [chosen.host, other.host].entries())
    put(`AWSLogs/${n}`, ...paths.map((path) => line(host, { 'cs-uri-stem': path, 'sc-status': '404' })));
  await count();
  const written = {
    ...{ visitedAt: '2026-11-24T11:59:58.000Z', projectId: chosen.projectId, host: chosen.host, method: 'GET' },
    ...{ path: '/shop/petstore_live_…', status: 404, bytes: 1_000, durationMs: 12 },
  };
  expect(lines).toEqual([written, written]);
});

test('a name that was removed counts for its last project; one that is unknown, and what is no visit, for none', async () => {
  const { host, projectId, live } = await makeSite();
  const removed = { ...live, state: { name: 'removed', since: NOON, until: NOON + 1 } } as const;
  await stores.domains.saveDomain(removed, live);
  put(FILE, line(host), line('stranger.example'), line(`aaaaaaaaaaaaaaaa.${EDGE}`), line('-', { 'sc-bytes': '-' }), 'null', '{"cut', '');
  expect(await count()).toEqual({ files: 1, visits: 1, strangers: 2, failed: 0 });
  expect(totals).toEqual({ [`2026-11-24 ${projectId}`]: [1, 1_000] });
});

test('a file that is cut short counts nothing and stays, and does not keep the others from being counted', async () => {
  const { host, projectId } = await makeSite({ logs: true });
  const whole = gzipSync(Array.from({ length: 5_000 }, (_, n) => line(host, { 'sc-bytes': String(n) })).join('\n'));
  bucket.objects.set(FILE, whole.subarray(0, whole.length - 100));
  for (let n = 0; n < 150; n += 1) put(`AWSLogs/z${n}.gz`, line(host));
  expect(await count()).toEqual({ files: 150, visits: expect.any(Number), strangers: 0, failed: 1 });
  expect([faults, [...bucket.objects.keys()], lines.length]).toEqual([[FILE], [FILE], 150]);
  bucket.objects.set(FILE, whole);
  await count();
  expect(totals).toEqual({ [`2026-11-24 ${projectId}`]: [5_150, 150_000 + (5_000 * 4_999) / 2] });
});

test('a file of which nothing is understood stays, and so does one that can not be removed, which counts later', async () => {
  const { host, projectId } = await makeSite();
  put(FILE, '#Version: 1.0', '2026-11-24 11:59:58 FRA2');
  put('AWSLogs/b', line(host));
  put('AWSLogs/c', line(host));
  s3.on(DeleteObjectsCommand).callsFake(async () => {
    bucket.objects.delete('AWSLogs/b');
    return { Errors: [{ Key: 'AWSLogs/c', Code: 'InternalError' }] };
  });
  expect(await count()).toMatchObject({ files: 2, failed: 1 });
  expect([faults, totals]).toEqual([[FILE], { [`2026-11-24 ${projectId}`]: [1, 1_000] }]);
});

test('of two runs at once, one counts', async () => {
  const { host, projectId } = await makeSite();
  for (let n = 0; n < 25; n += 1) put(`AWSLogs/${n}`, line(host));
  const reports = await Promise.all(['one', 'other'].map((id) => count(keep, id)));
  expect([reports.filter((report) => report === undefined).length, totals]).toEqual([1, { [`2026-11-24 ${projectId}`]: [25, 25_000] }]);
});

test('nothing counts twice if the store fails, and a file that is gone counts as none', async () => {
  const { host } = await makeSite();
  put(FILE, line(host));
  const failing = async () => {
    await keep([{ projectId: 'half', day: '2026-11-24', requests: 1, bytes: 1 }]);
    throw new Error('gone');
  };
  await expect(count(failing)).rejects.toThrow('gone');
  expect(await count()).toMatchObject({ files: 0, visits: 0 });
  put(FILE, line(host));
  s3.on(GetObjectCommand).rejects(new NoSuchKey({ message: 'no', $metadata: {} }));
  expect(await count()).toMatchObject({ files: 1, visits: 0 });
});
