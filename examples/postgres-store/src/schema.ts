// The tables, and how a database gets to the newest version of them.

import { PET_FIELD_LIST } from 'petstore-platform';
import type { Connection, Database, Transaction } from './database.ts';
import { COLUMN_TYPES } from './pet-rows.ts';

/** Columns with a key's facts, which its record keeps when the key is revoked. */
const FACTS = `id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL, name text NOT NULL, hint text, scopes text NOT NULL,
  created_by text, created_at bigint NOT NULL, expires_at bigint NOT NULL, last_used_at bigint`;

/**
 * From each version to the next. Released migrations never change. They are run while hosts of the version before still serve requests, so a column
 * may be added, but none renamed or removed that the version before reads. All times are milliseconds since 1970.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE pets (id bigint PRIMARY KEY, name text NOT NULL, category_id bigint NOT NULL, status text COLLATE "C" NOT NULL);
  CREATE INDEX pets_by_status ON pets (status, id);
  CREATE TABLE idempotency (
    owner text COLLATE "C", key text COLLATE "C", fingerprint text NOT NULL, pet text NOT NULL, expires_at bigint NOT NULL, PRIMARY KEY (owner, key)
  );
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

  CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY, name text NOT NULL, plan text NOT NULL, per_minute bigint NOT NULL, per_day bigint NOT NULL,
    created_at bigint NOT NULL, plan_request text
  );
  CREATE TABLE api_keys (${FACTS}, digest text NOT NULL, successor text, ban_since bigint, ban_until bigint, ban_level bigint);
  CREATE INDEX api_keys_of_account ON api_keys (account_id);
  CREATE TABLE revoked_keys (${FACTS}, revoked_at bigint NOT NULL, revoked_by text NOT NULL);
  CREATE INDEX revoked_keys_of_account ON revoked_keys (account_id, revoked_at);
  CREATE INDEX revoked_keys_by_age ON revoked_keys (revoked_at);

  -- One row for each account, from its creation on: admission locks it. Each update leaves room for the next on the same page.
  CREATE TABLE usage (account_id text COLLATE "C" PRIMARY KEY, windows text) WITH (fillfactor = 50);
  CREATE TABLE usage_history (
    account_id text COLLATE "C", kind text COLLATE "C", window_number bigint, requests bigint NOT NULL, PRIMARY KEY (account_id, kind, window_number)
  );

  CREATE TABLE answers (
    id text COLLATE "C" PRIMARY KEY, fingerprint text NOT NULL, answer text, claimed_until bigint NOT NULL, expires_at bigint NOT NULL
  );
  CREATE INDEX answers_by_expiry ON answers (expires_at);
  CREATE TABLE user_requests (key text COLLATE "C", minute bigint, requests bigint NOT NULL, PRIMARY KEY (key, minute));
  `,
  `
  -- JSON: since when, and why. Null: in use.
  ALTER TABLE accounts ADD COLUMN suspension text;
  `,
  `
  ALTER TABLE accounts ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
  `,
  `
  ALTER TABLE api_keys ADD COLUMN paused_at bigint;
  `,
];

/**
 * Creates the schema and its tables, or migrates them. Any number of processes may call it at once. Needs no permission to change anything if the
 * schema is up to date.
 *
 * @param schema a name as `schemaProblem` allows it
 * @throws Error if the schema was written by a newer version, or the role may not create what is missing
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  if ((await versionOf(database, schema)) === MIGRATIONS.length && (await missingFields(database, schema)).length === 0) return;
  await database.transaction({ durable: true }, async (transaction) => {
    await transaction.query({ text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' }, [`petstore ${schema}`]);
    // Read again, because another process may have migrated while this one waited for the lock.
    const from = await versionOf(transaction, schema);
    if (from > MIGRATIONS.length) {
      throw new Error(
        `the schema "${schema}" was written by a newer version of petstore-postgres-store (schema ${from}, this version supports up to ${MIGRATIONS.length}); upgrade this host, or set another schema`,
      );
    }
    await run(transaction, schema, from);
  });
}

async function run(transaction: Transaction, schema: string, from: number): Promise<void> {
  const change = (text: string) => transaction.query({ text });
  if (from === 0) {
    const [{ found } = { found: false }] = await transaction.query<{ found: boolean }>(
      { text: 'SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS found' },
      [schema],
    );
    // IF NOT EXISTS asks for the permission to create schemas even if there is nothing to create.
    if (!found) await change(`CREATE SCHEMA ${schema}`);
    await change('CREATE TABLE schema_version (version bigint NOT NULL); INSERT INTO schema_version VALUES (0)');
  }
  for (const migration of MIGRATIONS.slice(from)) await change(migration);
  // Animals stored before a field existed have none: null.
  for (const { column, kind } of await missingFields(transaction, schema))
    await change(`ALTER TABLE pets ADD COLUMN ${column} ${COLUMN_TYPES[kind]}`);
  await change(`UPDATE schema_version SET version = ${MIGRATIONS.length}`);
}

/**
 * The version of the schema; 0 if there is none. Reads the catalog's tables: `to_regclass` may answer from a cache that does not know yet what another
 * process has created while this one waited for it.
 */
async function versionOf(connection: Connection, schema: string): Promise<number> {
  const tables = await connection.query(
    { text: "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'schema_version'" },
    [schema],
  );
  if (tables.length === 0) return 0;
  const [row] = await connection.query<{ version: bigint }>({ text: 'SELECT version FROM schema_version' });
  return Number(row?.version ?? 0);
}

/** The animals' fields that have no column yet. */
async function missingFields(connection: Connection, schema: string) {
  const columns = await connection.query<{ name: string }>(
    {
      text: `SELECT a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = 'pets' AND a.attnum > 0 AND NOT a.attisdropped`,
    },
    [schema],
  );
  const names = new Set(columns.map(({ name }) => name));
  return PET_FIELD_LIST.filter(({ column }) => !names.has(column));
}

/** Returns what is wrong with a schema's name; undefined if it can be used. */
export function schemaProblem(schema: string): string | undefined {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !/^(pg_|public$|information_schema$)/.test(schema)) return undefined;
  return `schema: got ${JSON.stringify(schema)}; allowed: lower-case letters, digits and underscores, 63 at most, not "public" and not PostgreSQL's own`;
}
