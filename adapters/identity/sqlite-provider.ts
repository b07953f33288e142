// The embedded OpenID provider's data about signed-in users, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { ProviderStore } from '../../core/identity/ports.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction, written } from '../store/sqlite/transaction.ts';

/** Maximum number of expired rows that one write deletes. */
const CLEAR_AT_ONCE = 100;

interface Row {
  readonly payload: string;
  readonly expires_at: number | null;
}

/** Creates the store. */
export function createSqliteProviderStore(database: DatabaseSync): ProviderStore {
  const upsert = database.prepare(
    `INSERT INTO oidc (model, id, grant_id, uid, user_id, expires_at, payload, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET grant_id = excluded.grant_id, uid = excluded.uid, user_id = excluded.user_id, expires_at = excluded.expires_at, payload = excluded.payload`,
  );
  const use = database.prepare("UPDATE oidc SET used_at = ? WHERE model = 'Grant' AND id = ?");
  const select = prepareSelect<Row>(database, 'SELECT payload, expires_at FROM oidc WHERE model = ? AND id = ?');
  const selectByUid = prepareSelect<Row>(database, 'SELECT payload, expires_at FROM oidc WHERE model = ? AND uid = ?');
  const consume = database.prepare("UPDATE oidc SET payload = ? WHERE model = ? AND id = ? AND payload ->> 'consumed' IS NULL");
  const remove = database.prepare('DELETE FROM oidc WHERE model = ? AND id = ?');
  const removeExpired = database.prepare(
    `DELETE FROM oidc WHERE (model, id) IN (SELECT model, id FROM oidc WHERE expires_at < ? LIMIT ${CLEAR_AT_ONCE})`,
  );
  // A model's rows all have the same lifetime, so those stored last expire last.
  const removeSurplus = database.prepare(
    `DELETE FROM oidc WHERE model = ?1 AND id IN (
       SELECT id FROM oidc WHERE user_id = ?2 AND model = ?1 AND id <> ?3 AND (payload ->> 'consumed' IS NOT NULL) = ?4
       ORDER BY expires_at DESC LIMIT -1 OFFSET ?5)`,
  );
  const found = (row: Row | undefined) => row && { payload: row.payload, expiresAt: row.expires_at ?? undefined };
  return {
    put: ({ model, id, grantId = null, uid = null, userId = null, expiresAt = null, payload, agent = null }, now, { kept, renewed }) =>
      transaction(database, () => {
        removeExpired.run(now);
        upsert.run(model, id, grantId, uid, userId, expiresAt, payload, agent);
        if (renewed !== undefined) use.run(now, renewed);
        if (kept !== undefined) removeSurplus.run(model, userId, id, 0, kept);
      }),
    find: (model, id) => guarded(() => found(select.one(model, id))),
    findByUid: (model, uid) => guarded(() => found(selectByUid.one(model, uid))),
    consume: ({ model, id, userId, payload }, kept) =>
      transaction(database, () => {
        if (consume.run(payload, model, id).changes !== 1) return false;
        if (userId !== undefined) removeSurplus.run(model, userId, id, 1, kept);
        return true;
      }),
    remove: (model, id) => written(() => void remove.run(model, id)),
  };
}
