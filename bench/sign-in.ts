// A page on a customer's domain, at rest and while 200 strangers try to sign in at once: how long visitors wait.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startServerProcess } from '../test/support/processes.ts';
import { alternate, bar, ratio, report, sized } from './measure.ts';
import { makeDomainsFolder } from './seed-domains.ts';

const STRANGERS = sized(200, 4);
const HOST = 'www.bench.test';
/** Number of pages per round, so the 99th percentile is the tenth slowest. */
const PAGES_A_ROUND = sized(1_000, 20);
/** Interval between a visitor's page requests, in milliseconds. */
const PAUSE_MS = 1;

/** Measures a page at rest and during sign-in attempts, and prints the results. */
export async function benchSignIn(rounds: number): Promise<void> {
  const folder = makeDomainsFolder();
  await folder.addLiveDomain(await folder.addProject('bench'), HOST);
  // Each stranger uses a separate address, because attempts are limited by address.
  const service = await startServerProcess(folder.path, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1', NODE_ENV: 'production' });
  const load = spawn(process.execPath, [join(import.meta.dirname, 'servers/sign-in-load.ts'), service.url, String(STRANGERS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: load.stdout });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    await once(lines, 'line');
    const port = Number(/custom domains at https:\/\/[\d.]+:(\d+)/.exec(service.stdout())?.[1]);
    const answers: Record<string, number> = {};
    const candidates = [
      { name: 'at rest', run: () => percentile(agent, port) },
      {
        name: `with ${STRANGERS} sign-in attempts at once`,
        run: async () => {
          let going = true;
          const attacking = (async () => {
            while (going) {
              const answered = once(lines, 'line');
              load.stdin.write('\n');
              const [line] = (await answered) as [string];
              for (const [status, count] of Object.entries<number>(JSON.parse(line))) answers[status] = (answers[status] ?? 0) + count;
            }
          })();
          const figure = await percentile(agent, port);
          going = false;
          await attacking;
          return figure;
        },
      },
    ];
    for (const { run } of candidates) await run();
    const [atRest, attacked] = await alternate(candidates, rounds);
    report(
      "A page of 20 bytes on a customer's domain, 99th percentile",
      'µs',
      [atRest, attacked].filter((each) => each !== undefined),
    );
    console.log(`attempts by status: ${JSON.stringify(answers)}`);
    bar('p99 of a page during sign-in attempts compared with p99 at rest', ratio(attacked, atRest), 'at most', 3);
  } finally {
    agent.destroy();
    const ended = once(load, 'exit');
    load.kill('SIGKILL');
    await ended;
    await service.stop();
    folder.remove();
  }
}

/** Returns the 99th percentile of a round, in microseconds. */
async function percentile(agent: Agent, port: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < PAGES_A_ROUND; n += 1) {
    const started = process.hrtime.bigint();
    await get(agent, port);
    times.push(Number(process.hrtime.bigint() - started) / 1_000);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(PAGES_A_ROUND * 0.99) - 1] ?? Number.NaN;
}

function get(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request({ agent, host: '127.0.0.1', port, servername: HOST, headers: { host: HOST } }, (response) => {
      response.once('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`the page answers ${response.statusCode}`))));
      response.resume();
    });
    asking.once('error', reject);
    asking.end();
  });
}
