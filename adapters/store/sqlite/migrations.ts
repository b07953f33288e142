// The database schema, one migration per version. Never change a released migration; add a new one.

import { SCHEMA_OF_0_2 } from './schema-0.2.ts';

/** The `user_version` of databases of release 0.2.0. */
export const OLDEST_VERSION = 14;

/** The first creates the schema of OLDEST_VERSION in a new file; the others each upgrade a file by one version. Times are milliseconds since 1970. */
export const MIGRATIONS: readonly string[] = [
  SCHEMA_OF_0_2,
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
  -- What a member may do (core/access/plans.ts). So far, everyone could do everything.
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
  `
  -- Written to see whether anything can be (platforms/embedded/probes.ts).
  CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
  `,
  `
  -- The audit log (core/audit/entry.ts). Ids sort by time. Entries are never changed, and kept for 400 days.
  CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    account_id TEXT,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- JSON.
    actor TEXT NOT NULL,
    details TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX audit_by_account ON audit (account_id, id) WHERE account_id IS NOT NULL;
  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are never changed');
  END;
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit WHEN OLD.at > (SELECT at FROM audit ORDER BY id DESC LIMIT 1) - 34560000000 BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are kept for 400 days');
  END;
  `,
  `
  -- Domains by state and by the hour since 1970 in which the certificate expires, or 0: counting them would read all (adapters/store/sqlite/domains.ts).
  CREATE TABLE domain_counts (
    state TEXT NOT NULL,
    expiry_hour INTEGER NOT NULL,
    domains INTEGER NOT NULL,
    PRIMARY KEY (state, expiry_hour)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO domain_counts (state, expiry_hour, domains)
    SELECT body ->> '$.state.name', CAST(coalesce(body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000, count(*) FROM domains GROUP BY 1, 2;
  CREATE TRIGGER domain_counts_insert AFTER INSERT ON domains BEGIN
    INSERT INTO domain_counts (state, expiry_hour, domains)
      VALUES (new.body ->> '$.state.name', CAST(coalesce(new.body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000, 1)
      ON CONFLICT DO UPDATE SET domains = domains + 1;
  END;
  CREATE TRIGGER domain_counts_delete AFTER DELETE ON domains BEGIN
    UPDATE domain_counts SET domains = domains - 1
      WHERE state = old.body ->> '$.state.name' AND expiry_hour = CAST(coalesce(old.body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000;
  END;
  CREATE TRIGGER domain_counts_update AFTER UPDATE OF body ON domains BEGIN
    UPDATE domain_counts SET domains = domains - 1
      WHERE state = old.body ->> '$.state.name' AND expiry_hour = CAST(coalesce(old.body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000;
    INSERT INTO domain_counts (state, expiry_hour, domains)
      VALUES (new.body ->> '$.state.name', CAST(coalesce(new.body ->> '$.certificate.notAfter', 0) AS INTEGER) / 3600000, 1)
      ON CONFLICT DO UPDATE SET domains = domains + 1;
    DELETE FROM domain_counts WHERE domains = 0;
  END;

  CREATE INDEX file_removals_by_due ON file_removals (due_at);
  `,
  `
  -- Renewable records of idempotency, which imports use (adapters/store/sqlite/pets.ts): the records of one source end together. They took
  -- 260 bytes a line and never ended; those of before end in 30 days. What is left of the old table is of the last 24 hours, and copied.
  CREATE TABLE import_sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE INDEX import_sources_by_name ON import_sources (name, expires_at);
  CREATE TABLE imported_lines (
    source_id INTEGER NOT NULL,
    line TEXT NOT NULL,
    pet_id INTEGER NOT NULL,
    PRIMARY KEY (source_id, line)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO import_sources (name, expires_at)
    SELECT DISTINCT owner, (unixepoch() + 30 * 86400) * 1000 FROM idempotency WHERE owner >= 'import#' AND owner < 'import$';
  INSERT INTO imported_lines (source_id, line, pet_id)
    SELECT import_sources.id, key, pet ->> 'id' FROM import_sources JOIN idempotency ON owner = import_sources.name
    ORDER BY import_sources.id, key;

  CREATE TABLE idempotency_of_requests (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    -- The answer as it was given: all fields of the animal.
    pet TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
  ) STRICT;
  INSERT INTO idempotency_of_requests SELECT owner, key, fingerprint, pet, expires_at FROM idempotency WHERE NOT (owner >= 'import#' AND owner < 'import$');
  DROP TABLE idempotency;
  ALTER TABLE idempotency_of_requests RENAME TO idempotency;
  CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
  `,
  `
  -- When it was last made current again (null: never), and whether it is kept until it is unpinned.
  ALTER TABLE deployments ADD COLUMN served_at INTEGER;
  ALTER TABLE deployments ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- By when rows end: adapters/store/sqlite/expired-rows.ts.
  CREATE INDEX api_keys_by_expiry ON api_keys (expires_at);
  CREATE INDEX deploy_tokens_by_expiry ON deploy_tokens (expires_at);
  CREATE INDEX invitations_by_expiry ON invitations (expires_at);
  CREATE INDEX invitation_days_by_day ON invitation_days (day);
  CREATE INDEX ended_sessions_by_expiry ON ended_sessions (expires_at);
  CREATE INDEX acme_failures_by_time ON acme_failures (failed_at);
  CREATE INDEX kept_certificates_by_end ON kept_certificates (not_after);
  CREATE INDEX domains_by_end ON domains (body ->> '$.state.until') WHERE active_host IS NULL;
  CREATE INDEX projects_by_deletion ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX import_sources_by_expiry ON import_sources (expires_at);
  `,
  `
  -- JSON: since when, and why. Null: in use.
  ALTER TABLE accounts ADD COLUMN suspension TEXT;
  ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;
  CREATE INDEX accounts_by_deletion ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;
  -- Not served, because its account is suspended.
  ALTER TABLE projects ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Which authority issued a certificate: the URL of an ACME directory, or the development authority. Null: unknown. What the authority says of its
  -- renewal (RFC 9773), and when it is asked again.
  ALTER TABLE certificates ADD COLUMN authority TEXT;
  ALTER TABLE certificates ADD COLUMN window_start INTEGER;
  ALTER TABLE certificates ADD COLUMN window_end INTEGER;
  ALTER TABLE certificates ADD COLUMN ask_again_at INTEGER;
  ALTER TABLE kept_certificates ADD COLUMN authority TEXT;
  UPDATE certificates SET authority = 'development' WHERE reference LIKE 'development:%';
  UPDATE certificates SET authority = (SELECT directory FROM acme_accounts)
    WHERE reference LIKE 'acme:%' AND (SELECT count(*) FROM acme_accounts) = 1;
  UPDATE kept_certificates SET authority = (SELECT directory FROM acme_accounts) WHERE (SELECT count(*) FROM acme_accounts) = 1;

  -- The account's URL, until when the authority wants no new orders, and why it refuses the account, if it does.
  ALTER TABLE acme_accounts ADD COLUMN url TEXT;
  ALTER TABLE acme_accounts ADD COLUMN paused_until INTEGER;
  ALTER TABLE acme_accounts ADD COLUMN refused TEXT;
  -- JSON: why the order failed; null while it is in progress. The reference of the certificate that it replaces.
  ALTER TABLE acme_orders ADD COLUMN failure TEXT;
  ALTER TABLE acme_orders ADD COLUMN replaces TEXT;

  -- How many certificates may be ordered (core/domains/order-budget.ts): when each bucket is full again.
  CREATE TABLE order_buckets (key TEXT PRIMARY KEY, full_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX order_buckets_by_end ON order_buckets (full_at);

  -- The time that background work goes by (core/settled-clock.ts), written once a minute, with the machine's boot and the time since then,
  -- and for how long the machine's clock has been ahead; null: it is not.
  CREATE TABLE settled_time (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, boot TEXT NOT NULL, elapsed INTEGER NOT NULL,
    ahead_for INTEGER) STRICT;

  -- When a domain's state was stored: if that is in the future, the clock was wrong then, and the domain is due. Earlier versions checked at least daily.
  ALTER TABLE domains ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
  UPDATE domains SET changed_at = wake_at - 86400000 WHERE wake_at IS NOT NULL;
  CREATE INDEX domains_by_change ON domains (changed_at) WHERE wake_at IS NOT NULL;

  -- What earlier versions gave up goes on.
  UPDATE domains SET wake_at = unixepoch() * 1000,
    body = json_set(body, '$.state.checks', 166, '$.state.nextCheckAt', unixepoch() * 1000)
    WHERE body ->> '$.state.name' = 'dns_failed';
  UPDATE domains SET wake_at = unixepoch() * 1000,
    body = json_set(body, '$.state.checks', 1, '$.state.nextCheckAt', unixepoch() * 1000)
    WHERE body ->> '$.state.name' = 'certificate_failed' AND body ->> '$.state.failure' = 'name_refused';
  UPDATE domains SET wake_at = unixepoch() * 1000,
    body = json_set(body, '$.state', json_object('name', 'certificate_pending', 'since', body -> '$.state.since', 'checks', 24,
      'nextCheckAt', unixepoch() * 1000, 'late', json('true')))
    WHERE body ->> '$.state.name' = 'certificate_failed' AND body ->> '$.state.failure' <> 'name_refused';
  `,
  `
  -- What users sign in with besides the password.
  CREATE TABLE passkeys (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, public_key BLOB NOT NULL, counter INTEGER NOT NULL,
    transports TEXT NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER) STRICT;
  CREATE INDEX passkeys_by_user ON passkeys (user_id);
  -- The secret is sealed. The time step of the last code that was used.
  CREATE TABLE totp (user_id TEXT PRIMARY KEY, secret BLOB NOT NULL, step INTEGER NOT NULL) STRICT;
  CREATE TABLE recovery_codes (user_id TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (user_id, digest)) STRICT, WITHOUT ROWID;
  -- Links with which users choose a new password.
  CREATE TABLE password_resets (digest TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX password_resets_by_end ON password_resets (expires_at);
  `,
  `
  -- What users see of their sign-ins.
  CREATE INDEX audit_sign_ins ON audit (subject, id) WHERE action GLOB 'sign_in.*';
  -- What the operator has to decide.
  CREATE INDEX accounts_with_request ON accounts (id) WHERE plan_request IS NOT NULL;
  `,
  `
  -- Whether the account's members need a second factor: 0 or 1.
  ALTER TABLE accounts ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Since when users are members of an account: owners see their sign-ins from then on.
  CREATE INDEX audit_members ON audit (account_id, subject, id) WHERE action = 'member.added';
  `,
  `
  -- What links in emails are made with, to turn them off without a sign-in.
  ALTER TABLE notification_settings ADD COLUMN unsubscribe_key TEXT;
  `,
  `
  -- Since when the key is paused.
  ALTER TABLE api_keys ADD COLUMN paused_at INTEGER;
  `,
  `
  -- Before when the audit log's entries may be removed, and when the sweep last set that (adapters/store/sqlite/expired-rows.ts).
  CREATE TABLE audit_end (id INTEGER PRIMARY KEY CHECK (id = 1), before INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
  DROP TRIGGER audit_is_kept;
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit WHEN OLD.at >= coalesce((SELECT before FROM audit_end), OLD.at) BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log are kept for 400 days');
  END;
  `,
];

/** The `user_version` of databases of this version. */
export const NEWEST_VERSION = OLDEST_VERSION + MIGRATIONS.length - 1;
