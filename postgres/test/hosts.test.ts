// Several processes on one database.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { MINUTE_MS } from 'petstore-platform';
import { NOON, sampleAccount, sampleKey, samplePet } from 'petstore-platform/testing';
import { postgresStores } from '../src/index.ts';
import { CONTEXT, programsToUse, sharedServer } from './databases.ts';

const programs = programsToUse();
const skip = programs === undefined && 'PostgreSQL is not installed';
const PROCESSES = 3;

async function openHosts(): Promise<readonly Awaited<ReturnType<ReturnType<typeof postgresStores>['open']>>[]> {
  const { url } = await sharedServer(programs ?? '');
  return Promise.all(Array.from({ length: PROCESSES }, () => postgresStores({ url }).open(CONTEXT)));
}

test('500 concurrent requests to three processes, with a limit of 60: exactly 60 are admitted, and shown', { skip }, async () => {
  const { url } = await sharedServer(programs ?? '');
  const { ports, close } = await postgresStores({ url }).open(CONTEXT);
  const account = sampleAccount({ perMinute: 60, perDay: 1_000 });
  const { text: _, ...key } = sampleKey(account.id);
  await ports.accounts.createAccount(account);
  await ports.accounts.addKey(key, 10, NOON);
  const request = { accountId: account.id, digest: key.digest };
  const processes = await Promise.all(
    [167, 167, 166].map(async (times) => {
      const child = fork(join(import.meta.dirname, 'admitting-process.ts'), [JSON.stringify({ url, request, times, now: NOON })]);
      await once(child, 'message');
      return child;
    }),
  );
  const kinds = await Promise.all(
    processes.map(async (child) => {
      const answered = once(child, 'message') as Promise<[readonly string[]]>;
      const ended = once(child, 'exit');
      child.send('go');
      const [own] = await answered;
      await ended;
      return own;
    }),
  );
  assert.deepEqual(
    Object.fromEntries(
      Map.groupBy(kinds.flat(), (kind) => kind)
        .entries()
        .map(([kind, all]) => [kind, all.length]),
    ),
    {
      admitted: 60,
      limited: 440,
    },
  );
  assert(kinds.filter((own) => own.includes('admitted')).length > 0);
  const usage = await ports.usage.usage(account.id, NOON);
  assert.deepEqual([usage?.quotas.minute.remaining, usage?.quotas.day.remaining], [0, 940]);
  assert.equal(usage?.history.minutes.at(-1)?.admitted, 60);
  // What the first host bans, the others refuse.
  await ports.usage.ban(request, { since: NOON, until: NOON + MINUTE_MS, level: 1 });
  assert.equal((await ports.usage.admit(request, NOON + 1)).kind, 'banned');
  await close?.();
});

test('one of many concurrent creations with one idempotency key, from all hosts, creates an animal', { skip }, async () => {
  const hosts = await openHosts();
  const creations = Array.from({ length: 60 }, (_, n) => ({ n, key: `key-${n % 10}` }));
  const results = await Promise.all(
    creations.map(({ n, key }) => {
      const idempotency = { owner: 'acc_A', key, fingerprint: 'f', expiresAt: NOON + MINUTE_MS };
      return hosts[n % PROCESSES]?.ports.pets.create({ pet: samplePet(10_000 + n), idempotency }, NOON);
    }),
  );
  const kinds = Map.groupBy(results, (result) => result?.kind ?? 'none');
  assert.deepEqual([kinds.get('created')?.length, kinds.get('replayed')?.length], [10, 50]);
  assert.equal((await hosts[0]?.ports.pets.list({ after: 9_999, status: undefined, limit: 100 }))?.length, 10);
  await Promise.all(hosts.map(({ close }) => close?.()));
});

test('hosts that create the same animals in opposite orders do not block each other', { skip }, async () => {
  const hosts = await openHosts();
  for (let round = 0; round < 20; round += 1) {
    const creations = Array.from({ length: 50 }, (_, n) => ({
      pet: samplePet(20_000 + round * 100 + n),
      idempotency: { owner: 'acc_B', key: `${round}-${n}`, fingerprint: 'f', expiresAt: NOON + MINUTE_MS },
    }));
    const results = await Promise.all(hosts.map(({ ports }, at) => ports.pets.createAll(at === 0 ? creations : creations.toReversed(), NOON)));
    const created = results.flat().filter(({ kind }) => kind === 'created');
    assert.equal(created.length, 50);
  }
  await Promise.all(hosts.map(({ close }) => close?.()));
});
