-- The database of a data folder that release 0.2.0 has made and used: two imported animals, a POST with an Idempotency-Key, a deployment, a live domain, refusals.
-- It is of version 14, the oldest that is supported. The certificate and its key are left out.
CREATE TABLE pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
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
  , last_used_at INTEGER, ban_since INTEGER, successor TEXT) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);
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
CREATE TABLE domains (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects (id),
    -- The host while the domain is proved, so that one domain of a host is: core/domains/domain.ts, isProved.
    proved_host TEXT UNIQUE,
    -- Null once it is removed, so that the project can add the host again.
    active_host TEXT,
    wake_at INTEGER,
    body TEXT NOT NULL, waited_for INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, active_host)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX domains_by_host ON domains (host);
CREATE TABLE certificates (
    reference TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    -- PEM: the leaf and what is above it, without the root.
    chain TEXT NOT NULL,
    private_key TEXT NOT NULL,
    not_after INTEGER NOT NULL
  , not_before INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE edge_map (
    host TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    certificate TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_records (
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    value TEXT NOT NULL,
    ttl INTEGER NOT NULL, account_id TEXT,
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
CREATE TABLE kept_certificates (
    host TEXT PRIMARY KEY,
    chain TEXT NOT NULL,
    private_key TEXT NOT NULL,
    not_before INTEGER NOT NULL,
    not_after INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE acme_failures (reference TEXT PRIMARY KEY, host TEXT NOT NULL, failed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX acme_failures_by_host ON acme_failures (host, failed_at);
CREATE TABLE members (
    user_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (user_id, account_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    -- scrypt: adapters/identity/sqlite-users.ts
    password TEXT NOT NULL
  , session_generation INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE oidc (
    model TEXT NOT NULL,
    id TEXT NOT NULL,
    grant_id TEXT,
    uid TEXT,
    expires_at INTEGER,
    payload TEXT NOT NULL, user_id TEXT,
    PRIMARY KEY (model, id)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX oidc_by_grant ON oidc (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_by_uid ON oidc (model, uid) WHERE uid IS NOT NULL;
CREATE INDEX oidc_by_expiry ON oidc (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE refusals (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX domains_by_wake ON domains (waited_for, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX domains_by_time ON domains (wake_at) WHERE wake_at IS NOT NULL;
CREATE TABLE answers (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    answer TEXT,
    claimed_until INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_expiry ON answers (expires_at);
CREATE INDEX oidc_by_user ON oidc (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX members_by_account ON members (account_id);
INSERT INTO pets (id, name, category_id, status) VALUES (245465884582478, 'Rex', 7, 'available');
INSERT INTO pets (id, name, category_id, status) VALUES (245465884585384, 'Bo', 9007199254740993, 'sold');
INSERT INTO pets (id, name, category_id, status) VALUES (245465895958263, 'Bella', 7, 'available');
INSERT INTO idempotency (owner, key, fingerprint, pet, expires_at) VALUES ('import#animals.jsonl', 'eqn-ewwsxqQ4AeT0fuGF3hg55B7#0', 'eqn-ewwsxqQ4AeT0fuGF3hg55B7', '{"id":245465884582478,"name":"Rex","categoryId":7,"status":"available"}', 253402300799999);
INSERT INTO idempotency (owner, key, fingerprint, pet, expires_at) VALUES ('import#animals.jsonl', 'VVosedKVeRhhI6V1Q01SoZCZ9Fn#0', 'VVosedKVeRhhI6V1Q01SoZCZ9Fn', '{"id":245465884585384,"name":"Bo","categoryId":9007199254740993,"status":"sold"}', 253402300799999);
INSERT INTO idempotency (owner, key, fingerprint, pet, expires_at) VALUES ('acc_QMinMk1y3T', 'order-1', 'iCjcQKogPuKiUsU3cS_XuvvZLSzPBmJrhzuipmKcoUY', '{"id":245465895958263,"name":"Bella","categoryId":7,"status":"available"}', 1795704197255);
INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_QMinMk1y3T', 'Shop', 'business', 1000, 100000, 1795617792697);
INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_S6Yw4oJVJ6', 'Demo', 'pro', 300, 10000, 1795617789742);
INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_cgLtzRjwzP', 'Busy', 'free', 60, 1000, 1795617822099);
INSERT INTO api_keys (digest, id, account_id, name, scopes, created_at, expires_at, ban_until, ban_level, last_used_at, ban_since, successor) VALUES ('3A7j6VcYoDSDlaZCl-Qln3WVC2LXXv-p1Y0eiXZw1pQ', 'key_S6Yw4oJVJ63A7j6VcYoDSD', 'acc_S6Yw4oJVJ6', 'Demo', 'pets:read,pets:write', 1795617789742, 253402300799999, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys (digest, id, account_id, name, scopes, created_at, expires_at, ban_until, ban_level, last_used_at, ban_since, successor) VALUES ('6gVuYnciK2-scnvDQWyZQKXPl-Gpoh7XL-AcdilDrbI', 'key_QMinMk1y3T6gVuYnciK20s', 'acc_QMinMk1y3T', 'key', 'pets:read', 1795617793366, 253402300799999, NULL, NULL, NULL, NULL, NULL);
INSERT INTO api_keys (digest, id, account_id, name, scopes, created_at, expires_at, ban_until, ban_level, last_used_at, ban_since, successor) VALUES ('QNHHs0SMZzwiFCcOEOQuPcz7czOMv9HyKop6xilwH3Y', 'key_cgLtzRjwzPQNHHs0SMZzwi', 'acc_cgLtzRjwzP', 'key', 'pets:read', 1795617822405, 253402300799999, NULL, NULL, 1795617780000, NULL, NULL);
INSERT INTO api_keys (digest, id, account_id, name, scopes, created_at, expires_at, ban_until, ban_level, last_used_at, ban_since, successor) VALUES ('bbUS8gvrRR2gGSGtuIMiXjFVdjYtWRG9VANCiYcQcqw', 'key_QMinMk1y3TbbUS8gvrRR2g', 'acc_QMinMk1y3T', 'key', 'pets:read,pets:write', 1795617793060, 253402300799999, NULL, NULL, 1795617780000, NULL, NULL);
INSERT INTO usage (account_id, windows) VALUES ('acc_QMinMk1y3T', '{"minutes":[[29926963,1]],"days":[[20782,1]]}');
INSERT INTO usage (account_id, windows) VALUES ('acc_cgLtzRjwzP', '{"minutes":[[29926963,60]],"days":[[20782,60]]}');
INSERT INTO projects (id, account_id, name, token, created_at, current_deployment_id, configuration) VALUES ('prj_6UpZHn5qud', 'acc_QMinMk1y3T', 'Site', 'vvf8eyzqpw3e99u9', 1795617794815, 'dpl_1ObLjgoZxq', '{"domains":{"redirects":[]}}');
INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ('dpl_1ObLjgoZxq', 'prj_6UpZHn5qud', 1795617795304, 1, 26);
INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ('dpl_gB6Lap5sGv', 'prj_6UpZHn5qud', 1795617794815, 2, 70762);
INSERT INTO domains (id, host, project_id, proved_host, active_host, wake_at, body, waited_for) VALUES ('dom_6JkzfK7bDv', 'www.later.test', 'prj_6UpZHn5qud', NULL, 'www.later.test', NULL, '{"id":"dom_6JkzfK7bDv","host":"www.later.test","projectId":"prj_6UpZHn5qud","accountId":"acc_QMinMk1y3T","createdAt":1795617797138,"generation":0,"state":{"name":"awaiting_dns","since":1795617797138},"history":[{"state":"awaiting_dns","at":1795617797138}]}', 0);
INSERT INTO domains (id, host, project_id, proved_host, active_host, wake_at, body, waited_for) VALUES ('dom_rNgct4U2gj', 'www.shop.test', 'prj_6UpZHn5qud', 'www.shop.test', 'www.shop.test', 1795704196693, '{"id":"dom_rNgct4U2gj","host":"www.shop.test","projectId":"prj_6UpZHn5qud","accountId":"acc_QMinMk1y3T","createdAt":1795617795563,"generation":1,"state":{"name":"live","since":1795617796693,"certificate":"development:dom_rNgct4U2gj-g1","misses":0,"nextCheckAt":1795704196693},"history":[{"state":"awaiting_dns","at":1795617795563},{"state":"verifying","at":1795617796364},{"state":"verified","at":1795617796647},{"state":"certificate_pending","at":1795617796667},{"state":"attaching","at":1795617796668},{"state":"live","at":1795617796693}],"published":true}', 0);
INSERT INTO certificates (reference, host, chain, private_key, not_after, not_before) VALUES ('development:dom_rNgct4U2gj-g1', 'www.shop.test', 'PEM', 'PEM', 1803393796658, 1795614196658);
INSERT INTO edge_map (host, project_id, certificate) VALUES ('www.shop.test', 'prj_6UpZHn5qud', 'development:dom_rNgct4U2gj-g1');
INSERT INTO sandbox_records (name, type, value, ttl, account_id) VALUES ('www.shop.test', 'CNAME', 'vvf8eyzqpw3e99u9.edge.petstore.test', 3600, 'acc_QMinMk1y3T');
INSERT INTO members (user_id, account_id) VALUES ('usr_aNqVZuWN0PNwOtR5', 'acc_QMinMk1y3T');
INSERT INTO members (user_id, account_id) VALUES ('usr_qH92IYWD04Zl36Gh', 'acc_S6Yw4oJVJ6');
INSERT INTO users (id, email, password, session_generation) VALUES ('usr_aNqVZuWN0PNwOtR5', 'ann@example.com', '8d1f9bf3a1f41d21ac8c4a26f8497024$888446869826a8af4742bb51d3c6f0ed6d3be1f0d7911810bd70301e18c805b0', 0);
INSERT INTO users (id, email, password, session_generation) VALUES ('usr_qH92IYWD04Zl36Gh', 'demo@petstore.test', '0faf811dcb0c281184562bbe29c1be57$ad6c14c337b0b9528240810cf3dbb81a9a3908eb53272291c1794536c5caf90d', 0);
INSERT INTO refusals (account_id, day, count) VALUES ('acc_cgLtzRjwzP', 20782, 4);
PRAGMA user_version = 14;
