// A backup during requests: how long it takes with many animals, and how it affects the requests.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASE_FILE } from '../adapters/files/data-folder.ts';
import { bar, median, sized } from './measure.ts';
import { seed } from './seed.ts';

const ANIMALS = sized(600_000, 1_000);
const REQUESTS_PER_SECOND = sized(500, 50);
/** One request in this many creates an animal; the others read a page. */
const CREATES = 10;
const ALONE_MS = sized(6_000, 300);
const ROOT = join(import.meta.dirname, '..');

/** Measures backups alongside paced requests, and compares the restored data with the original. */
export async function benchBackup(rounds: number): Promise<void> {
  const data = await seed(ANIMALS);
  const target = mkdtempSync(join(tmpdir(), 'petstore-bench-backups-'));
  const environment = { ...process.env, PETSTORE_DATA: data.folder, PETSTORE_PORT: '0' };
  const server = spawn(process.execPath, [join(ROOT, 'cli/petstore.ts'), 'start', '--only', 'api'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const command = async (args: readonly string[], folder = data.folder) => {
    const started = performance.now();
    const child = spawn(process.execPath, [join(ROOT, 'cli/petstore.ts'), ...args], {
      env: { ...environment, PETSTORE_DATA: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = child.stdout.toArray();
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`petstore ${args.join(' ')} ended with ${code}`);
    return { seconds: (performance.now() - started) / 1_000, value: JSON.parse(Buffer.concat(await output).toString()) };
  };
  try {
    const url = await ready(server.stdout);
    await paced(url, data.key, sleep(sized(3_000, 300)));
    const [seconds, ratios, alone, beside]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round += 1) {
      const before = await paced(url, data.key, sleep(ALONE_MS));
      const backup = command(['backup', target, '--keep', '1', '--json']);
      const during = await paced(url, data.key, backup);
      seconds.push((await backup).seconds);
      alone.push(before.p99);
      beside.push(during.p99);
      ratios.push(during.p99 / before.p99);
      if (before.failed + during.failed > 0) throw new Error(`${before.failed + during.failed} requests failed`);
    }
    const ms = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(' ');
    console.log(`\n## Backup of ${ANIMALS.toLocaleString('en')} animals beside ${REQUESTS_PER_SECOND} requests a second\n`);
    console.log(`p99 alone, ms: ${ms(alone)}; beside the backup: ${ms(beside)}; backup, s: ${ms(seconds)}`);
    bar('seconds for a backup', median(seconds), 'at most', 60);
    bar('p99 during a backup compared with alone', median(ratios), 'at most', 3);
    server.kill();
    await once(server, 'exit');
    const { value: last } = await command(['backup', target, '--keep', '1', '--json']);
    const restored = join(target, 'restored');
    const { seconds: restoring } = await command(['restore', last.folder, '--json'], restored);
    const isEqual = rowsOf(restored) === rowsOf(data.folder);
    console.log(`restored in ${restoring.toFixed(1)} s; every row equal by digest: ${isEqual}`);
    if (!isEqual) throw new Error('the restored database differs');
  } finally {
    server.kill('SIGKILL');
    data.remove();
    rmSync(target, { recursive: true, force: true });
  }
}

async function ready(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const url = /ready at (http:\S+)/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended');
}

/** Sends requests at a constant rate, however long each takes, until the work is done. */
async function paced(url: string, key: string, work: Promise<unknown>): Promise<{ readonly p99: number; readonly failed: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  let failed = 0;
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  const started = performance.now();
  for (let n = 0; !isDone; n += 1) {
    const due = started + (n * 1_000) / REQUESTS_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 1) await sleep(wait);
    // Counted from when it was due, because a late request has waited.
    sent.push(
      send(agent, url, key, n).then((isOk) => {
        times.push(performance.now() - due);
        if (!isOk) failed += 1;
      }),
    );
  }
  await Promise.all(sent);
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, failed };
}

function send(agent: Agent, url: string, key: string, n: number): Promise<boolean> {
  const isCreate = n % CREATES === 0;
  const body = JSON.stringify({ name: `Beside ${n}`, categoryId: 1, status: 'available' });
  const headers = { authorization: `Bearer ${key}`, ...(isCreate && { 'content-type': 'application/json', 'content-length': body.length }) };
  return new Promise((resolve) => {
    const sending = request(`${url}/v1/pets?limit=20`.replace(isCreate ? /\?.*/ : /$^/, ''), { agent, method: isCreate ? 'POST' : 'GET', headers });
    sending.on('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode === (isCreate ? 201 : 200)));
    });
    sending.once('error', () => resolve(false));
    sending.end(isCreate ? body : undefined);
  });
}

/** Returns one digest of all rows in all tables. */
function rowsOf(folder: string): string {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true, readBigInts: true });
  const digest = createHash('sha256');
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()) {
    digest.update(`${name}\n`);
    for (const row of database.prepare(`SELECT * FROM ${name} ORDER BY 1`).iterate()) digest.update(`${Object.values(row).map(String).join('\t')}\n`);
  }
  database.close();
  return digest.digest('hex');
}
