// The database schema, one migration per version. Never change a released migration; add a new one.

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
  `
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
    UNIQUE (project_id, active_host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX domains_by_host ON domains (host);
  CREATE INDEX domains_by_wake ON domains (wake_at) WHERE wake_at IS NOT NULL;

  CREATE TABLE certificates (
    reference TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    -- PEM: the leaf and what is above it, without the root.
    chain TEXT NOT NULL,
    private_key TEXT NOT NULL,
    not_after INTEGER NOT NULL
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
    PRIMARY KEY (name, type, value)
  ) STRICT, WITHOUT ROWID;
  `,
  `
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
  `,
  `
  -- With the beginning of its life, of which a renewal is a fraction.
  ALTER TABLE certificates ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;

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
  `,
  `
  CREATE TABLE members (
    user_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (user_id, account_id)
  ) STRICT, WITHOUT ROWID;

  -- Users of the embedded OpenID provider.
  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    -- scrypt: adapters/identity/sqlite-users.ts
    password TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What the provider keeps: sessions, codes, grants, tokens.
  CREATE TABLE oidc (
    model TEXT NOT NULL,
    id TEXT NOT NULL,
    grant_id TEXT,
    uid TEXT,
    expires_at INTEGER,
    payload TEXT NOT NULL,
    PRIMARY KEY (model, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oidc_by_grant ON oidc (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX oidc_by_uid ON oidc (model, uid) WHERE uid IS NOT NULL;
  CREATE INDEX oidc_by_expiry ON oidc (expires_at) WHERE expires_at IS NOT NULL;
  `,
  `
  -- The beginning of the minute in which a request with it was last admitted.
  ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;

  -- Requests refused, by account and day (number since 1970), for people to see.
  CREATE TABLE refusals (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- When the ban began: one that began in the future was stored by a clock that has been set back since. Null of bans from before: long ago.
  ALTER TABLE api_keys ADD COLUMN ban_since INTEGER;
  `,
  `
  -- Does somebody wait for what happens next (core/domains/wake.ts)? What is waited for has a queue of its own.
  ALTER TABLE domains ADD COLUMN waited_for INTEGER NOT NULL DEFAULT 0;
  DROP INDEX domains_by_wake;
  CREATE INDEX domains_by_wake ON domains (waited_for, wake_at) WHERE wake_at IS NOT NULL;
  CREATE INDEX domains_by_time ON domains (wake_at) WHERE wake_at IS NOT NULL;
  `,
  `
  -- Answers to requests of the control API that are safe to repeat. What is in them is sealed with the request's own key.
  CREATE TABLE answers (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    answer TEXT,
    claimed_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_by_expiry ON answers (expires_at);
  `,
  `
  -- Who set a record of the sandbox; null: the operator, or nobody knows.
  ALTER TABLE sandbox_records ADD COLUMN account_id TEXT;
  `,
  `
  -- From here on ids are digests (adapters/identity/oidc-storage.ts): what rests under the id itself signs in whoever reads it.
  DELETE FROM oidc;
  `,
  `
  -- How often all sessions of the user were ended: what was signed in before is of an earlier generation.
  ALTER TABLE users ADD COLUMN session_generation INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE oidc ADD COLUMN user_id TEXT;
  CREATE INDEX oidc_by_user ON oidc (user_id) WHERE user_id IS NOT NULL;
  `,
  `
  CREATE INDEX members_by_account ON members (account_id);
  `,
  `
  -- Id of the key that replaces it, once it has been rotated.
  ALTER TABLE api_keys ADD COLUMN successor TEXT;
  `,
  `
  -- Projects whose domains are remembered must stay; null: not deleted.
  ALTER TABLE projects ADD COLUMN deleted_at INTEGER;

  -- Files to remove: those of a deployment that is not published in time; without a deployment, all of a project that was deleted.
  CREATE TABLE file_removals (
    project_id TEXT NOT NULL,
    deployment_id TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    -- 0: not yet.
    begun_at INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (project_id, deployment_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What a member may do (core/access/roles.ts). So far, everyone could do everything.
  ALTER TABLE members ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';

  -- What pipelines deploy with (core/access/deploy-token.ts).
  CREATE TABLE deploy_tokens (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    name TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deploy_tokens_by_project ON deploy_tokens (project_id);
  `,
  `
  -- The certificates of projects' own addresses (adapters/edge/own-addresses.ts).
  CREATE TABLE own_addresses (
    project_id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    certificate TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Messages to the members of an account: core/notifications/ports.ts.
  CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    -- Null: finished.
    due_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    sent_at INTEGER,
    -- JSON: ids of users.
    done TEXT NOT NULL DEFAULT '[]'
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notifications_by_due ON notifications (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX notifications_by_account ON notifications (account_id);
  CREATE INDEX notifications_by_time ON notifications (at);

  -- Has a row if something sends what is in the outbox. Without one, nothing is added.
  CREATE TABLE outbox_open (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

  CREATE TABLE notification_settings (
    user_id TEXT PRIMARY KEY,
    -- JSON: kinds that the user has turned off.
    muted TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- JSON: the plan that an account's owner has asked for (core/access/plan-requests.ts).
  ALTER TABLE accounts ADD COLUMN plan_request TEXT;
  `,
  `
  -- Start and end of the key's text, and who issued it: a user's id, or operator. Null of keys from before.
  ALTER TABLE api_keys ADD COLUMN hint TEXT;
  ALTER TABLE api_keys ADD COLUMN created_by TEXT;

  -- What is kept of revoked keys, for people to see. Admission reads only api_keys.
  CREATE TABLE revoked_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hint TEXT,
    scopes TEXT NOT NULL,
    created_by TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER NOT NULL,
    revoked_by TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX revoked_keys_by_account ON revoked_keys (account_id, revoked_at);
  CREATE INDEX revoked_keys_by_time ON revoked_keys (revoked_at);
  `,
  `
  -- Usage that admission no longer changes, and refusals, for people to see (adapters/store/sqlite/usage-history.ts).
  CREATE TABLE usage_history (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- minutes, days: requests admitted; refused_minutes, refused_days.
    kind TEXT NOT NULL,
    -- Number since 1970: of an hour for minutes, of 30 days for days.
    block INTEGER NOT NULL,
    -- JSON: pairs of a window's number since 1970 and its count.
    counts TEXT NOT NULL,
    PRIMARY KEY (account_id, kind, block)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_history_by_block ON usage_history (kind, block);
  INSERT INTO usage_history (account_id, kind, block, counts)
    SELECT account_id, 'refused_days', day / 30, json_group_array(json_array(day, count)) FROM refusals GROUP BY account_id, day / 30;
  DROP TABLE refusals;
  `,
  `
  -- Invitations to accounts (core/access/invitation.ts): one for each address.
  CREATE TABLE invitations (
    account_id TEXT NOT NULL,
    email TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    mailed INTEGER NOT NULL,
    -- JSON: digests of links.
    digests TEXT NOT NULL,
    PRIMARY KEY (account_id, email)
  ) STRICT, WITHOUT ROWID;

  -- How many invitations an account has sent on the last UTC day on which it sent any, by the day's number since 1970.
  CREATE TABLE invitation_days (
    account_id TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    sent INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Of a grant, which is what users see as a session: the browser in words, and when its tokens were last renewed.
  ALTER TABLE oidc ADD COLUMN agent TEXT;
  ALTER TABLE oidc ADD COLUMN used_at INTEGER;

  -- Sessions that users have ended: digests of their grants, as long as anything of theirs could still be sent.
  CREATE TABLE ended_sessions (
    id TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
