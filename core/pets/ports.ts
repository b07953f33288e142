// What the catalogue needs of storage. A storage failure rejects with StoreFault (core/store-fault.ts), as in every port of a store.

import type { PetStatus } from './fields.ts';
import type { Pet } from './pet.ts';

/** Makes a creation safe to repeat. */
export interface Idempotency {
  /** Whose keys these are: two owners may use the same key. */
  readonly owner: string;
  readonly key: string;
  /** Tells bodies apart. */
  readonly fingerprint: string;
  /** Milliseconds since 1970; from then on the key is free again. */
  readonly expiresAt: number;
}

export interface Creation {
  readonly pet: Pet;
  readonly idempotency?: Idempotency | undefined;
}

export type CreateResult =
  | { readonly kind: 'created' }
  /** Another animal has this id; nothing was written. */
  | { readonly kind: 'id_taken'; readonly holder: Pet }
  /** The idempotency key was used with the same fingerprint: the animal that was made then. */
  | { readonly kind: 'replayed'; readonly pet: Pet }
  /** The idempotency key was used with another fingerprint. */
  | { readonly kind: 'key_reused' }
  /** A creation with this idempotency key is under way. */
  | { readonly kind: 'in_progress' };

export interface PetStore {
  /**
   * Stores an animal if its id is free, and its idempotency record with it, in one step: both or neither. Once it
   * resolves, the animal survives a crash of the process and of the machine. Of concurrent creations with one
   * idempotency key exactly one is `created`.
   *
   * @param now milliseconds since 1970: which idempotency records have expired
   */
  create(creation: Creation, now: number): Promise<CreateResult>;
  /** As `create` for each, in any order; results in the order given. A fault may leave some created: repeat is safe with idempotency or given ids. */
  createAll(creations: readonly Creation[], now: number): Promise<readonly CreateResult[]>;
  /** Sees every animal whose creation has resolved. */
  get(id: number): Promise<Pet | undefined>;
  /**
   * Animals with an id above `after`, id ascending, at most `limit` (1 to 1,000). Without a filter it sees every creation
   * that has resolved; with one it may lag by moments. Cost does not grow with the catalogue.
   */
  list(query: { readonly after: number; readonly status: PetStatus | undefined; readonly limit: number }): Promise<readonly Pet[]>;
}
