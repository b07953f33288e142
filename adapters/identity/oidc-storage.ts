// The embedded OpenID provider's data about signed-in users, in SQLite, so that a restart ends no session. The interface is oidc-provider's (its
// documentation, "adapter"). The id of a session, code or token is enough to act as its user, so only its digest is stored: a copy of the file lets
// no one sign in.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { UserStore } from '../../core/identity/ports.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction, written } from '../store/sqlite/transaction.ts';
import { createAnonymousStorage } from './anonymous-storage.ts';

/** Id of the client that is the dashboard. */
export const DASHBOARD = 'dashboard';
/** Models that carry the generation of the user's sessions, as `acr`. */
const BEARERS = ['Session', 'AuthorizationCode', 'RefreshToken'];

/**
 * Limits per user for each model: more than anyone needs, and few enough that no one can fill the disk. Beyond the limit, the oldest row is
 * deleted.
 */
const KEPT: Readonly<Record<string, number>> = { Session: 20, Grant: 20, AuthorizationCode: 10, RefreshToken: 20 };
/**
 * Maximum number of used refresh tokens stored per user. If one is sent again, either the sender or the earlier user has stolen it, so its grant
 * ends.
 */
const KEPT_USED = 50;

/** Maximum number of expired rows that one write deletes. */
const CLEAR_AT_ONCE = 100;

/** Who sends a request. */
export interface Sender {
  readonly addressGroup: string;
  /** The browser in words. */
  readonly agent: string;
  /** Id of the browser. */
  readonly browser: string;
}

/** A sign-in attempt, with the browser that began it. */
type Attempt = AdapterPayload & { readonly browser?: string };

export interface OidcStorageOptions {
  /** Returns who sends the current request. */
  readonly sender: () => Sender;
  /** Whether the session with this id, the digest of its grant, has ended. */
  readonly isEnded: (sessionId: string) => boolean;
  /** Ends the session of a grant that the provider revokes, with everything that was issued for it. */
  readonly endGrant: (grantId: string) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Creates oidc-provider's adapter factory.
 */
export function createOidcStorage(
  database: DatabaseSync,
  users: Pick<UserStore, 'sessionGeneration'>,
  { sender, isEnded, endGrant, clock }: OidcStorageOptions,
): (model: string) => Adapter {
  const upsert = database.prepare(
    `INSERT INTO oidc (model, id, grant_id, uid, user_id, expires_at, payload, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET grant_id = excluded.grant_id, uid = excluded.uid, user_id = excluded.user_id, expires_at = excluded.expires_at, payload = excluded.payload`,
  );
  const use = database.prepare("UPDATE oidc SET used_at = ? WHERE model = 'Grant' AND id = ?");
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
  const removeExpired = database.prepare(
    `DELETE FROM oidc WHERE (model, id) IN (SELECT model, id FROM oidc WHERE expires_at < ? LIMIT ${CLEAR_AT_ONCE})`,
  );
  // A model's rows all have the same lifetime, so those stored last expire last.
  const removeSurplus = database.prepare(
    `DELETE FROM oidc WHERE model = ?1 AND id IN (
       SELECT id FROM oidc WHERE user_id = ?2 AND model = ?1 AND id <> ?3 AND (payload ->> 'consumed' IS NOT NULL) = ?4
       ORDER BY expires_at DESC LIMIT -1 OFFSET ?5)`,
  );
  const payloadOf = (row: { payload: string; expires_at: number | null } | undefined): AdapterPayload | undefined =>
    row === undefined || (row.expires_at !== null && row.expires_at <= clock()) ? undefined : JSON.parse(row.payload);

  return (model) => {
    const anonymous = createAnonymousStorage(clock);
    // All other models are created only after sign-in.
    const isAnonymous = (payload: AdapterPayload) => model === 'Interaction' || (model === 'Session' && payload.accountId === undefined);
    // Requests in progress while a user's sessions are ended may still store something afterwards, so deleting is not enough.
    const current = (payload: AdapterPayload | undefined) => {
      if (payload?.accountId === undefined || !BEARERS.includes(model)) return payload;
      const isOver = payload.acr !== users.sessionGeneration(payload.accountId) || grantsOf(payload).some((id) => isEnded(digestOf(id)));
      return isOver ? undefined : payload;
    };
    const ofSender = (attempt: Attempt | undefined) => {
      if (attempt === undefined) return undefined;
      const { browser = sender().browser, ...payload } = attempt;
      return browser === sender().browser ? payload : undefined;
    };
    return {
      upsert: async (id, payload, expiresInSeconds) => {
        if (isAnonymous(payload)) {
          const { addressGroup, browser } = sender();
          return anonymous.set(addressGroup, id, model === 'Interaction' ? { ...payload, browser } : payload, expiresInSeconds);
        }
        anonymous.delete(id);
        const digest = digestOf(id);
        const { accountId } = payload;
        const kept = KEPT[model];
        const expiresAt = expiresInSeconds === undefined ? null : clock() + expiresInSeconds * 1_000;
        await transaction(database, () => {
          removeExpired.run(clock());
          upsert.run(
            model,
            digest,
            payload.grantId ?? null,
            payload.uid ?? null,
            accountId ?? null,
            expiresAt,
            stored(payload),
            model === 'Grant' ? sender().agent : null,
          );
          // Here and not with each request: tokens are renewed every few minutes.
          if (model === 'RefreshToken' && payload.grantId !== undefined) use.run(clock(), digestOf(payload.grantId));
          if (accountId !== undefined && kept !== undefined) removeSurplus.run(model, accountId, digest, 0, kept - 1);
        });
      },
      find: async (id) => ofSender(anonymous.get(id)) ?? guarded(() => withId(id, current(payloadOf(select.one(model, digestOf(id)))))),
      // Stored without the id, which only its bearer knows; the library only reads entries that it finds by id.
      findByUid: async (uid) => anonymous.getByUid(uid) ?? guarded(() => current(payloadOf(selectByUid.one(model, uid)))),
      // Belongs to the device flow, which is disabled.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const digest = digestOf(id);
        const payload = guarded(() => payloadOf(select.one(model, digest)));
        // Of several requests at once, the library sends all here: the first uses it, and the others show that more than one sender has it.
        if (payload?.consumed !== undefined && payload.grantId !== undefined) await endGrant(payload.grantId);
        if (payload === undefined || payload.consumed !== undefined) throw new errors.InvalidGrant('already used');
        // The nonce was only needed for the tokens already issued.
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
      revokeByGrantId: endGrant,
    };
  };
}

/** The grants without which a bearer is nothing. A browser's session is the dashboard's; the command line's grant may end alone. */
function grantsOf({ grantId, authorizations }: AdapterPayload): readonly string[] {
  return [grantId, authorizations?.[DASHBOARD]?.grantId].filter((id) => id !== undefined);
}

/** What is stored of an id. */
export function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** The payload as JSON without `jti`, which is the id itself. */
function stored({ jti: _, ...payload }: AdapterPayload): string {
  return JSON.stringify(payload);
}

function withId(id: string, payload: AdapterPayload | undefined): AdapterPayload | undefined {
  return payload && { ...payload, jti: id };
}
