// How long clients wait as one process nears its limit: a list of 20 with key, windows and headers, at 50, 80 and 95 % of the highest rate that each
// server can answer. Requests are sent at a fixed rate; a wait is counted from when a request was due, not from when it was sent.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { median, SAMPLE_MS, sized } from './measure.ts';
import { type Seeded, seed } from './seed.ts';
import type { GcPauses } from './servers/gc-pauses.ts';
import { type ServerProcess, startServer } from './servers/process.ts';

const SERVERS = [
  ['ours', 'local/main.ts'],
  ['bare node:http', 'bench/servers/bare.ts'],
  ['fastify + rate-limiter-flexible', 'bench/servers/fastify.ts'],
] as const;
const SHARES = [0.5, 0.8, 0.95];
const CONNECTIONS = 32;
const SECONDS = sized(8, 0.2);
const RECORDER = join(import.meta.dirname, 'servers/gc-pauses.ts');

/** Measures each server and prints a table. @param rounds of each rate */
export async function benchSaturation(rounds: number): Promise<void> {
  console.log(`\n## Wait for a list of 20, ${CONNECTIONS} connections, load on the same machine\n`);
  console.log('| | at most, requests/s | load | p50, ms | p99, ms | p99.9, ms | GC pauses/s | GC, % of the time | longest pause, ms |');
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|---:|');
  for (const [name, script] of SERVERS) {
    const data = await seed(10_000);
    const gcFile = join(data.folder, 'gc.json');
    const server = await startServer(script, data.folder, undefined, { NODE_OPTIONS: `--import ${RECORDER}`, BENCH_GC_FILE: gcFile });
    try {
      await load(server, data);
      const most = (await load(server, data))['2xx'] / SECONDS;
      for (const share of SHARES) {
        const runs: { readonly latency: autocannon.Histogram; readonly gc: GcPauses }[] = [];
        for (let round = 0; round < rounds; round += 1) {
          await gcPauses(server, gcFile);
          const { latency } = await load(server, data, Math.max(1, Math.round(most * share)));
          runs.push({ latency, gc: await gcPauses(server, gcFile) });
        }
        const of = (figure: (run: (typeof runs)[number]) => number) => median(runs.map(figure));
        const waits = [of(({ latency }) => latency.p50), of(({ latency }) => latency.p99), of(({ latency }) => latency.p99_9)];
        const gc = [of(({ gc }) => gc.count / SECONDS), of(({ gc }) => gc.totalMs / SECONDS / 10), of(({ gc }) => gc.longestMs)];
        console.log(
          `| ${name} | ${most.toFixed(0)} | ${share * 100} % | ${waits.join(' | ')} | ${gc.map((figure) => figure.toFixed(1)).join(' | ')} |`,
        );
      }
    } finally {
      await server.stop();
      data.remove();
    }
  }
}

/** @param rate requests per second. @default as many as the server can answer */
async function load({ url }: ServerProcess, { key }: Seeded, rate?: number) {
  const result = await autocannon({
    url: `${url}/v1/pets`,
    connections: CONNECTIONS,
    duration: SECONDS,
    sampleInt: SAMPLE_MS,
    headers: { authorization: `Bearer ${key}` },
    ...(rate !== undefined && { overallRate: rate }),
  });
  assert.equal(result.non2xx + result.errors + result.timeouts, 0, 'answers other than 200');
  return result;
}

/** Returns the garbage collection pauses since the last call. */
async function gcPauses({ pid }: ServerProcess, file: string): Promise<GcPauses> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await sleep(20);
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // Not written yet.
    }
  }
}
