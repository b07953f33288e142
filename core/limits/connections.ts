// How many connections may be open at a time: in all, so that file descriptors are left for everything else, and of one address, so that no
// client takes all of them.

import { addressGroup } from './address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** An address is one of IPv4, or a /64 of IPv6. */
  readonly perAddress: number;
}

/** Descriptors for the database, name servers and what a deployment uploads. */
const RESERVED_DESCRIPTORS = 512;
/** More would not be served in a time that anybody waits, on one core. */
const MAX_TOTAL = 10_000;
/** The API, custom domains, and a file for each connection of these: one of them at its limit leaves the others' shares alone. */
const SHARES = 3;
/** A report of a limit is followed by none for a minute. */
const REPORT_EVERY_MS = 60_000;

/**
 * The limits of one of the service's listeners.
 *
 * @param descriptors that the process may have open
 * @param perAddress the most of one address, at most half of all
 */
export function connectionLimits(descriptors: number, perAddress: number): ConnectionLimits {
  // Where descriptors are few, half of them are reserved.
  const free = descriptors - Math.min(RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
  const total = Math.max(2, Math.min(MAX_TOTAL, Math.floor(free / SHARES)));
  return { total, perAddress: Math.min(perAddress, Math.floor(total / 2)) };
}

export type Opening =
  | { readonly kind: 'open'; readonly close: () => void }
  /** With a report for the log, at most once a minute. */
  | { readonly kind: 'refused'; readonly report: string | undefined };

/**
 * Counts the connections of a listener.
 *
 * @returns opens one. Its address may be one that is no limit of its own, such as a trusted proxy's; the time is in milliseconds since 1970
 */
export function createConnectionCount({ total, perAddress }: ConnectionLimits): (address: string, isProxy: boolean, now: number) => Opening {
  const open = new Map<string, number>();
  let all = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function refuse(limit: string, now: number): Opening {
    // A clock that is set back ends the silence too.
    if (now >= reportedAt && now - reportedAt < REPORT_EVERY_MS) return { kind: 'refused', report: undefined };
    reportedAt = now;
    return { kind: 'refused', report: `${limit}; further ones are closed at once (reported at most once a minute)` };
  }

  return (address, isProxy, now) => {
    if (all >= total) return refuse(`all ${total} connections are taken`, now);
    const group = addressGroup(address);
    const own = open.get(group) ?? 0;
    if (own >= perAddress && !isProxy) return refuse(`${group} has ${own} connections, the most of one address`, now);
    all += 1;
    open.set(group, own + 1);
    let closed = false;
    return {
      kind: 'open',
      close: () => {
        if (closed) return;
        closed = true;
        all -= 1;
        const left = (open.get(group) ?? 1) - 1;
        if (left === 0) open.delete(group);
        else open.set(group, left);
      },
    };
  };
}
