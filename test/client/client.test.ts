// The typed client against the real server, including a 429, a fault, and several pages.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientOptions, Pet } from '../../client/client.ts';
import { PetstoreError } from '../../client/errors.ts';
import { waitBeforeRetry } from '../../client/retry.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { sampleNewPet } from '../support/samples.ts';
import { clientOf, openAll } from '../support/scripted-api.ts';

let host: TestHost;

beforeAll(async () => {
  host = await startTestHost();
});

afterAll(() => {
  openAll();
  return host.stop();
});

/** A client whose waits advance the server's clock instead of taking time. */
async function makeClient(limits?: { perMinute: number; perDay: number }, options: Partial<ClientOptions> = {}) {
  const { key, accountId, keyId } = await host.makeKey(limits);
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    host.clock.now += milliseconds;
  };
  return {
    client: clientOf({ baseUrl: host.url, apiKey: key, sleep, clock: () => host.clock.now, random: () => 0.5, ...options }),
    waits,
    accountId,
    keyId,
    key,
  };
}

describe('client', () => {
  test('waits slightly longer than Retry-After, and then gets its answer', async () => {
    const { client, waits } = await makeClient({ perMinute: 2, perDay: 100 });
    await client.listPets();
    await client.listPets();
    const secondsLeft = Math.ceil((60_000 - (host.clock.now % 60_000)) / 1_000);
    expect(await client.listPets({ limit: 1 })).toMatchObject({ pets: expect.any(Array) });
    expect(waits).toEqual([secondsLeft * 1_000 + 100]);
  });

  test('reads all pages, and keeps every digit', async () => {
    const { client } = await makeClient();
    const made: Pet[] = [];
    for (let n = 0; n < 7; n += 1)
      made.push(await client.createPet(sampleNewPet({ name: `Walk ${n}`, categoryId: 2n ** 63n - 1n - BigInt(n), status: 'pending' })));
    const walked: Pet[] = [];
    for await (const pet of client.allPets({ status: 'pending', limit: 2 })) walked.push(pet);
    expect(walked).toEqual(made);
    expect(walked[0]?.categoryId).toBe(9_223_372_036_854_775_807n);
  });

  test('creates once, even if the first answers are lost, or break off', async () => {
    let lost = 0;
    const flaky: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== 'POST' || lost === 2) return response;
      lost += 1;
      await response.body?.cancel();
      if (lost === 1) throw new TypeError('connection reset');
      return new Response(new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) }), response);
    };
    const { client, waits } = await makeClient(undefined, { fetch: flaky });
    const pet = await client.createPet(sampleNewPet({ name: 'Once', categoryId: 1n, status: 'sold' }));
    expect([lost, waits]).toEqual([2, [100, 200]]);
    const named = [];
    for await (const each of client.allPets({ status: 'sold' })) if (each.name === 'Once') named.push(each);
    expect(named).toEqual([pet]);
  });

  test('returns an animal, or undefined', async () => {
    const { client } = await makeClient();
    const pet = await client.createPet(sampleNewPet({ name: 'Got', categoryId: 1n }));
    expect(await client.getPet(pet.id)).toEqual(pet);
    expect(await client.getPet(1)).toBeUndefined();
  });

  test('throws errors with their codes, and does not retry permanent ones', async () => {
    const { client, waits } = await makeClient();
    const error = await client.createPet(sampleNewPet({ name: '', categoryId: 1n })).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PetstoreError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, message: expect.stringContaining('name'), requestId: expect.any(String) });
    await expect(clientOf({ baseUrl: host.url, apiKey: 'x' }).getPet(1)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(waits).toEqual([]);
  });

  test('does not wait until the next day', async () => {
    const { client, waits } = await makeClient({ perMinute: 9, perDay: 1 });
    await client.listPets();
    await expect(client.listPets()).rejects.toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: expect.any(Number) });
    expect(waits).toEqual([]);
  });

  test('gives up after its maximum number of attempts', async () => {
    let tries = 0;
    const unavailable: typeof fetch = async () => {
      tries += 1;
      return new Response('<html>', { status: 503 });
    };
    const { client } = await makeClient(undefined, { fetch: unavailable, maxAttempts: 4 });
    await expect(client.listPets()).rejects.toMatchObject({ status: 503, message: 'HTTP 503 with an unrecognized body' });
    expect(tries).toBe(4);
  });

  test.each([
    [413, '{"message":"Request Entity Too Large"}', 'payload_too_large', 'Request Entity Too Large'],
    [429, '{"message":"Too Many Requests"}', 'rate_limit_exceeded', 'Too Many Requests'],
    [504, '{"message":"Endpoint request timed out"}', 'unavailable', 'Endpoint request timed out'],
    [418, '"short and stout"', 'internal_error', 'HTTP 418 with an unrecognized body'],
  ])('derives the code of a response that API Gateway made from its status %i', async (status, body, code, message) => {
    const { client } = await makeClient(undefined, { fetch: async () => new Response(body, { status }), maxAttempts: 1 });
    await expect(client.listPets()).rejects.toMatchObject({ status, code, message });
  });

  test('backs off exponentially, with jitter, up to a maximum', () => {
    const steps = Array.from({ length: 12 }, (_, n) => waitBeforeRetry(n + 1, undefined, { random: () => 1, maxAttempts: 99 }));
    expect(steps).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000, 20_000, 20_000, 20_000]);
    expect(waitBeforeRetry(1, undefined, { random: () => 0 })).toBe(0);
    expect(waitBeforeRetry(6, 1, {})).toBeUndefined();
  });
});
