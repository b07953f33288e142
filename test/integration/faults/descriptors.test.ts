// Descriptors are used up: by visitors' connections, up to their bound, and altogether.

import { readdirSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderSiteStore } from '../../../adapters/sites/folder.ts';
import { wrongAlerts } from '../../support/faults/alerts.ts';
import { DEPLOYMENT, startPlatform } from '../../support/faults/platform.ts';
import { onLinux } from '../../support/faults/size.ts';

const statusesOf = async (...work: Promise<{ readonly status: number } | undefined>[]) => (await Promise.all(work)).map((answer) => answer?.status);

function keptConnections(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

test.runIf(onLinux)('visitors who take all connections of the edge keep others away for 10 seconds, and everything else goes on', async () => {
  // 42 for the edge, of which each address may have 21.
  const platform = await startPlatform({ descriptors: 256 });
  const well = [await platform.scrape()];
  const earlier = keptConnections();
  expect((await platform.visit('/', earlier))?.status).toBe(200);
  const from = (address: string) => connect({ host: '127.0.0.1', port: platform.httpsPort, localAddress: address }).on('error', () => {});
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const flood = () => {
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) for (let n = 0; n < 40; n += 1) sockets.push(from(address));
  };
  flood();
  await expect.poll(() => sockets.filter((socket) => socket.closed || socket.readableEnded).length).toBeGreaterThanOrEqual(120 - 41);
  expect(await statusesOf(platform.visit(), platform.visit('/', earlier))).toEqual([undefined, 200]);
  expect(await statusesOf(platform.addAnimal(), platform.listAnimals(), platform.own('GET', '/accounts'), platform.addKey())).toEqual([
    201, 200, 200, 201,
  ]);
  expect(await statusesOf(platform.get('/readyz'), platform.publish('meanwhile'))).toEqual([200, 200]);
  expect((await platform.visit('/', earlier))?.body).toBe('meanwhile');
  expect(platform.log().match(/custom domains: [^;]*/g)).toHaveLength(1);
  await expect
    .poll(async () => (await platform.scrape()) ?? '', { interval: 500 })
    .toMatch(/refused_connections_total\{listener="edge",limit="total"\} [1-9]/);
  const taken = [await platform.scrape()];
  // Their handshakes have to be complete by then.
  await expect.poll(async () => (await platform.visit())?.status, { interval: 500 }).toBe(200);
  expect([platform.ends, await platform.lost()]).toEqual([[], []]);
  const phases = [
    { scrapes: well, minutes: 10, fires: [] },
    { scrapes: taken, minutes: 20, fires: ['PetstoreConnectionsRefused'] },
    { scrapes: [taken[0]], minutes: 20, fires: [] },
  ];
  expect(wrongAlerts(phases)).toBe('');
});

test.runIf(onLinux)('without a descriptor left, connections are closed at once, what is open is served, and the rest is a 503', async () => {
  const platform = await startPlatform({
    seed: async (_, folder) => {
      const sites = createFolderSiteStore(folder);
      for (const [name, bytes] of Object.entries({ 'small.txt': 100, 'large.bin': 3 * 2 ** 20 }))
        await sites.put(DEPLOYMENT, name, Readable.from([Buffer.alloc(bytes, 'x')]), bytes);
    },
  });
  const well = [await platform.scrape()];
  const visitor = keptConnections();
  expect((await platform.visit('/', visitor))?.status).toBe(200);
  expect((await platform.get('/livez'))?.status).toBe(200);
  const open = () => readdirSync(`/proc/${platform.pid()}/fd`).length;
  platform.limit(`--nofile=${open()}:`);
  // Whatever has ended meanwhile, is used.
  const taking: Socket[] = [];
  onTestFinished(() => {
    for (const socket of taking) socket.destroy();
  });
  for (let n = 0; n < 20; n += 1) taking.push(connect(platform.httpsPort, '127.0.0.1').on('error', () => {}));
  await expect.poll(() => taking.some((socket) => socket.closed || socket.readableEnded)).toBe(true);

  expect((await platform.visit())?.status).toBeUndefined();
  expect((await platform.visit('/', visitor))?.body).toBe('first');
  for (const path of ['/small.txt', '/large.bin']) expect(await platform.visit(path, visitor)).toMatchObject({ status: 503, retryAfter: '1' });
  expect([(await platform.addAnimal())?.status, (await platform.listAnimals())?.status, (await platform.addKey())?.status]).toEqual([201, 200, 201]);
  expect(await platform.publish('not now')).toMatchObject({ status: 503, retryAfter: '1' });
  await expect.poll(async () => (await platform.get('/readyz'))?.body).toContain("the database's file can't be opened: EMFILE");
  expect((await platform.get('/livez'))?.status).toBe(200);
  expect(await platform.scrape()).toBeUndefined();

  platform.limit('--nofile=4096:');
  await expect.poll(async () => (await platform.get('/readyz'))?.status).toBe(200);
  expect(await statusesOf(platform.visit('/small.txt'), platform.visit('/large.bin'), platform.publish('again'))).toEqual([200, 200, 200]);
  expect([platform.ends, await platform.lost()]).toEqual([[], []]);
  const again = await platform.scrape();
  const phases = [
    { scrapes: well, minutes: 10, fires: [] },
    { scrapes: [undefined], minutes: 10, fires: ['PetstoreDown'] },
    { scrapes: [again, again], minutes: 40, fires: [] },
  ];
  expect(wrongAlerts(phases)).toBe('');
});
