// What the embedded OpenID provider keeps of those who are signed in, in SQLite: a restart ends no session. The interface is
// oidc-provider's own (its documentation, "adapter").

import type { DatabaseSync } from 'node:sqlite';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
import { createAnonymousStorage } from './anonymous-storage.ts';

/** @param clock milliseconds since 1970 */
export function createOidcStorage(database: DatabaseSync, clock: () => number): (model: string) => Adapter {
  const upsert = database.prepare('INSERT OR REPLACE INTO oidc (model, id, grant_id, uid, expires_at, payload) VALUES (?, ?, ?, ?, ?, ?)');
  const select = prepareSelect<{ payload: string; expires_at: number | null }>(
    database,
    'SELECT payload, expires_at FROM oidc WHERE model = ? AND id = ?',
  );
  const selectByUid = prepareSelect<{ payload: string; expires_at: number | null }>(
    database,
    'SELECT payload, expires_at FROM oidc WHERE model = ? AND uid = ?',
  );
  const update = database.prepare('UPDATE oidc SET payload = ? WHERE model = ? AND id = ?');
  const remove = database.prepare('DELETE FROM oidc WHERE model = ? AND id = ?');
  const removeGrant = database.prepare('DELETE FROM oidc WHERE grant_id = ?');
  const removeExpired = database.prepare('DELETE FROM oidc WHERE expires_at < ?');
  const payloadOf = (row: { payload: string; expires_at: number | null } | undefined): AdapterPayload | undefined =>
    row === undefined || (row.expires_at !== null && row.expires_at <= clock()) ? undefined : JSON.parse(row.payload);

  return (model) => {
    const anonymous = createAnonymousStorage(clock);
    // Everything else comes after a sign-in.
    const isAnonymous = (payload: AdapterPayload) => model === 'Interaction' || (model === 'Session' && payload.accountId === undefined);
    return {
      upsert: async (id, payload, expiresInSeconds) => {
        if (isAnonymous(payload)) return anonymous.set(id, payload, expiresInSeconds);
        anonymous.delete(id);
        const expiresAt = expiresInSeconds === undefined ? null : clock() + expiresInSeconds * 1_000;
        guarded(() => {
          removeExpired.run(clock());
          upsert.run(model, id, payload.grantId ?? null, payload.uid ?? null, expiresAt, JSON.stringify(payload));
        });
      },
      find: async (id) => anonymous.get(id) ?? guarded(() => payloadOf(select.one(model, id))),
      findByUid: async (uid) => anonymous.getByUid(uid) ?? guarded(() => payloadOf(selectByUid.one(model, uid))),
      // Of the device flow, which is switched off.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const payload = guarded(() => payloadOf(select.one(model, id)));
        if (payload !== undefined) guarded(() => void update.run(JSON.stringify({ ...payload, consumed: Math.floor(clock() / 1_000) }), model, id));
      },
      destroy: async (id) => {
        anonymous.delete(id);
        guarded(() => void remove.run(model, id));
      },
      revokeByGrantId: async (grantId) => guarded(() => void removeGrant.run(grantId)),
    };
  };
}
