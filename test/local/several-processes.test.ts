// Several processes on one data folder: `petstore start`, and `petstore start --only api` beside it. Limits stay exact, and the end of one loses nothing.

import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { atADayWithTime } from '../support/day.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

async function startAll(folder: string): Promise<readonly [ServerProcess, ServerProcess, ServerProcess]> {
  const main = await startServerProcess(folder);
  const [second, third] = await Promise.all([1, 2].map(() => startServerProcess(folder, {}, ['start', '--only', 'api'])));
  if (second === undefined || third === undefined) throw new Error('not started');
  onTestFinished(async () => void (await Promise.all([main, second, third].map(({ stop }) => stop()))));
  return [main, second, third];
}

async function makeKey(folder: string, plan: readonly string[]): Promise<{ accountId: string; key: string }> {
  const { accountId } = await runCliJson<{ accountId: string }>(folder, ['accounts', 'create', '--name', 'Many', '--plan', ...plan]);
  const scopes = ['--scopes', 'pets:read,pets:write'];
  const { key } = await runCliJson<{ key: string }>(folder, ['keys', 'issue', '--account', accountId, '--name', 'Till', ...scopes]);
  return { accountId, key };
}

test('of 500 concurrent requests to three processes, as many are admitted as the limit allows', async () => {
  await atADayWithTime();
  const folder = testFolder();
  const servers = await startAll(folder);
  const { accountId, key } = await makeKey(folder, ['enterprise', '--per-minute', '1000000', '--per-day', '60']);
  const statuses = await Promise.all(
    Array.from({ length: 500 }, async (_, n) => {
      const response = await fetch(`${servers[n % 3]?.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      return response.status;
    }),
  );
  const count = (status: number) => statuses.filter((each) => each === status).length;
  expect([count(200), count(429)]).toEqual([60, 440]);
  expect(await runCliJson(folder, ['usage', '--account', accountId])).toMatchObject({ day: { used: 60 } });
});

test('a key that one process pauses is refused by all at once, and admitted again within seconds', async () => {
  const folder = testFolder();
  const servers = await startAll(folder);
  const { accountId, key } = await makeKey(folder, ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']);
  const [{ keyId } = { keyId: '' }] = await runCliJson<{ keyId: string }[]>(folder, ['keys', 'list', '--account', accountId]);
  const answers: { readonly at: 'before' | 'after' | 'meanwhile'; readonly status: number }[] = [];
  let isOver = false;
  let isPaused = false;
  const ask = async ({ url }: ServerProcess) => {
    const wasPaused = isPaused;
    const response = await fetch(`${url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    answers.push({ at: wasPaused ? 'after' : isPaused ? 'meanwhile' : 'before', status: response.status });
    return response.status;
  };
  const client = async (server: ServerProcess) => {
    while (!isOver) await ask(server);
  };
  const clients = servers.flatMap((server) => [client(server), client(server)]);
  const count = (at: string) => answers.filter((answer) => answer.at === at).length;
  await expect.poll(() => count('before')).toBeGreaterThan(60);
  await runCliJson(folder, ['keys', 'pause', keyId]);
  isPaused = true;
  await expect.poll(() => count('after')).toBeGreaterThan(200);
  isOver = true;
  await Promise.all(clients);
  expect(new Set(answers.filter(({ at }) => at === 'after').map(({ status }) => status))).toEqual(new Set([403]));
  await runCliJson(folder, ['keys', 'resume', keyId]);
  for (const server of servers) await expect.poll(() => ask(server), { interval: 500 }).toBe(200);
});

test('one that is killed under load loses no animal that it has confirmed, and the others go on', async () => {
  const folder = testFolder();
  const [main, second, third] = await startAll(folder);
  const { key } = await makeKey(folder, ['enterprise', '--per-minute', '1000000', '--per-day', '1000000']);
  const confirmed: number[] = [];
  let failed = 0;
  let isOver = false;
  /** Each goes on after an error, as a client would that tries again. */
  const client = async ({ url }: ServerProcess, name: string) => {
    for (let n = 0; !isOver; n += 1) {
      const body = JSON.stringify({ name: `${name} ${n}`, categoryId: 1, status: 'available' });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body }).catch(() => undefined);
      const pet = await response?.json().catch(() => undefined);
      if (response?.status === 201 && pet !== undefined) confirmed.push((pet as { id: number }).id);
      else if (url === third.url) failed += 1;
      else throw new Error(`${name}: ${response?.status}`);
      if (failed > 0 && url === third.url) return;
    }
  };
  const clients = [main, second, third].flatMap((server, at) => [1, 2, 3].map((n) => client(server, `Client ${at}.${n}`)));
  await expect.poll(() => confirmed.length).toBeGreaterThan(60);
  await third.stop('SIGKILL');
  const before = confirmed.length;
  await expect.poll(() => confirmed.length).toBeGreaterThan(before + 60);
  isOver = true;
  await Promise.all(clients);
  expect(failed).toBeGreaterThan(0);
  const stores = openSqliteStores(folder);
  onTestFinished(() => stores.close());
  const stored = new Set(
    stores.database
      .prepare('SELECT id FROM pets')
      .all()
      .map(({ id }) => Number(id)),
  );
  expect(confirmed.filter((id) => !stored.has(id))).toEqual([]);
});
