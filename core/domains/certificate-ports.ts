// Storage ports for the certificates that the service orders itself: for issued certificates, and for the state that an ACME client must persist.

import type { Awaitable } from '../ports.ts';
import type { AttemptFailure } from './domain.ts';
import type { RenewalWindow } from './renewal.ts';

export interface StoredCertificate {
  readonly host: string;
  /** PEM: the leaf certificate followed by its issuers. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The authority that issued it; undefined if no longer known. */
  readonly authority: string | undefined;
}

/** What the authority says about a certificate's renewal (RFC 9773). */
export interface StoredRenewal {
  readonly window: RenewalWindow | undefined;
  /** When to query the authority again, in milliseconds since 1970. */
  readonly askAgainAt: number;
}

/** Every method rejects or throws StoreFault. */
export interface CertificateVault {
  /** Returns a certificate; undefined if there is none. */
  get(reference: string): Awaitable<StoredCertificate | undefined>;
  /** Stores a certificate, unless there is one with this reference. */
  put(reference: string, certificate: StoredCertificate): Awaitable<void>;
  /** Returns what the authority last said about a certificate's renewal; undefined if it has not been queried yet. */
  renewal(reference: string): Awaitable<StoredRenewal | undefined>;
  /** Stores what the authority says about a certificate's renewal; does nothing if there is no such certificate. */
  putRenewal(reference: string, renewal: StoredRenewal): Awaitable<void>;
  /** Copies the certificate that expires last among those whose references start with the prefix, in case its host is added again. */
  keep(prefix: string): Awaitable<void>;
  /** Returns the certificate kept for a host; undefined if there is none. */
  kept(host: string): Awaitable<StoredCertificate | undefined>;
  /** Deletes the certificates whose references start with the prefix, except one. */
  deleteAll(prefix: string, except: string | undefined): Awaitable<void>;
}

export interface StoredOrder {
  readonly reference: string;
  readonly host: string;
  /** The private key for the future certificate, PEM. */
  readonly privateKey: string;
  /** The order's URL at the authority; undefined until the order has been created. */
  readonly url: string | undefined;
  /** The reference of the certificate that the new one replaces. */
  readonly replaces: string | undefined;
  /** Why the order failed; undefined unless it has. */
  readonly failure: AttemptFailure | undefined;
}

/** An account with an authority. */
export interface StoredAccount {
  /** PEM. */
  readonly privateKey: string;
  /** Undefined until the account is registered. */
  readonly url: string | undefined;
  /** The time until which the authority accepts no new orders, in milliseconds since 1970. */
  readonly pausedUntil: number | undefined;
  /** Why the authority refuses the account; undefined while it does not. */
  readonly refused: string | undefined;
}

/** Every method rejects or throws StoreFault. */
export interface AcmeOrders {
  /** Returns the account with this directory; undefined if there is none yet. */
  account(directory: string): Awaitable<StoredAccount | undefined>;
  /** Stores an account unless the directory already has one. @returns the stored account */
  addAccount(directory: string, privateKey: string): Awaitable<StoredAccount>;
  /** Changes the account with this directory; omitted values stay as they are. */
  updateAccount(directory: string, change: Partial<StoredAccount>): Awaitable<void>;
  /** Returns an order; undefined if there is none. */
  get(reference: string): Awaitable<StoredOrder | undefined>;
  /** Stores an order, unless there is one with this reference. */
  keep(order: StoredOrder): Awaitable<void>;
  /** Claims the order for this process until `release`; if the process dies, for up to a minute. Returns false if another process has it. */
  claim(reference: string): Awaitable<boolean>;
  /** Releases a claimed order; does nothing if another process has it. */
  release(reference: string): Awaitable<void>;
  /** Changes an order; omitted values stay as they are. */
  update(reference: string, change: Partial<Pick<StoredOrder, 'url' | 'failure' | 'privateKey'>>): Awaitable<void>;
  /** Deletes an order, and the challenge responses for its host. */
  forget(reference: string): Awaitable<void>;
  /** Deletes all orders whose references start with the prefix, except one. */
  deleteAll(prefix: string, except: string | undefined): Awaitable<void>;
  /** Records that an order failed. @param order.reference its URL, if it has one; repeated calls with the same reference count once */
  recordFailure(order: Pick<StoredOrder, 'reference' | 'host'>, now: number): Awaitable<void>;
  /** Returns the times after `since` at which orders for a host failed, in milliseconds since 1970, oldest first. */
  failuresSince(host: string, since: number): Awaitable<readonly number[]>;
  /** Stores the response to a challenge, replacing an earlier one. */
  keepChallenge(host: string, token: string, answer: string): Awaitable<void>;
  /** Returns the response to a challenge for this host; undefined if there is none. */
  challenge(host: string, token: string): Awaitable<string | undefined>;
  /** Returns all responses for this host. */
  answersOf(host: string): Awaitable<readonly string[]>;
}
