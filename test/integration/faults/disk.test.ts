// The disk takes no writes any more: what visitors, owners, integrators and the operator see, and that all is well again afterwards, with everything
// that was acknowledged.

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import type { Finding } from '../../../platforms/embedded/doctor/finding.ts';
import { sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { wrongAlerts } from '../../support/faults/alerts.ts';
import { type Disk, makeDisk } from '../../support/faults/disk.ts';
import { type Platform, startPlatform } from '../../support/faults/platform.ts';
import { onLinux } from '../../support/faults/size.ts';
import { testFolder } from '../../support/folders.ts';
import { commandEnvironment } from '../../support/processes.ts';

interface Fault {
  readonly name: string;
  begin(disk: Disk, platform: Platform): void;
  end(disk: Disk, platform: Platform): void;
  /** The checks of /readyz that fail, with their reasons. */
  readonly failing: Readonly<Record<string, string>>;
  readonly fires: readonly string[];
  /** Why a process that is started meanwhile ends. @default it does not, and serves what can be read */
  readonly startFails?: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a full disk',
    begin: (disk) => disk.fill(),
    end: (disk) => disk.empty(),
    failing: { storage: 'nothing can be stored: database or disk is full', space: '0 MiB free' },
    fires: ['PetstoreDiskAlmostFull', 'PetstoreErrors', 'PetstoreNotReady'],
  },
  {
    // As far as SQLite is concerned: each error but ENOSPC is an I/O error, EDQUOT and EFBIG alike.
    name: 'a quota that is used up',
    begin: (_, platform) => platform.limit('--fsize=0:'),
    end: (_, platform) => platform.limit('--fsize=unlimited:'),
    failing: { storage: 'nothing can be stored: disk I/O error' },
    fires: ['PetstoreErrors', 'PetstoreNotReady'],
  },
  {
    name: 'a disk that becomes read-only',
    begin: (disk, platform) => {
      disk.protect();
      platform.limit('--fsize=0:');
    },
    end: (disk) => disk.unprotect(),
    failing: { storage: 'nothing can be stored: disk I/O error' },
    fires: ['PetstoreErrors', 'PetstoreNotReady'],
    startFails: /petstore: PETSTORE_DATA: can't use \S+: EROFS: read-only file system/,
  },
];

/** What everyone does, a few times. */
async function use(platform: Platform, round: number) {
  const [added, listed, visited] = await Promise.all([platform.addAnimal(), platform.listAnimals(), platform.visit()]);
  const [key, accounts] = [await platform.addKey(), await platform.own('GET', '/accounts')];
  const published = await platform.publish(`page ${round}`);
  const statuses = { added, listed, visited, key, accounts, published };
  return Object.fromEntries(Object.entries(statuses).map(([what, answer]) => [what, answer && [answer.status, answer.retryAfter]]));
}

const WELL = { added: [201], listed: [200], visited: [200], key: [201], accounts: [200], published: [200] };
/** What is there is shown, what is new can't be stored. */
const READS_ONLY = { added: [503, '1'], listed: [200], visited: [200], key: [503, '1'], accounts: [200], published: [503, '1'] };
const readiness = async (platform: Platform) => {
  const answer = await platform.get('/readyz');
  const { checks } = JSON.parse(answer?.body ?? '{"checks":[]}') as { checks: { name: string; state: string; reason?: string }[] };
  return [answer?.status, Object.fromEntries(checks.flatMap(({ name, state, reason }) => (state === 'failed' ? [[name, reason]] : [])))];
};
const eachOf = (expected: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(expected).map(([what, [status, retryAfter]]) => [what, [status, retryAfter]]));

test.runIf(onLinux).each(FAULTS)('$name', async ({ begin, end, failing, fires, startFails }) => {
  const disk = await makeDisk();
  const platform = await startPlatform({ disk });
  const well = [await platform.scrape()];
  for (let round = 0; round < 3; round += 1) expect(await use(platform, round)).toEqual(eachOf(WELL));
  expect(await readiness(platform)).toEqual([200, {}]);
  expect((await platform.signIn())?.status).toBe(303);

  begin(disk, platform);
  // The write-ahead log may have room for a last one.
  await expect.poll(async () => (await platform.addAnimal())?.status).toBe(503);
  for (let round = 0; round < 10; round += 1) expect(await use(platform, 10 + round)).toEqual(eachOf(READS_ONLY));
  await expect.poll(() => readiness(platform)).toEqual([503, failing]);
  expect((await platform.get('/livez'))?.status).toBe(200);
  expect(await platform.signIn()).toMatchObject({ status: 503, retryAfter: '5' });
  await expect.poll(async () => (await platform.scrape())?.includes('petstore_ready 0'), { interval: 500 }).toBe(true);
  const failed = [await platform.scrape()];
  // A hundred requests more are no lines more, unless a minute ends.
  const lines = platform.log().split('\n').length;
  for (let round = 0; round < 100; round += 1) await platform.addAnimal();
  expect(platform.log().split('\n').length - lines).toBeLessThan(30);

  // It can be stopped. A process that is started meanwhile serves what can be read, or ends with the reason and is started again.
  process.kill(platform.pid(), 'SIGTERM');
  await expect.poll(() => platform.ends.length).toBeGreaterThan(startFails === undefined ? 0 : 2);
  if (startFails === undefined) {
    expect(platform.ends).toEqual([0]);
    await platform.back();
    await expect.poll(() => platform.visit()).toMatchObject({ status: 200 });
    expect((await platform.listAnimals())?.status).toBe(200);
  } else expect([platform.ends.slice(0, 3), startFails.test(platform.log())]).toEqual([[0, 1, 1], true]);
  end(disk, platform);
  await platform.back();
  await expect.poll(() => readiness(platform)).toEqual([200, {}]);
  expect(await platform.lost()).toEqual([]);
  const again = await platform.scrape();
  for (let round = 0; round < 3; round += 1) expect(await use(platform, 20 + round)).toEqual(eachOf(WELL));
  expect(await platform.lost()).toEqual([]);
  const phases = [
    { scrapes: well, minutes: 10, fires: [] },
    { scrapes: failed, minutes: 20, fires },
    { scrapes: [again], minutes: 30, fires: [] },
  ];
  expect(wrongAlerts(phases)).toBe('');
});

test.runIf(onLinux)('limits stay exact while counters can not be stored, and afterwards', async () => {
  let key = '';
  const limits = { perMinute: 1_000, perDay: 20 };
  const platform = await startPlatform({
    seed: async ({ accounts }) => {
      const account = sampleAccount(limits);
      const { text, ...record } = sampleKey(account.id);
      key = text;
      await accounts.createAccount(account);
      await accounts.addKey(record, 10, Date.now());
    },
  });
  const statuses = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${platform.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status),
      ),
    );
  expect(await statuses(8)).toEqual(Array(8).fill(200));
  platform.limit('--fsize=0:');
  expect((await platform.addAnimal())?.status).toBe(503);
  expect(await statuses(4)).toEqual(Array(4).fill(200));
  expect((await statuses(5)).concat(await statuses(1))).toEqual(Array(6).fill(200));
  platform.limit('--fsize=unlimited:');
  await expect.poll(async () => (await platform.addAnimal())?.status).toBe(201);
  expect((await statuses(12)).toSorted()).toEqual([200, 200, ...Array(10).fill(429)]);
  // The last ones that were counted have stored the others, too.
  process.kill(platform.pid(), 'SIGKILL');
  await expect.poll(() => platform.ends).toEqual(['SIGKILL']);
  await platform.back();
  expect(await statuses(3)).toEqual([429, 429, 429]);
});

test.runIf(onLinux)('a full disk is named as the reason why a stopped service does not start, and what to do', async () => {
  const disk = await makeDisk();
  const data = testFolder();
  openDatabase(data, 'crash').close();
  cpSync(data, join(disk.seen, 'data'), { recursive: true });
  disk.fill();
  const petstore = (...args: string[]) => {
    const [program = '', ...rest] = [...disk.command, process.execPath, join(import.meta.dirname, '../../../cli/petstore.ts'), ...args];
    const { stdout, stderr } = spawnSync(program, rest, {
      encoding: 'utf8',
      env: commandEnvironment(join(disk.path, 'data'), { PETSTORE_PORT: '0' }),
    });
    return stdout + stderr;
  };
  const advice = 'the disk is full, or a quota is used up: free up space';
  expect(petstore('start')).toMatch(new RegExp(`^petstore: PETSTORE_DATA: can't use \\S+: .*; ${advice}\n$`));
  expect(petstore('backup', testFolder())).toMatch(new RegExp(`petstore\\.db can't be read \\(.*\\); ${advice}\n$`));
  const findings: readonly Finding[] = JSON.parse(petstore('doctor', '--json'));
  for (const check of ['database', 'content'])
    expect(findings.find((finding) => finding.check === check)?.action).toBe(
      `${advice}, and run petstore doctor again; until then, a stopped service does not start`,
    );
  disk.empty();
  expect(petstore('doctor')).not.toContain('disk is full');
});
