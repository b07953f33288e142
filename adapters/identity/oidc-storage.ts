// The embedded OpenID provider's data about signed-in users, stored through oidc-provider's "adapter" interface so that a restart ends no session. An
// id is enough to act as its user, so only its digest is stored: a copy of the file is not enough to sign in.

import { createHash } from 'node:crypto';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { FairMap } from '../../core/bounded-map.ts';
import type { ProviderRecord, ProviderStore, UserStore } from '../../core/identity/ports.ts';
import type { Awaitable } from '../../core/ports.ts';

/** The dashboard's client id. */
export const DASHBOARD = 'dashboard';
/** Models that carry the generation of the user's sessions, as `acr`. */
const BEARERS = ['Session', 'AuthorizationCode', 'RefreshToken'];

/** Maximum number of rows of each model per user: more than anyone needs, and too few to fill the disk. Beyond that, the oldest row is deleted. */
const KEPT: Readonly<Record<string, number>> = { Session: 20, Grant: 20, AuthorizationCode: 10, RefreshToken: 20 };
/** Maximum number of used refresh tokens stored per user. If one is sent again, it was stolen, so its grant is ended. */
const KEPT_USED = 50;

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
  /** Whether the session with this id (the digest of its grant) has ended. */
  readonly isEnded: (sessionId: string) => Awaitable<boolean>;
  /** Ends the session of a grant that the provider revokes, and revokes everything issued for it. */
  readonly endGrant: (grantId: string) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates oidc-provider's adapter factory. */
export function createOidcStorage(
  store: ProviderStore,
  users: Pick<UserStore, 'sessionGeneration'>,
  { sender, isEnded, endGrant, clock }: OidcStorageOptions,
): (model: string) => Adapter {
  const payloadOf = (found: Pick<ProviderRecord, 'payload' | 'expiresAt'> | undefined): AdapterPayload | undefined =>
    found === undefined || (found.expiresAt !== undefined && found.expiresAt <= clock()) ? undefined : JSON.parse(found.payload);

  return (model) => {
    const anonymous = createAnonymousStorage(clock);
    // All other models are created only after sign-in.
    const isAnonymous = (payload: AdapterPayload) => model === 'Interaction' || (model === 'Session' && payload.accountId === undefined);
    // Requests in progress while a user's sessions are ended may still store something afterwards, so deleting is not enough.
    const current = async (payload: AdapterPayload | undefined) => {
      if (payload?.accountId === undefined || !BEARERS.includes(model)) return payload;
      if (payload.acr !== (await users.sessionGeneration(payload.accountId))) return undefined;
      for (const id of grantsOf(payload)) if (await isEnded(digestOf(id))) return undefined;
      return payload;
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
        const { accountId: userId, grantId, uid } = payload;
        const expiresAt = expiresInSeconds === undefined ? undefined : clock() + expiresInSeconds * 1_000;
        const agent = model === 'Grant' ? sender().agent : undefined;
        const kept = userId === undefined || KEPT[model] === undefined ? undefined : KEPT[model] - 1;
        // Recorded here rather than with each request, because tokens are renewed every few minutes.
        const renewed = model === 'RefreshToken' && grantId !== undefined ? digestOf(grantId) : undefined;
        await store.put({ model, id: digest, grantId, uid, userId, expiresAt, payload: stored(payload), agent }, clock(), { kept, renewed });
      },
      find: async (id) => ofSender(anonymous.get(id)) ?? withId(id, await current(payloadOf(await store.find(model, digestOf(id))))),
      // The result lacks the id, which only its bearer knows. The library needs no id, because it only reads what it finds by uid.
      findByUid: async (uid) => anonymous.getByUid(uid) ?? (await current(payloadOf(await store.findByUid(model, uid)))),
      // Used only by the device flow, which is disabled.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const digest = digestOf(id);
        const payload = payloadOf(await store.find(model, digest));
        if (payload === undefined) throw new errors.InvalidGrant('already used');
        // The nonce was only needed for the tokens already issued.
        const { nonce: _, ...rest } = payload;
        const used = { model, id: digest, userId: payload.accountId, payload: stored({ ...rest, consumed: Math.floor(clock() / 1_000) }) };
        if (payload.consumed === undefined && (await store.consume(used, KEPT_USED - 1))) return;
        // The library calls this for each of several simultaneous requests. The first uses the token; the others show that several senders have it.
        if (payload.grantId !== undefined) await endGrant(payload.grantId);
        throw new errors.InvalidGrant('already used');
      },
      destroy: async (id) => {
        if (anonymous.delete(id)) return;
        await store.remove(model, digestOf(id));
      },
      revokeByGrantId: endGrant,
    };
  };
}

/** Returns the grants that a bearer depends on: for a browser's session, only the dashboard's, because the command line's may end separately. */
function grantsOf({ grantId, authorizations }: AdapterPayload): readonly string[] {
  return [grantId, authorizations?.[DASHBOARD]?.grantId].filter((id) => id !== undefined);
}

/** Returns the digest that is stored instead of an id. */
export function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Returns the payload as JSON, without `jti`, which is the id itself. */
function stored({ jti: _, ...payload }: AdapterPayload): string {
  return JSON.stringify(payload);
}

function withId(id: string, payload: AdapterPayload | undefined): AdapterPayload | undefined {
  return payload && { ...payload, jti: id };
}

// The provider's data from before sign-in: sign-in attempts, and sessions without a user. It is held in memory, so that strangers can't fill the
// disk. After a restart, pending sign-ins have to start again.

/** Maximum number of entries of each kind; beyond that, the address group with the most entries loses its oldest entry. */
const KEPT_ANONYMOUS = 5_000;
/** Maximum length of an entry's JSON, in characters. A sign-in attempt has about 1,500. */
const MAX_LENGTH = 8_192;

/** Creates the storage for one kind of entry. @param clock milliseconds since 1970 */
function createAnonymousStorage(clock: () => number) {
  const kept = new FairMap<string, { readonly text: string; readonly expiresAt: number }>(KEPT_ANONYMOUS);
  const ids = new FairMap<string, string>(KEPT_ANONYMOUS);
  const get = (id: string): AdapterPayload | undefined => {
    const entry = kept.get(id);
    return entry === undefined || entry.expiresAt <= clock() ? undefined : JSON.parse(entry.text);
  };
  return {
    /** Stores an entry. @param group address group of the client @throws InvalidRequest if the entry is larger than any legitimate one */
    set: (group: string, id: string, payload: AdapterPayload, expiresInSeconds = Number.POSITIVE_INFINITY): void => {
      const text = JSON.stringify(payload);
      if (text.length > MAX_LENGTH) throw new errors.InvalidRequest('the request is too large');
      kept.set(group, id, { text, expiresAt: clock() + expiresInSeconds * 1_000 });
      if (payload.uid !== undefined) ids.set(group, payload.uid, id);
    },
    get,
    getByUid: (uid: string) => {
      const id = ids.get(uid);
      return id === undefined ? undefined : get(id);
    },
    /** @returns false if it did not exist */
    delete: (id: string) => kept.delete(id),
  };
}
