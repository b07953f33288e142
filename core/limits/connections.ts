// How many connections may be open at a time: in total, so that file descriptors are left for everything else, and per address, so that no single
// client takes all of them.

import { addressGroup } from './address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly perAddress: number;
}

/** Descriptors reserved for the database, name servers and uploads. */
const RESERVED_DESCRIPTORS = 512;
/** The maximum number of connections that one core can serve without unreasonable waits. */
const MAX_TOTAL = 10_000;
/** One share for the API, one for custom domains, one for a file per connection to a custom domain. None of them can use up another's share. */
const SHARES = 3;
const REPORT_EVERY_MS = 60_000;

/** Returns the limits of a listener. @param descriptors the process's limit on open descriptors @param perAddress capped at half of the total */
export function connectionLimits(descriptors: number, perAddress: number): ConnectionLimits {
  // If there are few descriptors, half of them are reserved.
  const free = descriptors - Math.min(RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
  const total = Math.max(2, Math.min(MAX_TOTAL, Math.floor(free / SHARES)));
  return { total, perAddress: Math.min(perAddress, Math.floor(total / 2)) };
}

/** Which limit a connection was refused for. */
export type ConnectionLimit = keyof ConnectionLimits;

export type Opening =
  | { readonly kind: 'open'; readonly close: () => void }
  /** `report` is for the log; it is set at most once a minute. */
  | { readonly kind: 'refused'; readonly limit: ConnectionLimit; readonly report: string | undefined };

/**
 * Counts a listener's connections.
 *
 * @returns a function that opens one; `isProxy` exempts trusted proxies from the per-address limit, `now` is in milliseconds since 1970
 */
export function createConnectionCount({ total, perAddress }: ConnectionLimits): (address: string, isProxy: boolean, now: number) => Opening {
  const open = new Map<string, number>();
  let all = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function refuse(limit: ConnectionLimit, reason: string, now: number): Opening {
    // If the clock was set back, reporting resumes as well.
    if (now >= reportedAt && now - reportedAt < REPORT_EVERY_MS) return { kind: 'refused', limit, report: undefined };
    reportedAt = now;
    return { kind: 'refused', limit, report: `${reason}; further connections are closed at once (reported at most once a minute)` };
  }

  return (address, isProxy, now) => {
    if (all >= total) return refuse('total', `all ${total} connections are in use`, now);
    const group = addressGroup(address);
    const own = open.get(group) ?? 0;
    if (own >= perAddress && !isProxy) return refuse('perAddress', `${group} has ${own} connections, the maximum per address`, now);
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

// The minimum rate for bodies that may take a long time. A time limit would have to allow for the slowest connection and the largest file, and an
// idle timeout can be evaded by sending a byte occasionally.

export interface LeastRate {
  /** A slower body uses up its slack. */
  readonly bytesPerSecond: number;
  /** How long a body may pause, even if much of it has arrived fast. */
  readonly slackSeconds: number;
}

/**
 * For uploaded files. A 64 kbit/s connection has 1,333 bytes a second for each of six concurrent files. TCP may take 40 seconds to retry after a
 * phone was without a connection for 20 seconds. 25 MiB take at most 14 hours.
 */
export const FILE_RATE: LeastRate = { bytesPerSecond: 512, slackSeconds: 60 };

/** Checks the rate of a body. @returns a function that takes the bytes and seconds since its last call, and returns false if the body is too slow */
export function followRate({ bytesPerSecond, slackSeconds }: LeastRate): (bytes: number, seconds: number) => boolean {
  let left = slackSeconds;
  return (bytes, seconds) => {
    // A body that is faster than necessary does not gain more than the initial slack.
    left = Math.min(slackSeconds, left + bytes / bytesPerSecond - seconds);
    return left > 0;
  };
}
