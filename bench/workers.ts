// The catalogue API in one, two and four processes on one data folder (`petstore start --only api`): requests per second, and the servers' CPU per
// request, which shows what more cores would give if the load came from another machine.

import assert from 'node:assert/strict';
import autocannon from 'autocannon';
import { alternate, cpuMs, median, ratio, report, SAMPLE_MS, sized } from './measure.ts';
import { type Seeded, seed } from './seed.ts';
import { type ServerProcess, startServer } from './servers/process.ts';

const PROCESSES = sized([1, 2, 4], [1, 2]);
const CONNECTIONS = 32;
const ROUND_SECONDS = sized(3, 0.2);

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const REQUESTS: Readonly<Record<string, Sent>> = {
  'list of 20': { method: 'GET', path: '/v1/pets?limit=20' },
  get: { method: 'GET', path: '/v1/pets/1000003' },
  create: { method: 'POST', path: '/v1/pets', body: JSON.stringify({ name: 'Many', categoryId: 7, status: 'available' }) },
};

/** Measures each request with each number of processes, in turns. */
export async function benchWorkers(rounds: number): Promise<void> {
  const groups: { readonly data: Seeded; readonly servers: readonly ServerProcess[] }[] = [];
  try {
    for (const count of PROCESSES) {
      const data = await seed(10_000);
      const servers: ServerProcess[] = [];
      groups.push({ data, servers });
      for (let n = 0; n < count; n += 1) servers.push(await startServer('cli/petstore.ts', data.folder, ['start', '--only', 'api']));
    }
    for (const [name, sent] of Object.entries(REQUESTS)) {
      const cpu = new Map<number, number[]>(groups.map((_, index) => [index, []]));
      const candidates = groups.map(({ data, servers }, index) => ({
        name: servers.length === 1 ? '1 process' : `${servers.length} processes`,
        run: async () => {
          const before = servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
          const results = await Promise.all(servers.map(({ url }) => load(url, data.key, sent, CONNECTIONS / servers.length)));
          const answered = results.reduce((sum, each) => sum + each['2xx'], 0);
          cpu.get(index)?.push((servers.reduce((sum, { pid }) => sum + cpuMs(pid), 0) - before) / answered);
          return answered / Math.max(...results.map(({ duration }) => duration));
        },
      }));
      for (const { run } of candidates) await run();
      for (const figures of cpu.values()) figures.length = 0;
      const results = await alternate(candidates, rounds);
      report(`${name}, ${CONNECTIONS} connections, load on the same machine`, 'requests/s', results);
      const costs = [...cpu.values()].map(median);
      console.log(`CPU of the servers per request, µs: ${costs.map((ms, index) => `${PROCESSES[index]}: ${(ms * 1_000).toFixed(0)}`).join(', ')}`);
      console.log(
        `requests/s of 2 and of 4 processes compared with 1: ${[1, 2].map((index) => ratio(results[index], results[0]).toFixed(2)).join(', ')}`,
      );
    }
  } finally {
    for (const { data, servers } of groups) {
      await Promise.all(servers.map(({ stop }) => stop()));
      data.remove();
    }
  }
}

async function load(url: string, key: string, { method, path, body }: Sent, connections: number) {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const options = {
    url: `${url}${path}`,
    method,
    connections,
    duration: ROUND_SECONDS,
    sampleInt: SAMPLE_MS,
    headers,
    ...(body !== undefined && { body }),
  };
  const result = await autocannon(options);
  assert.equal(result.non2xx + result.errors + result.timeouts, 0, 'answers other than 2xx');
  return result;
}
