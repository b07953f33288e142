// What the OpenID provider stores about signed-in users, so that a session that was started on one host continues at all of them.

import type { ProviderStore } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';

interface Row {
  readonly payload: string;
  readonly expires_at: bigint | null;
}

/** Maximum number of expired rows that one write deletes. */
const CLEAR_AT_ONCE = 100;

const PUT: Statement = {
  name: 'oidc_put',
  text: `INSERT INTO oidc (model, id, grant_id, uid, user_id, expires_at, payload, agent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (model, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid, user_id = excluded.user_id,
      expires_at = excluded.expires_at, payload = excluded.payload`,
};
const USE: Statement = { name: 'oidc_use', text: "UPDATE oidc SET used_at = $2 WHERE model = 'Grant' AND id = $1" };
const FIND: Statement = { name: 'oidc', text: 'SELECT payload, expires_at FROM oidc WHERE model = $1 AND id = $2' };
const FIND_BY_UID: Statement = { text: 'SELECT payload, expires_at FROM oidc WHERE model = $1 AND uid = $2' };
const CONSUME: Statement = {
  text: "UPDATE oidc SET payload = $3 WHERE model = $1 AND id = $2 AND payload::jsonb ->> 'consumed' IS NULL RETURNING id",
};
const REMOVE: Statement = { text: 'DELETE FROM oidc WHERE model = $1 AND id = $2' };
const REMOVE_EXPIRED: Statement = {
  name: 'oidc_expired',
  text: `DELETE FROM oidc WHERE (model, id) IN (SELECT model, id FROM oidc WHERE expires_at < $1 LIMIT ${CLEAR_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
};
/** All rows of a model have the same lifetime, so those stored last expire last. */
const REMOVE_SURPLUS: Statement = {
  name: 'oidc_surplus',
  text: `DELETE FROM oidc WHERE model = $1 AND id IN (
    SELECT id FROM oidc WHERE user_id = $2 AND model = $1 AND id <> $3 AND (payload::jsonb ->> 'consumed' IS NOT NULL) = $4
    ORDER BY expires_at DESC NULLS FIRST OFFSET $5)`,
};

/** Creates the store. */
export function createSignInStore(database: Database): ProviderStore {
  const found = ([row]: readonly Row[]) => row && { payload: row.payload, expiresAt: row.expires_at === null ? undefined : Number(row.expires_at) };
  return {
    put: ({ model, id, grantId = null, uid = null, userId = null, expiresAt = null, payload, agent = null }, now, { kept, renewed }) =>
      durably(database, async (transaction) => {
        transaction.send(REMOVE_EXPIRED, [now]);
        transaction.send(PUT, [model, id, grantId, uid, userId, expiresAt, payload, agent]);
        if (renewed !== undefined) transaction.send(USE, [renewed, now]);
        if (kept !== undefined) transaction.send(REMOVE_SURPLUS, [model, userId, id, false, kept]);
      }),
    find: async (model, id) => found(await database.query<Row>(FIND, [model, id])),
    findByUid: async (model, uid) => found(await database.query<Row>(FIND_BY_UID, [model, uid])),
    consume: ({ model, id, userId, payload }, kept) =>
      durably(database, async (transaction) => {
        if ((await transaction.query(CONSUME, [model, id, payload])).length === 0) return false;
        if (userId !== undefined) transaction.send(REMOVE_SURPLUS, [model, userId, id, true, kept]);
        return true;
      }),
    remove: async (model, id) => void (await database.query(REMOVE, [model, id])),
  };
}
