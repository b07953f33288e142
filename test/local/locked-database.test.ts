// Another process holds SQLite's lock: requests that need no storage are answered as usual, and the others wait.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { petBody } from '../support/samples.ts';

let host: TestHost;
let other: DatabaseSync;
let key: string;

beforeAll(async () => {
  host = await startTestHost();
  ({ key } = await host.makeKey());
  other = new DatabaseSync(join(host.folder, DATABASE_FILE));
});

afterAll(async () => {
  other.close();
  await host.stop();
});

const statusOf = async (method: string, headers: Record<string, string> = {}, body?: string) =>
  (await fetch(`${host.url}/v1/pets`, { method, headers, ...(body !== undefined && { body }) })).status;

test('requests that need no storage are answered while a write waits, and the write completes once the lock is free', async () => {
  other.exec('BEGIN IMMEDIATE');
  let created: number | undefined;
  const creating = statusOf(
    'POST',
    { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    petBody({ name: 'A', categoryId: 1 }),
  ).then((status) => {
    created = status;
  });
  for (let round = 0; round < 5; round += 1) expect([await statusOf('OPTIONS'), await statusOf('GET')]).toEqual([204, 401]);
  expect(created).toBeUndefined();
  other.exec('COMMIT');
  await creating;
  expect(created).toBe(201);
});

test('a write that waits too long is answered with 503, and the next one succeeds', async () => {
  other.exec('BEGIN IMMEDIATE');
  const headers = { authorization: `Bearer ${key}` };
  const refused = await fetch(`${host.url}/v1/pets`, { headers });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  other.exec('ROLLBACK');
  expect(await statusOf('GET', headers)).toBe(200);
});
