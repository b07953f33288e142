// The tables, and the migrations to their newest version.

import { PET_FIELD_LIST } from 'petstore-platform';
import type { Connection, Database, Transaction } from './database.ts';
import { COLUMN_TYPES } from './pet-rows.ts';

/** The columns of a key that are kept in its record once it is revoked. */
const FACTS = `id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL, name text NOT NULL, hint text, scopes text NOT NULL,
  created_by text, created_at bigint NOT NULL, expires_at bigint NOT NULL, last_used_at bigint`;

/**
 * The migrations from each version to the next. Released ones never change. They run while hosts with the previous version still serve requests, so a
 * column may be added, but no column that the previous version reads may be renamed or removed. All times are milliseconds since 1970.
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
  `
  -- Everything else that hosts share. Text that is compared or sorted by byte has the collation "C".
  CREATE TABLE members (user_id text COLLATE "C", account_id text COLLATE "C", role text NOT NULL, PRIMARY KEY (user_id, account_id));
  CREATE INDEX members_of_account ON members (account_id);
  CREATE TABLE invitations (
    account_id text COLLATE "C", email text COLLATE "C", id text COLLATE "C" NOT NULL UNIQUE, role text NOT NULL, invited_by text NOT NULL,
    created_at bigint NOT NULL, expires_at bigint NOT NULL, mailed boolean NOT NULL, digests text[] NOT NULL, PRIMARY KEY (account_id, email)
  );
  CREATE INDEX invitations_by_expiry ON invitations (expires_at);
  -- How many invitations an account or a user has sent on the last UTC day on which they sent any, by the day's number since 1970.
  CREATE TABLE invitation_days (sender text COLLATE "C" PRIMARY KEY, day bigint NOT NULL, sent bigint NOT NULL);
  CREATE TABLE deploy_tokens (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, digest text NOT NULL, name text NOT NULL, created_by text NOT NULL,
    created_at bigint NOT NULL, expires_at bigint NOT NULL, last_used_at bigint
  );
  CREATE INDEX deploy_tokens_of_project ON deploy_tokens (project_id);
  CREATE INDEX deploy_tokens_by_expiry ON deploy_tokens (expires_at);

  -- Deleted projects stay for a while. Withheld: nothing of it is served.
  CREATE TABLE projects (
    id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL, name text NOT NULL, token text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL, current_deployment_id text, configuration text NOT NULL, withheld boolean NOT NULL DEFAULT false, deleted_at bigint
  );
  CREATE INDEX projects_of_account ON projects (account_id, created_at);
  CREATE INDEX projects_by_deletion ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE deployments (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, created_at bigint NOT NULL, files bigint NOT NULL, bytes bigint NOT NULL,
    served_at bigint, pinned boolean NOT NULL DEFAULT false
  );
  CREATE INDEX deployments_of_project ON deployments (project_id, created_at);
  CREATE TABLE file_removals (
    project_id text COLLATE "C", deployment_id text COLLATE "C", due_at bigint NOT NULL, begun_at bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL,
    PRIMARY KEY (project_id, deployment_id)
  );

  -- A domain is kept as JSON; the columns are what it is found by. The host is proved by one domain at most.
  CREATE TABLE domains (
    id text COLLATE "C" PRIMARY KEY, host text COLLATE "C" NOT NULL, project_id text COLLATE "C" NOT NULL, account_id text COLLATE "C" NOT NULL,
    proved_host text COLLATE "C" UNIQUE, active_host text COLLATE "C", wake_at bigint, waited_for boolean NOT NULL, changed_at bigint NOT NULL,
    body text NOT NULL, UNIQUE (project_id, active_host)
  );
  CREATE INDEX domains_of_host ON domains (host);
  CREATE INDEX domains_by_wake ON domains (waited_for, wake_at) WHERE wake_at IS NOT NULL;
  CREATE INDEX domains_by_change ON domains (changed_at) WHERE wake_at IS NOT NULL;
  -- Hosts that are alive, and the work that each of them has. Of no use after a crash of the server, so neither waits for the disk.
  CREATE UNLOGGED TABLE hosts (id text COLLATE "C" PRIMARY KEY, alive_until timestamptz NOT NULL);
  CREATE UNLOGGED TABLE leases (name text COLLATE "C" PRIMARY KEY, host text COLLATE "C" NOT NULL);
  CREATE TABLE sweeps (name text COLLATE "C" PRIMARY KEY, run text NOT NULL, until bigint NOT NULL, progress text NOT NULL);
  CREATE TABLE reports (thing text COLLATE "C" PRIMARY KEY, at bigint NOT NULL);
  CREATE TABLE order_buckets (key text COLLATE "C" PRIMARY KEY, full_at bigint NOT NULL);

  CREATE TABLE edge_map (host text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, certificate text NOT NULL);
  CREATE TABLE own_addresses (project_id text COLLATE "C" PRIMARY KEY, token text NOT NULL, certificate text NOT NULL);
  CREATE TABLE certificates (
    reference text COLLATE "C" PRIMARY KEY, host text NOT NULL, chain text NOT NULL, private_key text NOT NULL, not_before bigint NOT NULL,
    not_after bigint NOT NULL, authority text, window_start bigint, window_end bigint, ask_again_at bigint
  );
  CREATE TABLE kept_certificates (
    host text COLLATE "C" PRIMARY KEY, chain text NOT NULL, private_key text NOT NULL, not_before bigint NOT NULL, not_after bigint NOT NULL,
    authority text
  );
  CREATE TABLE acme_accounts (directory text COLLATE "C" PRIMARY KEY, private_key text NOT NULL, url text, paused_until bigint, refused text);
  CREATE TABLE acme_orders (
    reference text COLLATE "C" PRIMARY KEY, host text COLLATE "C" NOT NULL, private_key text NOT NULL, url text, replaces text, failure text
  );
  CREATE TABLE acme_challenges (host text COLLATE "C", token text COLLATE "C", answer text NOT NULL, PRIMARY KEY (host, token));
  CREATE TABLE acme_failures (reference text COLLATE "C" PRIMARY KEY, host text COLLATE "C" NOT NULL, failed_at bigint NOT NULL);
  CREATE INDEX acme_failures_of_host ON acme_failures (host, failed_at);
  CREATE TABLE sandbox_records (
    name text COLLATE "C", type text COLLATE "C", value text COLLATE "C", ttl bigint NOT NULL, account_id text, PRIMARY KEY (name, type, value)
  );

  -- Ids sort by time. Entries are never changed, and kept for 400 days.
  CREATE TABLE audit (
    id text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, account_id text COLLATE "C", action text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL,
    actor text NOT NULL, details text
  );
  CREATE INDEX audit_of_account ON audit (account_id, id) WHERE account_id IS NOT NULL;
  CREATE INDEX audit_sign_ins ON audit (subject, id) WHERE action LIKE 'sign\\_in.%';
  CREATE INDEX audit_members ON audit (account_id, subject, id) WHERE action = 'member.added';
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'entries of the audit log are never changed, and kept for 400 days'; END $$;
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit FOR EACH ROW WHEN (old.at > extract(epoch FROM now()) * 1000 - 34560000000) EXECUTE FUNCTION refuse_change();

  CREATE TABLE notifications (
    id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL, at bigint NOT NULL, body text NOT NULL, due_at bigint,
    attempts bigint NOT NULL DEFAULT 0, sent_at bigint, done text[] NOT NULL DEFAULT '{}'
  );
  CREATE INDEX notifications_by_due ON notifications (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX notifications_of_account ON notifications (account_id);
  CREATE INDEX notifications_by_time ON notifications (at);
  CREATE TABLE outbox_open (id integer PRIMARY KEY CHECK (id = 1));
  CREATE TABLE notification_settings (user_id text COLLATE "C" PRIMARY KEY, muted text[] NOT NULL DEFAULT '{}', unsubscribe_key text);

  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY, email text COLLATE "C" NOT NULL UNIQUE, password text NOT NULL, session_generation bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE password_resets (digest text COLLATE "C" PRIMARY KEY, user_id text COLLATE "C" NOT NULL, expires_at bigint NOT NULL);
  CREATE INDEX password_resets_of_user ON password_resets (user_id);
  CREATE TABLE passkeys (
    id text COLLATE "C" PRIMARY KEY, user_id text COLLATE "C" NOT NULL, name text NOT NULL, public_key bytea NOT NULL, counter bigint NOT NULL,
    transports text[] NOT NULL, created_at bigint NOT NULL, used_at bigint
  );
  CREATE INDEX passkeys_of_user ON passkeys (user_id);
  CREATE TABLE totp (user_id text COLLATE "C" PRIMARY KEY, secret bytea NOT NULL, step bigint NOT NULL);
  CREATE TABLE recovery_codes (user_id text COLLATE "C", digest text COLLATE "C", PRIMARY KEY (user_id, digest));
  CREATE TABLE oidc (
    model text COLLATE "C", id text COLLATE "C", grant_id text COLLATE "C", uid text COLLATE "C", user_id text COLLATE "C", expires_at bigint,
    payload text NOT NULL, agent text, used_at bigint, PRIMARY KEY (model, id)
  );
  CREATE INDEX oidc_of_grant ON oidc (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX oidc_by_uid ON oidc (model, uid) WHERE uid IS NOT NULL;
  CREATE INDEX oidc_of_user ON oidc (user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX oidc_by_expiry ON oidc (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE ended_sessions (id text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL);
  CREATE INDEX ended_sessions_by_expiry ON ended_sessions (expires_at);
  -- Files of sites, in chunks of up to 1 MiB. They are compressed already, or not worth it.
  CREATE TABLE site_files (
    project_id text COLLATE "C", deployment_id text COLLATE "C", name text COLLATE "C", bytes bigint NOT NULL, PRIMARY KEY (project_id, deployment_id, name)
  );
  CREATE TABLE site_chunks (
    project_id text COLLATE "C", deployment_id text COLLATE "C", name text COLLATE "C", place bigint, content bytea NOT NULL,
    PRIMARY KEY (project_id, deployment_id, name, place)
  );
  ALTER TABLE site_chunks ALTER content SET STORAGE EXTERNAL;
  CREATE TABLE uploads (project_id text COLLATE "C", deployment_id text COLLATE "C", manifest text NOT NULL, PRIMARY KEY (project_id, deployment_id));
  CREATE TABLE installation_keys (name text COLLATE "C" PRIMARY KEY, content text NOT NULL);
  `,
  `
  -- Before when the audit log's entries may be removed, and when a sweep last set that.
  CREATE TABLE audit_end (id integer PRIMARY KEY CHECK (id = 1), before bigint NOT NULL, at bigint NOT NULL);
  `,
];

/**
 * Creates the schema and its tables, or migrates them. Any number of processes may call it at once. Needs no permission to change anything if the schema
 * is up to date.
 *
 * @param schema a name that `schemaProblem` allows
 * @throws Error if the schema was written by a newer version, or the role lacks permission to create what is missing
 */
export async function migrate(database: Database, schema: string): Promise<void> {
  if ((await versionOf(database, schema)) === MIGRATIONS.length && (await missingFields(database, schema)).length === 0) return;
  await database.transaction({ durable: true }, async (transaction) => {
    await transaction.query({ text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' }, [`petstore ${schema}`]);
    // Read again, because another process may have migrated while this one waited for the lock.
    const from = await versionOf(transaction, schema);
    if (from > MIGRATIONS.length) {
      throw new Error(
        `the schema "${schema}" was written by a newer version of petstore-postgres (schema ${from}, this version supports up to ${MIGRATIONS.length}); upgrade this host, or set another schema`,
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
    // IF NOT EXISTS requires permission to create schemas even if there is nothing to create.
    if (!found) await change(`CREATE SCHEMA ${schema}`);
    await change('CREATE TABLE schema_version (version bigint NOT NULL); INSERT INTO schema_version VALUES (0)');
  }
  for (const migration of MIGRATIONS.slice(from)) await change(migration);
  // Animals stored before a field existed have null for it.
  for (const { column, kind } of await missingFields(transaction, schema))
    await change(`ALTER TABLE pets ADD COLUMN ${column} ${COLUMN_TYPES[kind]}`);
  await change(`UPDATE schema_version SET version = ${MIGRATIONS.length}`);
}

/**
 * Returns the version of the schema; 0 if there is none. Reads the catalog's tables, because `to_regclass` may use a cache without the tables that another
 * process has created while this one waited for the lock.
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

/** Returns the animals' fields that have no column yet. */
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
