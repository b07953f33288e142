// A list of 20 over HTTP, from 10,000 animals, with key, both windows and headers, and durable counters: ours compared with the bare server, the
// usual choice, and hono.

import assert from 'node:assert/strict';
import autocannon from 'autocannon';
import { alternate, bar, ratio, report, SAMPLE_MS, sized } from './measure.ts';
import { seed } from './seed.ts';
import { startServer } from './servers/process.ts';

const SERVERS = [
  ['bare node:http', 'bench/servers/bare.ts'],
  ['ours', 'local/main.ts'],
  ['fastify + rate-limiter-flexible', 'bench/servers/fastify.ts'],
  ['hono', 'bench/servers/hono.ts'],
  ['bare node:http, group commit', 'bench/servers/bare-group-commit.ts'],
] as const;

const CONNECTIONS = 32;
const ROUND_SECONDS = sized(3, 0.2);

/** Measures all servers, each in its own process, and prints the results. */
export async function benchHttp(rounds: number): Promise<void> {
  const running = [];
  for (const [name, script] of SERVERS) {
    const data = await seed(10_000);
    running.push({ name, data, server: await startServer(script, data.folder) });
  }
  try {
    await compareAnswers(running.map(({ name, data, server }) => ({ name, url: server.url, key: data.key })));
    const load = (url: string, key: string, duration: number) =>
      autocannon({ url: `${url}/v1/pets`, connections: CONNECTIONS, duration, sampleInt: SAMPLE_MS, headers: { authorization: `Bearer ${key}` } });
    for (const { data, server } of running) await load(server.url, data.key, sized(1, 0.1));
    const candidates = running.map(({ name, data, server }) => ({
      name,
      run: async () => {
        const result = await load(server.url, data.key, ROUND_SECONDS);
        assert.equal(result.non2xx + result.errors + result.timeouts, 0, `${name}: answers other than 200`);
        return result['2xx'] / result.duration;
      },
    }));
    const results = await alternate(candidates, rounds);
    report(`HTTP list of 20 over 10,000 animals, ${CONNECTIONS} connections`, 'requests/s', results);
    const [bare, ours, fastify] = results;
    bar('embedded list compared with the bare server', ratio(ours, bare), 'at least', 0.9);
    bar('embedded list compared with fastify and the durable limiter', ratio(ours, fastify), 'at least', 2);
  } finally {
    for (const { data, server } of running) {
      await server.stop();
      data.remove();
    }
  }
}

/** All servers must give the same answer before they are timed. */
async function compareAnswers(servers: readonly { name: string; url: string; key: string }[]): Promise<void> {
  let expected: unknown;
  for (const { name, url, key } of servers) {
    const response = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    const shown = {
      status: response.status,
      limit: response.headers.get('x-ratelimit-limit'),
      remaining: response.headers.get('x-ratelimit-remaining'),
      hasReset: Number(response.headers.get('x-ratelimit-reset')) > Date.now() / 1000,
      body: await response.text(),
    };
    expected ??= shown;
    assert.deepEqual(shown, expected, `${name} answers differently`);
  }
}
