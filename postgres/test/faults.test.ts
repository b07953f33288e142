// What happens when PostgreSQL fails: every call rejects with StoreFault, nothing is admitted silently, and the stores recover by themselves.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StoreFault } from 'petstore-platform';
import { NOON, sampleAccount, sampleKey, samplePet } from 'petstore-platform/testing';
import pg from 'pg';
import { type PostgresOptions, postgresStores } from '../src/index.ts';
import type { PostgresStores } from '../src/stores.ts';
import { CONTEXT, programsToUse, sharedServer } from './databases.ts';

const programs = programsToUse();
const skip = programs === undefined && 'PostgreSQL is not installed';
const closing: (() => Promise<void> | undefined)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function open(options: Partial<PostgresOptions> = {}): Promise<PostgresStores> {
  const { url } = await sharedServer(programs ?? '');
  // Long limits, so that a busy machine is no fault.
  const opened = await postgresStores({ url, statementTimeoutMs: 30_000, connectionTimeoutMs: 30_000, ...options }).open(CONTEXT);
  closing.push(() => opened.close?.());
  return opened.ports;
}

async function client(): Promise<pg.Client> {
  const other = new pg.Client((await sharedServer(programs ?? '')).url);
  // A server that restarts ends it.
  other.on('error', () => {});
  await other.connect();
  closing.push(() => other.end().catch(() => {}));
  return other;
}

/** An account with a key, and a function that asks for admission. */
async function account({ accounts, usage }: PostgresStores, limits = { perMinute: 1_000, perDay: 10_000 }) {
  const owner = sampleAccount(limits);
  const { text: _, ...key } = sampleKey(owner.id);
  await accounts.createAccount(owner);
  await accounts.addKey(key, 10, NOON);
  return { id: owner.id, admit: () => usage.admit({ accountId: owner.id, digest: key.digest }, NOON) };
}

const isFault = (error: unknown) => error instanceof StoreFault && error.kind === 'unavailable' && error.message.startsWith('PostgreSQL: ');

test('a restart under load: faults, no silent admission, and every animal that was created is there', { skip }, async () => {
  const server = await sharedServer(programs ?? '');
  const stores = await open();
  const { id, admit } = await account(stores);
  const created: number[] = [];
  let [admitted, faults, next] = [0, 0, 1_000];
  let stop = false;
  const load = Array.from({ length: 20 }, async () => {
    while (!stop) {
      next += 1;
      const pet = samplePet(next);
      try {
        if ((await admit()).kind === 'admitted') admitted += 1;
        if ((await stores.pets.create({ pet }, NOON)).kind === 'created') created.push(pet.id);
      } catch (error) {
        assert(isFault(error), String(error));
        faults += 1;
      }
    }
  });
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(() => created.length > 50);
  await server.restart();
  const before = created.length;
  await until(() => created.length > before + 50 || admitted >= 1_000);
  stop = true;
  await Promise.all(load);
  assert(faults > 0, 'nothing failed');
  const stored = await Promise.all(created.map((each) => stores.pets.get(each)));
  assert.deepEqual(
    stored.map((pet) => pet?.id),
    created,
  );
  // What was admitted is counted, except for the half second that a crash of the server may lose.
  const used = (await stores.usage.usage(id, NOON))?.quotas.minute;
  assert(used !== undefined && used.remaining >= 0);
});

test('a connection that is ended takes its own statement with it, and nothing else', { skip }, async () => {
  const stores = await open();
  const { id, admit } = await account(stores);
  const other = await client();
  await other.query('BEGIN');
  await other.query('SELECT FROM petstore.usage WHERE account_id = $1 FOR UPDATE', [id]);
  const waiting = [admit(), admit(), admit()].map((each) => each.catch((error: unknown) => error));
  const terminator = await client();
  const end = async () =>
    (
      await terminator.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event_type = 'Lock'",
      )
    ).rowCount;
  while ((await end()) === 0);
  for (const outcome of await Promise.all(waiting)) assert(isFault(outcome), String(outcome));
  await other.query('ROLLBACK');
  assert.equal((await admit()).kind, 'admitted');
  assert.equal((await stores.usage.usage(id, NOON))?.quotas.minute.remaining, 999);
});

test('an account that is locked does not keep others waiting, and its requests fail after the time limit', { skip }, async () => {
  const stores = await open({ statementTimeoutMs: 2_000 });
  const [locked, free] = [await account(stores), await account(stores)];
  const other = await client();
  await other.query('BEGIN');
  await other.query('SELECT FROM petstore.usage WHERE account_id = $1 FOR UPDATE', [locked.id]);
  const refused = Promise.all(Array.from({ length: 50 }, () => locked.admit().catch((error: unknown) => error)));
  let answered = false;
  void refused.then(() => {
    answered = true;
  });
  for (let times = 0; times < 5; times += 1) assert.equal((await free.admit()).kind, 'admitted');
  assert.equal(answered, false, 'the others waited');
  for (const outcome of await refused) assert(isFault(outcome) && /statement timeout/.test(String(outcome)), String(outcome));
  await other.query('ROLLBACK');
  assert.equal((await locked.admit()).kind, 'admitted');
  assert.equal((await stores.usage.usage(locked.id, NOON))?.quotas.minute.remaining, 999);
});

test('a pool without a free connection is a fault after the time limit', { skip }, async () => {
  const stores = await open({ poolSize: 1, connectionTimeoutMs: 2_000 });
  const [locked, free] = [await account(stores), await account(stores)];
  const other = await client();
  await other.query('BEGIN');
  await other.query('SELECT FROM petstore.usage WHERE account_id = $1 FOR UPDATE', [locked.id]);
  const waiting = locked.admit();
  await assert.rejects(free.admit(), isFault);
  await other.query('ROLLBACK');
  assert.equal((await waiting).kind, 'admitted');
  assert.equal((await free.admit()).kind, 'admitted');
});

test('a database that became read-only is a fault, and writable again without a restart', { skip }, async () => {
  const stores = await open();
  const { admit } = await account(stores);
  const operator = await client();
  const endAll = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'";
  await operator.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
  await operator.query(endAll);
  await assert.rejects(open(), /it is read-only, like a replica; use the primary$/);
  await assert.rejects(stores.pets.create({ pet: samplePet(7) }, NOON), isFault);
  await assert.rejects(admit(), isFault);
  // Connections from now on are to the new primary; those to the old one are not used again.
  await operator.query('SET default_transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only');
  let kind: string | undefined;
  for (let attempts = 0; attempts < 20 && kind === undefined; attempts += 1) kind = (await admit().catch(() => undefined))?.kind;
  assert.equal(kind, 'admitted');
  assert.deepEqual(await stores.pets.create({ pet: samplePet(7) }, NOON), { kind: 'created' });
});

test('animals, accounts and keys are on the disk before the answer, whatever the database is set to; counts are not waited for', {
  skip,
}, async () => {
  const operator = await client();
  await operator.query('ALTER DATABASE postgres SET synchronous_commit = off');
  const stores = await open();
  const { id, admit } = await account(stores);
  await stores.pets.create({ pet: samplePet(9) }, NOON);
  assert.equal((await admit()).kind, 'admitted');
  await operator.query('ALTER DATABASE postgres RESET synchronous_commit');
  const server = await sharedServer(programs ?? '');
  await server.restart();
  const again = await open();
  assert.equal((await again.pets.get(9))?.id, 9);
  assert.equal((await again.accounts.listKeys(id)).length, 1);
});
