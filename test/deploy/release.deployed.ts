// A release while requests are being sent: none of them fails, and nothing that was written is lost.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget, type Target } from '../e2e/target.ts';
import { eventually } from '../support/eventually.ts';
import { petBody } from '../support/samples.ts';
import { deployStage } from './cdk.ts';

const CLIENTS = 4;
/** How long requests continue after the new version first answers. */
const AFTERWARDS_MS = 2_000;
/** Attempts at a request. */
const TRIES = 5;

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(() => target.stop());

test('a changed version is deployed while requests run: 0 fail, every animal is stored, every request is counted', async () => {
  const { key, accountId } = await target.issueKey(['enterprise', '--per-minute', '20000', '--per-day', '100000']);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made: number[] = [];
  const failed: string[] = [];
  const versions = { before: 0, after: 0 };
  let [requests, repeated] = [0, 0];
  let running = true;

  /** A slow storage is a 503 that says when to repeat the request: on a busy machine the emulator's is slow at times, without a release too. */
  const ask = async (
    method: string,
    path: string,
    expected: number,
    body?: string,
    tries = 1,
    repetition = randomUUID(),
  ): Promise<string | undefined> => {
    requests += 1;
    try {
      const init = {
        method,
        headers: { ...headers, ...(body !== undefined && { 'idempotency-key': repetition }) },
        ...(body !== undefined && { body }),
      };
      const response = await fetch(`${target.url}${path}`, init);
      const text = await response.text();
      const seconds = response.headers.get('retry-after');
      if (response.status === 503 && seconds !== null && tries < TRIES) {
        repeated += 1;
        await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
        return await ask(method, path, expected, body, tries + 1, repetition);
      }
      // The release turns the draft headers on, which distinguishes the two versions.
      versions[response.headers.has('ratelimit') ? 'after' : 'before'] += 1;
      if (response.status !== expected) failed.push(`${method} ${path}: ${response.status} ${text}`);
      return text;
    } catch (error) {
      failed.push(`${method} ${path}: ${error}`);
      return undefined;
    }
  };
  const client = async (number: number) => {
    while (running) {
      const text = await ask('POST', '/v1/pets', 201, petBody({ name: `Release ${number}`, categoryId: number }));
      if (text !== undefined) made.push(JSON.parse(text).id);
      await ask('GET', '/v1/pets?limit=1', 200);
    }
  };

  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  try {
    await eventually(
      async () => versions.before,
      (answers) => expect(answers).toBeGreaterThan(20),
    );
    await deployStage('staging', { STAGING_DRAFT_HEADERS: 'on' });
    await eventually(
      async () => versions.after,
      (answers) => expect(answers).toBeGreaterThan(20),
    );
    await new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
  } finally {
    running = false;
    await Promise.all(clients);
  }

  expect(failed).toEqual([]);
  expect(versions.before).toBeGreaterThan(20);
  for (const id of made) expect(JSON.parse((await ask('GET', `/v1/pets/${id}`, 200)) ?? '{}').id).toBe(id);
  expect(failed).toEqual([]);
  const { day } = await target.petstore<{ day: { used: number } }>(['usage', '--account', accountId]);
  // One whose storage did not answer may have been counted.
  expect(day.used).toBeLessThanOrEqual(requests);
  expect(day.used).toBeGreaterThanOrEqual(requests - repeated);
  console.log(
    `release under load: ${requests} requests, ${versions.before} by the old version, ${versions.after} by the new, ${repeated} repeated after a 503, 0 failed, ${made.length} animals there`,
  );
});
