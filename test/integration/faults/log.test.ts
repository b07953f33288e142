// The log: how much a lasting fault adds to it, what becomes of it when its disk is full, and how it is rotated.

import { copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDisk } from '../../support/faults/disk.ts';
import { startPlatform } from '../../support/faults/platform.ts';
import { onLinux } from '../../support/faults/size.ts';

const requestsIn = (log: string) => log.split('\n').filter((line) => line.includes('"message":"request"'));

test.runIf(onLinux)('a log on the disk that is full costs nothing but its lines, and one that is rotated none', async () => {
  const disk = await makeDisk();
  const logFile = join(disk.seen, 'service.log');
  const platform = await startPlatform({ disk, logFile, environment: { PETSTORE_ACCESS_LOG: 'all' } });
  const use = async (times: number) => {
    for (let n = 0; n < times; n += 1) expect([(await platform.listAnimals())?.status, (await platform.visit())?.status]).toEqual([200, 200]);
  };
  await use(5);
  const before = requestsIn(platform.log()).length;
  expect(before).toBeGreaterThanOrEqual(5);

  disk.fill();
  await expect.poll(async () => (await platform.addAnimal())?.status).toBe(503);
  await use(20);
  disk.empty();
  await expect.poll(async () => (await platform.addAnimal())?.status).toBe(201);
  const between = requestsIn(platform.log()).length;
  await use(5);
  await expect.poll(() => requestsIn(platform.log()).length).toBe(between + 5);

  // As logrotate does with copytruncate.
  copyFileSync(logFile, `${logFile}.1`);
  truncateSync(logFile);
  await use(5);
  await expect.poll(() => requestsIn(platform.log()).length).toBe(5);
  // Appended: there is no gap before the first line.
  for (const line of platform.log().trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ status: 200 });
  expect(requestsIn(readFileSync(`${logFile}.1`, 'utf8'))).toHaveLength(between + 5);
  expect([platform.ends, await platform.lost()]).toEqual([[], []]);
});

test.runIf(onLinux)('a fault of each request adds some lines a minute to the log', async () => {
  const platform = await startPlatform();
  platform.limit('--fsize=0:');
  for (let n = 0; n < 500; n += 1) expect((await platform.addAnimal())?.status).toBe(503);
  const lines = platform
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"ERROR"'));
  // Ten a minute, however slow the machine is.
  expect(lines.length).toBeGreaterThanOrEqual(10);
  expect(lines.length).toBeLessThan(100);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ message: expect.stringMatching('fault'), service: 'petstore' });
  platform.limit('--fsize=unlimited:');
  expect([platform.ends, await platform.lost()]).toEqual([[], []]);
});
