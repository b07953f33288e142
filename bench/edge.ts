// The edge with 10 and with 10,000 domains: the time for a new TLS connection to a random domain, and memory usage.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { connect } from 'node:tls';
import { alternate, bar, ratio, report, sized } from './measure.ts';

const SIZES = sized([10, 10_000], [2, 10]);
const CONNECTIONS_A_ROUND = sized(200, 5);
const WARM_ROUNDS = sized(70, 1);
const MEBIBYTE = 2 ** 20;

interface RunningEdge {
  readonly size: number;
  readonly port: number;
  readonly child: ChildProcess;
  readonly lines: Interface;
  readonly folder: string;
}

/** Measures the edge's TLS connections and memory, and prints the results. */
export async function benchEdge(rounds: number): Promise<void> {
  const edges: RunningEdge[] = [];
  for (const size of SIZES) edges.push(await startEdge(size));
  try {
    let random = 1;
    const next = (bound: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return (random >>> 8) % bound;
    };
    const candidates = edges.map((edge) => ({
      name: `${edge.size.toLocaleString('en')} domains`,
      run: async () => {
        const started = process.hrtime.bigint();
        for (let n = 0; n < CONNECTIONS_A_ROUND; n += 1) await handshake(edge.port, `d${next(edge.size)}.bench.test`);
        return Number(process.hrtime.bigint() - started) / CONNECTIONS_A_ROUND / 1_000;
      },
    }));
    // Warms up until memory has stopped growing, so that the steady state is measured.
    for (let round = 0; round < WARM_ROUNDS; round += 1) for (const { run } of candidates) await run();
    const before = await Promise.all(edges.map(memoryOf));
    const [few, many] = await alternate(candidates, rounds);
    report(
      'New TLS connection to a random domain',
      'µs',
      [few, many].filter((each) => each !== undefined),
    );
    bar('new TLS connection with 10,000 domains compared with 10', ratio(many, few), 'at most', 1.1);
    const after = await Promise.all(edges.map(memoryOf));
    edges.forEach(({ size }, index) => {
      console.log(
        `            memory with ${size} domains: ${megabytes(before[index])} after the first round, ${megabytes(after[index])} after the last`,
      );
    });
    bar('memory with 10,000 domains, last round compared with the first', (after[1] ?? 0) / (before[1] ?? 1), 'at most', 1.2);
  } finally {
    for (const { child, folder } of edges) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function startEdge(size: number): Promise<RunningEdge> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const script = join(import.meta.dirname, 'servers/edge.ts');
  const child = spawn(process.execPath, ['--expose-gc', script, folder, String(size)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return { size, port: Number(line.replace('ready at ', '')), child, lines, folder };
}

async function memoryOf({ child, lines }: RunningEdge): Promise<number> {
  const answered = once(lines, 'line');
  child.stdin?.write('memory\n');
  const [line] = (await answered) as [string];
  return Number(line.replace('memory ', ''));
}

function handshake(port: number, servername: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

function megabytes(bytes: number | undefined): string {
  return `${((bytes ?? 0) / MEBIBYTE).toFixed(0)} MiB`;
}
