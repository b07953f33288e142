// The schema, version by version. A migration that has been released never changes: add one.

/** Migration n takes a file from `user_version` n to n + 1. Times are milliseconds since 1970. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
  -- Covering: a list by status reads one range of the index, and not each animal from another place.
  CREATE INDEX pets_by_status ON pets (status, id, name, category_id);

  -- With a rowid: keys are random, so only the small index is written all over the place, not the rows.
  CREATE TABLE idempotency (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    -- The answer as it was given: id, name, categoryId, status.
    pet TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
  ) STRICT;
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    per_minute INTEGER NOT NULL,
    per_day INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_keys (
    digest TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ban_until INTEGER,
    ban_level INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

  -- Requests admitted, by account: {"minutes": [[window, count], ...], "days": [...]}.
  CREATE TABLE usage (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    windows TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
