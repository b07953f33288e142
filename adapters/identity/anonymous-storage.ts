// What the provider keeps while nobody is signed in: attempts to sign in, and sessions without a user. It stays in the process, so that
// strangers can't fill the disk; after a restart those who were about to sign in begin anew.

import { type AdapterPayload, errors } from 'oidc-provider';
import { FairMap } from '../../core/fair-map.ts';

/** Of each kind; beyond that the address that has the most loses its oldest. */
const KEPT = 5_000;
/** JSON, in characters. An attempt to sign in has some 1,500. */
const MAX_LENGTH = 8_192;

export interface AnonymousStorage {
  /**
   * @param group of addresses that it comes from
   * @throws InvalidRequest if it is larger than any that is meant to be kept
   */
  set(group: string, id: string, payload: AdapterPayload, expiresInSeconds: number | undefined): void;
  get(id: string): AdapterPayload | undefined;
  getByUid(uid: string): AdapterPayload | undefined;
  /** @returns false if there was none */
  delete(id: string): boolean;
}

/** @param clock milliseconds since 1970 */
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
      if (text.length > MAX_LENGTH) throw new errors.InvalidRequest('the request is larger than allowed');
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
