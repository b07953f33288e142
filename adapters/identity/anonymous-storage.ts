// The provider's data from before sign-in: sign-in attempts, and sessions without a user. It is held in memory, so that strangers can't fill the
// disk. After a restart, pending sign-ins have to start again.

import { type AdapterPayload, errors } from 'oidc-provider';
import { FairMap } from '../../core/fair-map.ts';

/** Maximum number of entries of each kind; beyond that, the address group with the most entries loses its oldest. */
const KEPT = 5_000;
/** Maximum length of an entry's JSON, in characters. A sign-in attempt has some 1,500. */
const MAX_LENGTH = 8_192;

export interface AnonymousStorage {
  /**
   * Stores an entry.
   *
   * @param group address group of the client
   * @throws InvalidRequest if the entry is larger than any legitimate one
   */
  set(group: string, id: string, payload: AdapterPayload, expiresInSeconds: number | undefined): void;
  get(id: string): AdapterPayload | undefined;
  getByUid(uid: string): AdapterPayload | undefined;
  /** @returns false if it did not exist */
  delete(id: string): boolean;
}

/**
 * Creates the storage for one kind of entry.
 *
 * @param clock milliseconds since 1970
 */
export function createAnonymousStorage(clock: () => number): AnonymousStorage {
  const kept = new FairMap<string, { readonly text: string; readonly expiresAt: number }>(KEPT);
  const ids = new FairMap<string, string>(KEPT);
  const get = (id: string): AdapterPayload | undefined => {
    const entry = kept.get(id);
    return entry === undefined || entry.expiresAt <= clock() ? undefined : JSON.parse(entry.text);
  };
  return {
    set: (group, id, payload, expiresInSeconds = Number.POSITIVE_INFINITY) => {
      const text = JSON.stringify(payload);
      if (text.length > MAX_LENGTH) throw new errors.InvalidRequest('the request is too large');
      kept.set(group, id, { text, expiresAt: clock() + expiresInSeconds * 1_000 });
      if (payload.uid !== undefined) ids.set(group, payload.uid, id);
    },
    get,
    getByUid: (uid) => {
      const id = ids.get(uid);
      return id === undefined ? undefined : get(id);
    },
    delete: (id) => kept.delete(id),
  };
}
