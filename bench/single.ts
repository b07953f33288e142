// The cost of a request on an otherwise idle server: CPU time, one request after another, and the time until the server is ready. CPU time is steadier
// than wall-clock time on a machine that is doing other things too.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bar, cpuMs, median, sized } from './measure.ts';
import { seed } from './seed.ts';

const ROOT = join(import.meta.dirname, '..');
const REQUESTS = sized(400, 5);
const STARTS = sized(5, 1);

const REQUESTS_BY_NAME: Readonly<Record<string, (key: string, n: number) => Sent>> = {
  create: (key, n) => ({ method: 'POST', path: '/v1/pets', key, body: JSON.stringify({ name: `Single ${n}`, categoryId: 7, status: 'available' }) }),
  'create with Idempotency-Key': (key, n) => ({
    method: 'POST',
    path: '/v1/pets',
    key,
    body: JSON.stringify({ name: `Single ${n}`, categoryId: 7, status: 'available' }),
    headers: { 'idempotency-key': `single-${process.pid}-${n}-${Date.now()}` },
  }),
  'list of 20': (key) => ({ method: 'GET', path: '/v1/pets?limit=20', key }),
  get: (key) => ({ method: 'GET', path: '/v1/pets/1000003', key }),
  'no key': () => ({ method: 'GET', path: '/v1/pets', key: undefined }),
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Measures one request at a time, and the startup. @param roots of checkouts to compare, the first one being the base */
export async function benchSingle(rounds: number, roots: readonly string[] = [ROOT]): Promise<void> {
  const running = [];
  for (const root of roots) {
    const data = await seed(10_000);
    running.push({ root, data, ...(await start(root, data.folder)) });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  console.log('\n## One request at a time: CPU of the server, ms\n');
  try {
    for (const [name, make] of Object.entries(REQUESTS_BY_NAME)) {
      const figures = new Map<string, number[]>(roots.map((root) => [root, []]));
      for (let round = 0; round <= rounds; round += 1) {
        for (const { root, data, url, pid } of running) {
          const before = cpuMs(pid);
          for (let n = 0; n < REQUESTS; n += 1) await send(agent, url, make(data.key, round * REQUESTS + n));
          // The first round warms up.
          if (round > 0) figures.get(root)?.push((cpuMs(pid) - before) / REQUESTS);
        }
      }
      const medians = roots.map((root) => median(figures.get(root) ?? []));
      console.log(`${name}: ${medians.map((value) => value.toFixed(3)).join(' → ')}`);
      if (name === 'create') bar('CPU per create, ms', medians.at(-1) ?? Number.NaN, 'at most', 1);
    }
  } finally {
    agent.destroy();
    for (const { child, data } of running) {
      child.kill();
      await once(child, 'exit');
      data.remove();
    }
  }
  await benchStart(roots);
}

async function benchStart(roots: readonly string[]): Promise<void> {
  const figures = new Map<string, number[]>(roots.map((root) => [root, []]));
  for (let n = 0; n <= STARTS; n += 1) {
    for (const root of roots) {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-start-'));
      const { child, pid } = await start(root, folder, []);
      if (n > 0) figures.get(root)?.push(cpuMs(pid));
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const medians = roots.map((root) => median(figures.get(root) ?? []));
  console.log(`\nCPU until npm start is ready, ms: ${medians.map((value) => value.toFixed(0)).join(' → ')}`);
}

async function start(root: string, folder: string, args: readonly string[] = ['start', '--only', 'api']) {
  const script = args.length === 0 ? 'local/main.ts' : 'cli/petstore.ts';
  const child = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    env: {
      ...process.env,
      PETSTORE_DATA: folder,
      PETSTORE_PORT: '0',
      PETSTORE_EDGE_HTTP_PORT: '0',
      PETSTORE_EDGE_HTTPS_PORT: '0',
      PETSTORE_SANDBOX_DNS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = /ready at (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, url, pid: child.pid ?? 0 };
}

function send(agent: Agent, url: string, { method, path, key, body, headers }: Sent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(url + path, {
      agent,
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    sending.on('response', (response) => {
      response.resume();
      response.once('end', () => resolve());
    });
    sending.once('error', reject);
    sending.end(body);
  });
}
