// Limits with many clients on Lambda: concurrent requests run in separate environments, which share no memory.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAdmitted } from '../e2e/admitted.ts';
import { startTarget, type Target } from '../e2e/target.ts';

const LIMIT = 150;
const KEYS = 4;
const CLIENTS = 16;
const TIMES = 480;

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(() => target.stop());

test(`${CLIENTS} clients with ${KEYS} keys of one account: of ${TIMES} requests in a minute exactly ${LIMIT} are admitted`, async () => {
  const first = await target.issueKey(['enterprise', '--per-minute', String(LIMIT), '--per-day', '100000']);
  const keys = [first];
  while (keys.length < KEYS) keys.push(await target.addKey(first.accountId));

  const responses: Response[] = [];
  const client = async (number: number) => {
    for (let n = 0; n < TIMES / CLIENTS || responses.every(({ status }) => status !== 429); n += 1) {
      const response = await fetch(`${target.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${keys[(number + n) % KEYS]?.key}` } });
      responses.push(response);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));

  const { least, most } = expectAdmitted(responses, LIMIT);
  const { day } = await target.petstore<{ day: { used: number } }>(['usage', '--account', first.accountId]);
  expect(day.used).toBeGreaterThanOrEqual(least);
  expect(day.used).toBeLessThanOrEqual(most);
});

test('a loop that ignores 429 is banned, and a command lifts its ban', async () => {
  const { key, keyId, accountId } = await target.issueKey(['enterprise', '--per-minute', '1', '--per-day', '1']);
  const ask = async () => {
    const response = await fetch(`${target.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
    return response.status === 200 ? 'ok' : ((await response.json()) as { code: string }).code;
  };
  const codes: string[] = [];
  while (codes.at(-1) !== 'api_key_banned') codes.push(await ask());
  expect([...new Set(codes)]).toEqual(['ok', 'rate_limit_exceeded', 'api_key_banned']);
  expect(await target.petstore(['keys', 'list', '--account', accountId])).toMatchObject([{ keyId, state: 'banned' }]);
  await target.petstore(['keys', 'unban', keyId]);
  expect(await target.petstore(['keys', 'list', '--account', accountId])).toMatchObject([{ keyId, state: 'active', bannedUntil: null }]);
});
