// How many connections may be open at a time: in total, so that file descriptors are left for everything else, and per address, so that no client
// takes all of them.

import { addressGroup } from './address.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly perAddress: number;
}

/** Descriptors for the database, name servers and uploads. */
const RESERVED_DESCRIPTORS = 512;
/** One core could not serve more than this without unreasonable waits. */
const MAX_TOTAL = 10_000;
/** The API, custom domains, and one file for each connection to a custom domain. If one of them reaches its limit, the others keep their shares. */
const SHARES = 3;
/** Interval between reports, in milliseconds: at most one a minute. */
const REPORT_EVERY_MS = 60_000;

/**
 * The limits of one of the service's listeners.
 *
 * @param descriptors the process's limit on open descriptors
 * @param perAddress maximum per address; capped at half of the total
 */
export function connectionLimits(descriptors: number, perAddress: number): ConnectionLimits {
  // With few descriptors, half of them are reserved.
  const free = descriptors - Math.min(RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
  const total = Math.max(2, Math.min(MAX_TOTAL, Math.floor(free / SHARES)));
  return { total, perAddress: Math.min(perAddress, Math.floor(total / 2)) };
}

/** Which limit a connection was refused for. */
export type ConnectionLimit = keyof ConnectionLimits;

export type Opening =
  | { readonly kind: 'open'; readonly close: () => void }
  /** `report` is for the log, and given at most once a minute. */
  | { readonly kind: 'refused'; readonly limit: ConnectionLimit; readonly report: string | undefined };

/**
 * Counts a listener's connections.
 *
 * @returns a function that opens a connection; `isProxy` exempts trusted proxies from the per-address limit, `now` is in milliseconds since 1970
 */
export function createConnectionCount({ total, perAddress }: ConnectionLimits): (address: string, isProxy: boolean, now: number) => Opening {
  const open = new Map<string, number>();
  let all = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function refuse(limit: ConnectionLimit, reason: string, now: number): Opening {
    // A clock that is set back also ends the silence.
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

// The minimum rate for bodies that may take long to arrive. A time limit would have to allow for the slowest line and the largest file, and a limit on
// silence can be met with a byte now and then.

export interface LeastRate {
  /** A body that is slower uses up its slack. */
  readonly bytesPerSecond: number;
  /** How long a body may be without any byte, however much came before. */
  readonly slackSeconds: number;
}

/**
 * For files of uploads. A line of 64 kbit/s has 1,333 bytes a second for each of six files at a time. A phone that has lost its connection for 20 seconds
 * may need 40 until TCP tries again. 25 MiB take at most 14 hours.
 */
export const FILE_RATE: LeastRate = { bytesPerSecond: 512, slackSeconds: 60 };

/**
 * Follows a body.
 *
 * @returns a function that takes what has arrived since it was called last, in bytes, and how long that took, in seconds; false: the body is too slow
 */
export function followRate({ bytesPerSecond, slackSeconds }: LeastRate): (bytes: number, seconds: number) => boolean {
  let left = slackSeconds;
  return (bytes, seconds) => {
    // What arrives fast is not saved for later.
    left = Math.min(slackSeconds, left + bytes / bytesPerSecond - seconds);
    return left > 0;
  };
}
