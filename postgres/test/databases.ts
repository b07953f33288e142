// The database that the contract suites run on: PostgreSQL if it is installed, otherwise PGlite. In CI, PostgreSQL must be there.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { AdapterContext } from 'petstore-platform';
import type { Database } from '../src/database.ts';
import { createPool } from '../src/pool.ts';
import { migrate } from '../src/schema.ts';
import { openPglite } from './pglite.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts';

/** What adapters are opened with. */
export const CONTEXT: AdapterContext = {
  clock: Date.now,
  actor: () => ({ kind: 'service' }),
  dataFolder: mkdtempSync(join(tmpdir(), 'petstore-postgres-folder-')),
};

/** `postgres`, `pglite`, or whatever is there. */
const ENGINE = process.env.POSTGRES_STORE_ENGINE;

let server: Promise<PostgresServer> | undefined;
let schemas = 0;
const toClose: (() => Promise<void>)[] = [];

// A hook that a test adds runs after this test; what is opened here is used by all tests of the file.
after(async () => {
  rmSync(CONTEXT.dataFolder, { recursive: true, force: true });
  for (const close of toClose.toReversed()) await close();
});

/** The folder with PostgreSQL's programs; undefined if the suites run on PGlite. @throws Error in CI, if PostgreSQL is not installed */
export function programsToUse(): string | undefined {
  if (ENGINE === 'pglite') return undefined;
  const programs = postgresPrograms();
  if (programs === undefined && (process.env.CI !== undefined || ENGINE === 'postgres'))
    throw new Error('PostgreSQL is not installed; run: apt-get install -y postgresql');
  return programs;
}

/** Starts this file's server, or returns it. It is stopped after the file's tests. */
export async function sharedServer(programs: string): Promise<PostgresServer> {
  // Each test has pools of its own.
  server ??= startPostgres(programs, ['max_connections=500']).then((started) => {
    toClose.push(started.stop);
    return started;
  });
  return server;
}

/** Opens an empty, migrated schema; closed after the file's tests. */
export async function openDatabase(): Promise<Database> {
  return (await openForHosts(1))[0];
}

/** Opens an empty, migrated schema as several hosts do: each with connections of its own, except on PGlite, which has one for all. */
export async function openForHosts(count: number): Promise<readonly [Database, ...Database[]]> {
  const programs = programsToUse();
  schemas += 1;
  const schema = `petstore_${schemas}`;
  const open = async () => {
    const database = programs === undefined ? await openPglite(schema) : poolFor((await sharedServer(programs)).url, schema);
    toClose.push(database.close);
    return database;
  };
  const first = await open();
  await migrate(first, schema);
  const others = Array.from({ length: count - 1 }, () => (programs === undefined ? first : open()));
  return [first, ...(await Promise.all(others))];
}

function poolFor(url: string, schema: string) {
  // Suites measure no time, so a busy machine is no fault.
  return createPool({ connection: { connectionString: url }, schema, size: 10, statementMs: 30_000, connectionMs: 30_000 });
}
