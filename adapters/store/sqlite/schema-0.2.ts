// The schema of release 0.2.0, the oldest whose databases are supported. Never change it, because existing databases have it.

export const SCHEMA_OF_0_2 = `
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
    ban_level INTEGER,
    -- The beginning of the minute in which a request with it was last admitted.
    last_used_at INTEGER,
    -- When the ban began: one that began in the future was stored by a clock that has been set back since. Null of old bans: long ago.
    ban_since INTEGER,
    -- Id of the key that replaces it, once it has been rotated.
    successor TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

  -- Requests admitted, by account: {"minutes": [[window, count], ...], "days": [...]}.
  CREATE TABLE usage (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    windows TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    current_deployment_id TEXT,
    -- JSON: core/domains/configuration.ts
    configuration TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX projects_by_account ON projects (account_id, created_at);

  CREATE TABLE deployments (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    created_at INTEGER NOT NULL,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deployments_by_project ON deployments (project_id, created_at);

  -- A domain is kept as JSON (core/domains/domain.ts); the columns are what it is found by.
  CREATE TABLE domains (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects (id),
    -- The host while the domain is proved, so that one domain of a host is: core/domains/domain.ts, isProved.
    proved_host TEXT UNIQUE,
    -- Null once it is removed, so that the project can add the host again.
    active_host TEXT,
    wake_at INTEGER,
    body TEXT NOT NULL,
    -- Does somebody wait for what happens next (core/domains/wake.ts)? What is waited for has a queue of its own.
    waited_for INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, active_host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX domains_by_host ON domains (host);
  CREATE INDEX domains_by_wake ON domains (waited_for, wake_at) WHERE wake_at IS NOT NULL;
  CREATE INDEX domains_by_time ON domains (wake_at) WHERE wake_at IS NOT NULL;

  CREATE TABLE certificates (
    reference TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    -- PEM: the leaf and what is above it, without the root.
    chain TEXT NOT NULL,
    private_key TEXT NOT NULL,
    not_after INTEGER NOT NULL,
    -- The beginning of its life, of which a renewal is a fraction.
    not_before INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- Which host the edge serves.
  CREATE TABLE edge_map (
    host TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    certificate TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_records (
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    value TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    -- Who set it; null: the operator, or nobody knows.
    account_id TEXT,
    PRIMARY KEY (name, type, value)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE acme_accounts (directory TEXT PRIMARY KEY, private_key TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE acme_orders (
    reference TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    private_key TEXT NOT NULL,
    -- Null until the authority has made the order.
    url TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE acme_challenges (
    host TEXT NOT NULL,
    token TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (host, token)
  ) STRICT, WITHOUT ROWID;

  -- Certificates of removed domains: whoever adds the name again soon gets it back, because authorities count what they issue.
  CREATE TABLE kept_certificates (
    host TEXT PRIMARY KEY,
    chain TEXT NOT NULL,
    private_key TEXT NOT NULL,
    not_before INTEGER NOT NULL,
    not_after INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Orders that failed, for the limit that authorities set on them.
  CREATE TABLE acme_failures (reference TEXT PRIMARY KEY, host TEXT NOT NULL, failed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX acme_failures_by_host ON acme_failures (host, failed_at);

  CREATE TABLE members (
    user_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (user_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_by_account ON members (account_id);

  -- Users of the embedded OpenID provider.
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    -- scrypt: adapters/identity/sqlite-users.ts
    password TEXT NOT NULL,
    -- How often all sessions of the user were ended: what was signed in before is of an earlier generation.
    session_generation INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- What the provider keeps: sessions, codes, grants, tokens. Ids are digests (adapters/identity/oidc-storage.ts).
  CREATE TABLE oidc (
    model TEXT NOT NULL,
    id TEXT NOT NULL,
    grant_id TEXT,
    uid TEXT,
    expires_at INTEGER,
    payload TEXT NOT NULL,
    user_id TEXT,
    PRIMARY KEY (model, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oidc_by_grant ON oidc (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX oidc_by_uid ON oidc (model, uid) WHERE uid IS NOT NULL;
  CREATE INDEX oidc_by_expiry ON oidc (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX oidc_by_user ON oidc (user_id) WHERE user_id IS NOT NULL;

  -- Requests refused, by account and day (number since 1970), for people to see.
  CREATE TABLE refusals (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;

  -- Answers to requests of the control API that are safe to repeat. What is in them is sealed with the request's own key.
  CREATE TABLE answers (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    answer TEXT,
    claimed_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_by_expiry ON answers (expires_at);
`;
