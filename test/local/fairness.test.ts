// Bans affect only persistent clients: the lists in docs/decisions/0003-bans.md over HTTP against the embedded host, in virtual time; and a burst
// in real time, where requests wait in queues.

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePlan } from '../../core/access/accounts.ts';
import type { Limits } from '../../core/access/plans.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';
import {
  BANNED,
  type Bench,
  bannedAfterMs,
  FREE,
  isBan,
  isRefusal,
  NEVER_BANNED,
  ONE_DAY_LEFT,
  runCase,
  runRepeatedBans,
  runUpgrade,
} from '../support/fairness.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { type Answer, type Behavior, ignores429, stopsAt429 } from '../support/virtual-clients.ts';

const agent = new Agent({ keepAlive: true });
let host: TestHost;
/** Each case has its own minutes, because all share the host's clock. */
let minutes = 0;

beforeAll(async () => {
  host = await startTestHost();
});

afterAll(async () => {
  agent.destroy();
  await host.stop();
});

const nextStart = () => {
  minutes += 100;
  return host.clock.now + minutes * MINUTE_MS;
};

async function makeHttpBench(limits: Limits): Promise<Bench & { readonly accountId: string }> {
  const { key, accountId } = await host.makeKey(limits);
  return {
    accountId,
    server: () => ask(host.url, key),
    onTime: (now) => {
      host.clock.now = now;
    },
    setLimits: async (changed) => {
      await changePlan(host.stores, accountId, { plan: 'enterprise', agreed: changed }, host.clock.now);
    },
  };
}

function ask(url: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/pets?limit=1`, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const retryAfter = response.headers['retry-after'];
        const outcome = response.statusCode === 200 ? 'ok' : JSON.parse(Buffer.concat(chunks).toString()).code;
        resolve({ outcome, retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter) });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('never banned', () => {
  test.each(NEVER_BANNED)('$name', async (each) => {
    const sent = await runCase(await makeHttpBench(each.limits), each, nextStart());
    expect(sent.some(isRefusal)).toBe(true);
    expect(sent.filter(isBan)).toEqual([]);
  });

  test('an account that is upgraded while its client polls every 5 s', async () => {
    const polls: Behavior = async (client) => {
      await stopsAt429(client);
      await ignores429(5_000)(client);
    };
    const { bans, admittedAfterMs } = await runUpgrade(await makeHttpBench(ONE_DAY_LEFT), polls, nextStart(), 30 * MINUTE_MS);
    expect(bans).toBe(0);
    expect(admittedAfterMs).toBeLessThanOrEqual(65_000);
  });

  test('a burst in real time: 5,000 requests at once on 500 connections', async () => {
    const real = await startTestHost({ clock: Date.now });
    try {
      const { key } = await real.makeKey(FREE);
      const connections = Array.from({ length: 500 }, async () => {
        const outcomes: string[] = [];
        for (let n = 0; n < 10; n += 1) outcomes.push((await ask(real.url, key)).outcome);
        return outcomes;
      });
      const outcomes = new Set((await Promise.all(connections)).flat());
      expect(outcomes).toEqual(new Set(['ok', 'rate_limit_exceeded']));
    } finally {
      await real.stop();
    }
  });
});

describe('banned', () => {
  test.each(BANNED)('$name', async (each) => {
    const after429 = bannedAfterMs(await runCase(await makeHttpBench(each.limits), each, nextStart(), isBan));
    expect(after429).toBeLessThanOrEqual(each.withinMs);
  });

  test('a client that does the same after its first ban, for longer', async () => {
    expect(await runRepeatedBans(await makeHttpBench(FREE), nextStart())).toEqual([300, 600]);
  });
});

test('an upgrade takes effect for a refused or banned account within 60 s, whatever its client does', async () => {
  for (const [pauseMs, upgradeAfterMs, bans] of [
    [20, 10_000, 0],
    [20, 120_000, 1],
  ] as const) {
    const result = await runUpgrade(await makeHttpBench(ONE_DAY_LEFT), ignores429(pauseMs), nextStart(), upgradeAfterMs);
    expect(Math.min(result.bans, 1)).toBe(bans);
    expect(result.admittedAfterMs).toBeLessThanOrEqual(60_000 + pauseMs + 2);
  }
});
