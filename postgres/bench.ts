// What one process and one PostgreSQL on this machine do: `npm run bench`. Each figure is calls a second; compare them within one run only.

import type { AdmissionRequest } from 'petstore-platform';
import { NOON, sampleAccount, sampleKey, samplePet } from 'petstore-platform/testing';
import { createPool } from './src/pool.ts';
import { migrate } from './src/schema.ts';
import { createStores, type PostgresStores } from './src/stores.ts';
import { postgresPrograms, startPostgres } from './test/postgres.ts';

const CLIENTS = 64;
const MILLISECONDS = 3_000;

const programs = postgresPrograms();
if (programs === undefined) throw new Error('PostgreSQL is not installed; run: apt-get install -y postgresql');
const server = await startPostgres(programs);
const pool = createPool({ connection: { connectionString: server.url }, schema: 'petstore', size: 10, statementMs: 30_000, connectionMs: 30_000 });
try {
  await migrate(pool, 'petstore');
  const stores = createStores(pool);
  const one = await makeRequest(stores);
  const many = await Promise.all(Array.from({ length: CLIENTS }, () => makeRequest(stores)));
  const admit = (request: AdmissionRequest, by: PostgresStores = stores) => by.usage.admit(request, NOON);
  await measure('admissions, 1 client', 1, () => admit(one));
  await measure(`admissions, ${CLIENTS} clients of one account`, CLIENTS, () => admit(one));
  // Stores of their own share nothing but the pool.
  const separate = Array.from({ length: CLIENTS }, () => createStores(pool));
  await measure('the same, without sharing transactions', CLIENTS, (client) => admit(one, separate[client]));
  await measure(`admissions, ${CLIENTS} clients, each with its own account`, CLIENTS, (client) => admit(many[client] ?? one));
  const durable = createStores({ ...pool, transaction: (_options, work) => pool.transaction({ durable: true }, work) });
  await measure('the same, waiting for the disk', CLIENTS, (client) => admit(many[client] ?? one, durable));
  let id = 1;
  const create = () => {
    id += 1;
    return stores.pets.create({ pet: samplePet(id) }, NOON);
  };
  await measure('creations, 1 client', 1, create);
  await measure(`creations, ${CLIENTS} clients`, CLIENTS, create);
} finally {
  await pool.close();
  await server.stop();
}

async function makeRequest({ accounts }: PostgresStores): Promise<AdmissionRequest> {
  const account = sampleAccount({ perMinute: 1_000_000_000, perDay: 1_000_000_000 });
  const { text: _, ...key } = sampleKey(account.id);
  await accounts.createAccount(account);
  await accounts.addKey(key, 10, NOON);
  return { accountId: account.id, digest: key.digest };
}

async function measure(name: string, clients: number, call: (client: number) => Promise<unknown>): Promise<void> {
  const began = performance.now();
  let calls = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - began < MILLISECONDS) {
        await call(client);
        calls += 1;
      }
    }),
  );
  console.log(`${name}: ${Math.round(calls / ((performance.now() - began) / 1000))}/s`);
}
