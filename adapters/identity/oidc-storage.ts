// What the embedded OpenID provider keeps of those who are signed in, in SQLite: a restart ends no session. The interface is
// oidc-provider's own (its documentation, "adapter"). Who has the id of a session, a code or a token is signed in by it, so only its digest
// rests: a copy of the file signs nobody in.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { UserStore } from '../../core/identity/ports.ts';
import { guarded, transaction, written } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
import { createAnonymousStorage } from './anonymous-storage.ts';

/** What carries the generation of the user's sessions, as its `acr`. */
const BEARERS = ['Session', 'AuthorizationCode', 'RefreshToken'];

/**
 * Of each kind, and of each user: nobody is signed in in so many places, and nobody fills the disk with them. Beyond that the one that was
 * stored longest ago goes.
 */
const KEPT: Readonly<Record<string, number>> = { Session: 20, Grant: 20, AuthorizationCode: 10, RefreshToken: 20 };
/** Refresh tokens of a user that were used already: who sends one of them again has stolen it, or was stolen from, and its grant ends. */
const KEPT_USED = 50;

/**
 * @param addressGroup of the request under way
 * @param clock milliseconds since 1970
 */
export function createOidcStorage(
  database: DatabaseSync,
  users: Pick<UserStore, 'sessionGeneration'>,
  addressGroup: () => string,
  clock: () => number,
): (model: string) => Adapter {
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO oidc (model, id, grant_id, uid, user_id, expires_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
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
  // What was stored last ends last.
  const removeSurplus = database.prepare(
    `DELETE FROM oidc WHERE model = ?1 AND id IN (
       SELECT id FROM oidc WHERE user_id = ?2 AND model = ?1 AND id <> ?3 AND (payload ->> 'consumed' IS NOT NULL) = ?4
       ORDER BY expires_at DESC LIMIT -1 OFFSET ?5)`,
  );
  const payloadOf = (row: { payload: string; expires_at: number | null } | undefined): AdapterPayload | undefined =>
    row === undefined || (row.expires_at !== null && row.expires_at <= clock()) ? undefined : JSON.parse(row.payload);

  return (model) => {
    const anonymous = createAnonymousStorage(clock);
    // Everything else comes after a sign-in.
    const isAnonymous = (payload: AdapterPayload) => model === 'Interaction' || (model === 'Session' && payload.accountId === undefined);
    // What was under way when the user's sessions were ended may be stored afterwards, so that deleting them is not enough.
    const current = (payload: AdapterPayload | undefined) =>
      payload?.accountId !== undefined && BEARERS.includes(model) && payload.acr !== users.sessionGeneration(payload.accountId) ? undefined : payload;
    return {
      upsert: async (id, payload, expiresInSeconds) => {
        if (isAnonymous(payload)) return anonymous.set(addressGroup(), id, payload, expiresInSeconds);
        anonymous.delete(id);
        const digest = digestOf(id);
        const { accountId } = payload;
        const kept = KEPT[model];
        const expiresAt = expiresInSeconds === undefined ? null : clock() + expiresInSeconds * 1_000;
        await transaction(database, () => {
          removeExpired.run(clock());
          upsert.run(model, digest, payload.grantId ?? null, payload.uid ?? null, accountId ?? null, expiresAt, stored(payload));
          if (accountId !== undefined && kept !== undefined) removeSurplus.run(model, accountId, digest, 0, kept - 1);
        });
      },
      find: async (id) => anonymous.get(id) ?? guarded(() => withId(id, current(payloadOf(select.one(model, digestOf(id)))))),
      // Without the id, which nobody knows but its bearer: the library only reads what it finds so.
      findByUid: async (uid) => anonymous.getByUid(uid) ?? guarded(() => current(payloadOf(selectByUid.one(model, uid)))),
      // Of the device flow, which is switched off.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const digest = digestOf(id);
        // Good for a minute, and for nobody without the verifier (RFC 7636): a used one tells nothing.
        if (model === 'AuthorizationCode') return written(() => void remove.run(model, digest));
        const payload = guarded(() => payloadOf(select.one(model, digest)));
        if (payload === undefined) return;
        // Its nonce was for the tokens that it gave.
        const { nonce: _, ...rest } = payload;
        await transaction(database, () => {
          update.run(stored({ ...rest, consumed: Math.floor(clock() / 1_000) }), model, digest);
          if (payload.accountId !== undefined) removeSurplus.run(model, payload.accountId, digest, 1, KEPT_USED - 1);
        });
      },
      destroy: async (id) => {
        if (anonymous.delete(id)) return;
        await written(() => void remove.run(model, digestOf(id)));
      },
      revokeByGrantId: async (grantId) => written(() => void removeGrant.run(grantId)),
    };
  };
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** The payload without `jti`, which is the id itself. */
function stored({ jti: _, ...payload }: AdapterPayload): string {
  return JSON.stringify(payload);
}

function withId(id: string, payload: AdapterPayload | undefined): AdapterPayload | undefined {
  return payload && { ...payload, jti: id };
}
