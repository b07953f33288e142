// Opening the adapter: what operators are told, and the schema's migration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePet } from 'petstore-platform/testing';
import pg from 'pg';
import { type PostgresOptions, postgresStores } from '../src/index.ts';
import { CONTEXT, programsToUse, sharedServer } from './databases.ts';

const programs = programsToUse();
const skip = programs === undefined && 'PostgreSQL is not installed';
const context = CONTEXT;

/** The message with which opening is refused. */
async function refusal(options: PostgresOptions): Promise<string> {
  const opened = await postgresStores(options)
    .open(context)
    .catch((error: unknown) => error);
  assert(opened instanceof Error, 'it was opened');
  assert.equal(opened.cause, undefined, 'the cause may show the URL');
  return opened.message;
}

async function asOperator<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('settings that are wrong are refused in one sentence, without the password', async () => {
  const url = (text: string) => refusal({ url: text });
  assert.match(await refusal({ url: undefined }), /^url: got undefined; allowed: postgres:\/\/user:password@host:5432\/database/);
  for (const wrong of ['', 'mysql://u:secret@h/d', 'postgres://u:12#secret@h/d', 'postgres://u:se/cret@h/d', 'postgres://u:secret@h:port/d']) {
    const message = await url(wrong);
    assert.match(message, /^url: /, wrong);
    assert.doesNotMatch(message, /secret|cret@|12/, wrong);
  }
  assert.match(await refusal({ url: 'postgres://u@h/d', schema: 'Pet store' }), /^schema: got "Pet store"; allowed: /);
  assert.match(await refusal({ url: 'postgres://u@h/d', schema: 'public' }), /^schema: /);
  assert.match(await refusal({ url: 'postgres://u@h/d', poolSize: 0 }), /^poolSize: got 0; allowed: 1 to 600,000/);
});

test('a server that does not answer is named, without the password', async () => {
  assert.match(
    await refusal({ url: 'postgres://ann:secret@127.0.0.1:1/shop' }),
    /^can't use PostgreSQL at 127\.0\.0\.1:1, database shop, user ann: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  );
});

test('several processes create the schema at once, and later ones find it', { skip }, async () => {
  const { url } = await sharedServer(programs ?? '');
  const options = { url, schema: 'at_once', poolSize: 2 };
  const opened = await Promise.all(Array.from({ length: 8 }, () => postgresStores(options).open(context)));
  opened.push(await postgresStores(options).open(context));
  for (const { ports } of opened) assert.equal(await ports.accounts.getAccount('acc_'), undefined);
  await Promise.all(opened.map((each) => each.close?.()));
  await assert.rejects(opened[0]?.ports.accounts.getAccount('acc_') ?? Promise.resolve(), { name: 'StoreFault', kind: 'unavailable' });
});

test('a role that may only read and write rows can open an up-to-date schema, and gets a sentence for a missing one', { skip }, async () => {
  const { url } = await sharedServer(programs ?? '');
  await (await postgresStores({ url, schema: 'owned' }).open(context)).close?.();
  await asOperator(url, (client) =>
    client.query(`CREATE ROLE host LOGIN; GRANT USAGE ON SCHEMA owned TO host;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA owned TO host`),
  );
  const asHost = url.replace('petstore@', 'host:secret@');
  const { ports, close } = await postgresStores({ url: asHost, schema: 'owned' }).open(context);
  const pet = samplePet(1, { categoryId: 2n ** 63n - 1n });
  assert.deepEqual(await ports.pets.create({ pet }, 0), { kind: 'created' });
  assert.deepEqual(await ports.pets.get(1), pet);
  await close?.();
  assert.match(await refusal({ url: asHost, schema: 'missing' }), /user host: permission denied for database postgres$/);
});

test('a schema of a newer version is refused', { skip }, async () => {
  const { url } = await sharedServer(programs ?? '');
  await (await postgresStores({ url, schema: 'newer' }).open(context)).close?.();
  await asOperator(url, (client) => client.query('UPDATE newer.schema_version SET version = 99'));
  assert.match(
    await refusal({ url, schema: 'newer' }),
    /: the schema "newer" was written by a newer version of petstore-postgres \(schema 99, this version supports up to \d+\); upgrade this host/,
  );
});

test("an animal's new field gets a column, which is empty for earlier animals", { skip }, async () => {
  const { url } = await sharedServer(programs ?? '');
  const options = { url, schema: 'fields' };
  await (await postgresStores(options).open(context)).close?.();
  // As if the field `status` were new.
  await asOperator(url, (client) => client.query('ALTER TABLE fields.pets DROP COLUMN status'));
  const { ports, close } = await postgresStores(options).open(context);
  const pet = samplePet(1, { status: 'sold' });
  await ports.pets.create({ pet }, 0);
  assert.deepEqual(await ports.pets.list({ after: 0, status: 'sold', limit: 2 }), [pet]);
  await close?.();
});
