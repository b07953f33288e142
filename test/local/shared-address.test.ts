// Many customers behind one address: one customer's errors never cause refusals for the others. Over HTTP, on a host that has just started.

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleAccount, sampleKey } from '../../testing/samples.ts';
import { startTestHost, type TestHost } from '../support/host.ts';

const KEYS = 20_000;
const KEYS_AN_ACCOUNT = 10;

const agent = new Agent({ keepAlive: true, maxSockets: 50 });
let host: TestHost;
let keys: readonly string[];

beforeAll(async () => {
  host = await startTestHost();
  keys = addKeys(host);
});

afterAll(async () => {
  agent.destroy();
  await host.stop();
});

/** Written directly to the tables: through the port, each key would need a separate commit. */
function addKeys({ stores: { database } }: TestHost): readonly string[] {
  const addAccount = database.prepare('INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?, ?)');
  const addKey = database.prepare('INSERT INTO api_keys (id, account_id, digest, name, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)');
  database.exec('BEGIN');
  const added = Array.from({ length: KEYS / KEYS_AN_ACCOUNT }, () => {
    const { id, name, plan, limits, createdAt } = sampleAccount();
    addAccount.run(id, name, plan, limits.perMinute, limits.perDay, createdAt);
    return Array.from({ length: KEYS_AN_ACCOUNT }, () => {
      const key = sampleKey(id);
      addKey.run(key.id, id, key.digest, key.name, key.scopes.join(','), key.createdAt, key.expiresAt);
      return key.text;
    });
  });
  database.exec('COMMIT');
  return added.flat();
}

const statusOf = (authorization: string | undefined) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const sent = request(`${host.url}/v1/pets?limit=1`, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject);
    sent.end();
  });

const count = (statuses: readonly (number | undefined)[]) =>
  Object.fromEntries(
    Map.groupBy(statuses, (status) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

test('with 20,000 keys behind one address and 5% of requests without a key, every valid request is admitted', async () => {
  const keyless: Promise<number | undefined>[] = [];
  const valid = keys.map((key, index) => {
    if (index % 19 === 0) keyless.push(statusOf(undefined));
    return statusOf(`Bearer ${key}`);
  });
  expect(count(await Promise.all(valid))).toEqual({ 200: KEYS });
  expect(count(await Promise.all(keyless))).toEqual({ 401: 60, 429: keyless.length - 60 });
});

test('a neighbor who guesses well-formed keys causes no refusals for others, and is refused', async () => {
  host.clock.now += 60_000;
  const guesses = Array.from({ length: 200 }, () => statusOf(`Bearer ${sampleKey(sampleAccount().id).text}`));
  const valid = keys.slice(0, 500).map((key) => statusOf(`Bearer ${key}`));
  expect(count(await Promise.all(guesses))).toEqual({ 401: 60, 429: 140 });
  expect(count(await Promise.all(valid))).toEqual({ 200: 500 });
});
