// Storage ports for the catalogue. A storage failure rejects with StoreFault (core/refusal.ts), as in every store port.

import { DAY_MS } from '../limits/windows.ts';
import type { PetStatus } from './fields.ts';
import type { Pet } from './pet.ts';

/** Makes a creation safe to repeat. */
export interface Idempotency {
  /** The key's namespace, because two owners may use the same key. */
  readonly owner: string;
  readonly key: string;
  /** Identifies the body. */
  readonly fingerprint: string;
  /** Milliseconds since 1970; the key can be used again from then on. */
  readonly expiresAt: number;
  /**
   * Whether repeating the creation moves the expiry of its record to the repetition's `expiresAt`; a store may move the expiry of all of the owner's
   * records. The key alone then identifies the body, so a store need not compare fingerprints. @default false
   */
  readonly renewable?: boolean;
}

/** How long an imported line is remembered after its source was last imported, in milliseconds. */
export const IMPORT_KEPT_MS = 30 * DAY_MS;

export interface Creation {
  readonly pet: Pet;
  readonly idempotency?: Idempotency | undefined;
}

export type CreateResult =
  | { readonly kind: 'created' }
  /** Another animal has this id; nothing was written. */
  | { readonly kind: 'id_taken'; readonly holder: Pet }
  /** The idempotency key was used with the same fingerprint; this is the animal it created. */
  | { readonly kind: 'replayed'; readonly pet: Pet }
  /** The idempotency key was used with a different fingerprint. */
  | { readonly kind: 'key_reused' }
  /** A creation with this idempotency key is in progress. */
  | { readonly kind: 'in_progress' };

export interface PetStore {
  /**
   * Stores an animal, if its id is free, together with its idempotency record: both or neither. Once it resolves, the animal survives a crash of the
   * process and of the machine. Of concurrent creations with one idempotency key, exactly one is `created`.
   *
   * @param now milliseconds since 1970; decides which idempotency records have expired
   */
  create(creation: Creation, now: number): Promise<CreateResult>;
  /**
   * Like `create` for each animal, in any order; returns results in the order given. After a fault, some may have been created; repeating is safe if
   * the creations have idempotency records or fixed ids.
   */
  createAll(creations: readonly Creation[], now: number): Promise<readonly CreateResult[]>;
  /** Returns an animal. Sees every creation that has resolved. */
  get(id: number): Promise<Pet | undefined>;
  /**
   * Returns animals with an id above `after`, in ascending order, at most `limit` (1 to 1,000). Without a filter, the result includes every creation
   * that has resolved; with a filter, it may lag slightly. The cost does not grow with the catalogue.
   */
  list(query: { readonly after: number; readonly status: PetStatus | undefined; readonly limit: number }): Promise<readonly Pet[]>;
  /** Removes an animal. Idempotency records still refer to it, so a repetition of its creation is `replayed`. Returns false if there is none. */
  remove(id: number): Promise<boolean>;
}
