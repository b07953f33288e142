// Limits how many certificates are ordered. An authority limits what an installation may order; without a budget, one owner who adds and removes
// names all day would use up the limits that all accounts share. Budgets are token buckets, as Let's Encrypt's own limits are: each order takes a
// token from each of its buckets, and tokens are refilled one at a time.
//
// Let's Encrypt allows (letsencrypt.org/docs/rate-limits, 2026-11): 300 new orders per account in 3 hours; 50 certificates in 7 days per
// registered domain, except renewals; a name that a provider assigns to a customer counts as a registered domain (publicsuffix.org, both sections).
// In any period, a bucket allows its size plus the tokens that are refilled meanwhile.

import { HOUR_MS, MINUTE_MS } from '../limits/windows.ts';
import { ownersDomain } from './host-name.ts';
import type { OrderBucket, OrderLimiter } from './ports.ts';

/** `first`: a domain without a certificate. `own_address`: a project's own address. `renewal`: a name that has a certificate. */
export type OrderPurpose = 'first' | 'own_address' | 'renewal';

export interface Order {
  readonly host: string;
  /** The account whose budget the order uses. */
  readonly accountId: string;
  readonly purpose: OrderPurpose;
  /** Whether the authority limits the number of certificates below a registered domain, as Let's Encrypt does. @default true */
  readonly isLimitedByDomain?: boolean | undefined;
}

/** Allows 280 orders in 3 hours. */
const ALL = { size: 100, refillMs: MINUTE_MS };
/** Allows 180 orders in 3 hours, which leaves 100 for renewals. */
const NOT_RENEWALS = { size: 60, refillMs: 1.5 * MINUTE_MS };
/** Allows 116 orders in a day, enough for all domains of the Pro plan. */
const OF_ACCOUNT = { size: 20, refillMs: 15 * MINUTE_MS };
/** Allows 20 orders in a day. */
const OWN_ADDRESSES_OF_ACCOUNT = { size: 10, refillMs: 2.4 * HOUR_MS };
/** Allows 49 orders in 7 days. */
const BELOW_REGISTERED_DOMAIN = { size: 25, refillMs: 7 * HOUR_MS };

/**
 * Takes an order's tokens.
 *
 * @param limiter undefined if nothing is limited
 * @returns the time at which the order may be made, in milliseconds since 1970, as is `now`; undefined if it may be made now
 */
export async function takeOrder(limiter: OrderLimiter | undefined, order: Order, now: number): Promise<number | undefined> {
  return limiter?.take(bucketsOf(order), now);
}

/** Returns the buckets that an order takes tokens from. */
export function bucketsOf({ host, accountId, purpose, isLimitedByDomain = true }: Order): readonly OrderBucket[] {
  const all = { key: 'all', ...ALL };
  if (purpose === 'renewal') return [all];
  return [
    all,
    { key: 'not renewals', ...NOT_RENEWALS },
    { key: `account ${accountId}`, ...OF_ACCOUNT },
    ...(purpose === 'own_address' ? [{ key: `own addresses ${accountId}`, ...OWN_ADDRESSES_OF_ACCOUNT }] : []),
    ...(isLimitedByDomain ? [{ key: `below ${ownersDomain(host)}`, ...BELOW_REGISTERED_DOMAIN }] : []),
  ];
}

/** The result of taking a token: when the bucket will be full or, if it was empty, when it gets its next token. In milliseconds since 1970. */
export type Taken = { readonly kind: 'taken'; readonly fullAt: number } | { readonly kind: 'empty'; readonly until: number };

/**
 * Takes a token; times are in milliseconds since 1970.
 *
 * @param fullAt when the bucket would be full again; undefined if it is full; a time too far ahead was stored while the clock was wrong
 */
export function takeToken({ size, refillMs }: OrderBucket, fullAt: number | undefined, now: number): Taken {
  const emptiest = now + size * refillMs;
  const isWrong = fullAt !== undefined && fullAt > emptiest + size * refillMs;
  const next = (isWrong ? now : Math.min(Math.max(fullAt ?? now, now), emptiest)) + refillMs;
  return next <= emptiest ? { kind: 'taken', fullAt: next } : { kind: 'empty', until: next - size * refillMs };
}
