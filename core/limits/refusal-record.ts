// What a process remembers of a key that was refused. It repeats the refusal without storage, and counts strikes: requests
// that keep coming although a 429 asked them to wait. Only a ban is stored. Why these numbers: docs/decisions/0014-bans.md.

import { type Ban, nextBan } from './ban.ts';
import type { Decision } from './decide.ts';
import { MINUTE_MS } from './windows.ts';

/** Strikes that ban a key. */
export const STRIKES_TO_BAN = 150;

/** Two strikes are at least this far apart, so that a burst counts for little, even one that is delayed in queues. */
const STRIKE_INTERVAL_MS = 150;

/** One strike is forgotten each time this has passed, so that a fleet whose processes are each refused once a minute never adds up. */
const STRIKE_FORGOTTEN_MS = 1_000;

/** Storage is asked again after this long, so that an upgrade or a lifted ban takes effect. */
const RECHECK_AFTER_MS = MINUTE_MS;

/** The process's own clock may be corrected by this much. What is further in the future was remembered before the clock was set back. */
const CLOCK_CORRECTION_MS = 1_000;

/** A decision that makes the client wait. */
export type Refusal = Extract<Decision, { kind: 'limited' | 'banned' }>;

/** The refusal that a process repeats. Times are milliseconds since 1970. */
interface StandingRefusal {
  readonly refusal: Refusal;
  /** When storage decided. */
  readonly decidedAt: number;
  /** Until then it is repeated without storage. */
  readonly repeatUntil: number;
}

/** What a process remembers of a key. */
export interface Conduct {
  /** Undefined once storage has admitted a request again. */
  readonly standing: StandingRefusal | undefined;
  /** As of `lastStrikeAt`. */
  readonly strikes: number;
  /** Milliseconds since 1970. */
  readonly lastStrikeAt: number;
}

/** What to do with a request before storage is asked, and what to remember: undefined if nothing. */
export type FromMemory =
  | { readonly kind: 'ask'; readonly conduct: Conduct | undefined }
  | { readonly kind: 'repeat'; readonly refusal: Refusal; readonly conduct: Conduct };

/** May the remembered refusal answer this request? Before a ban it may not: the limits may have been raised meanwhile. */
export function answerFromMemory(conduct: Conduct | undefined, now: number): FromMemory {
  if (conduct === undefined || isFromFuture(conduct, now)) return { kind: 'ask', conduct: undefined };
  if (conduct.standing === undefined || now >= conduct.standing.repeatUntil) return { kind: 'ask', conduct };
  const next = withStrike(conduct, now);
  // The strike that reaches the limit asks storage; requests that arrive while it is being asked get the remembered refusal.
  if (next !== conduct && next.strikes >= STRIKES_TO_BAN) return { kind: 'ask', conduct: next };
  return { kind: 'repeat', refusal: conduct.standing.refusal, conduct: next };
}

/**
 * Takes in what storage answered.
 *
 * @param now when the request came, in milliseconds since 1970
 * @returns the answer, what to remember (undefined if nothing), and the ban to store
 */
export function afterStorage(
  conduct: Conduct | undefined,
  decision: Decision,
  now: number,
): { readonly decision: Decision; readonly conduct: Conduct | undefined; readonly ban: Ban | undefined } {
  if (decision.kind === 'unknown_key') return { decision, conduct: undefined, ban: undefined };
  if (decision.kind === 'admitted') {
    const strikes = conduct === undefined ? 0 : strikesLeft(conduct, now);
    const kept = strikes > 0 ? { standing: undefined, strikes, lastStrikeAt: now } : undefined;
    return { decision, conduct: kept, ban: undefined };
  }
  if (decision.kind === 'banned') return { decision, conduct: remembered(decision, undefined, now), ban: undefined };
  // As of the moment of the request: strikes that were complete once, and were followed by silence, have been forgotten like any others.
  const complete = conduct !== undefined && strikesLeft(conduct, now) >= STRIKES_TO_BAN;
  if (!complete) return { decision, conduct: remembered(decision, conduct, now), ban: undefined };
  const ban = nextBan(decision.lastBan, now);
  const banned: Refusal = { kind: 'banned', plan: decision.plan, standings: decision.standings, retryAt: ban.until };
  return { decision: banned, conduct: remembered(banned, undefined, now), ban };
}

/** @param before whose strikes are kept; a ban begins without any */
function remembered(refusal: Refusal, before: Conduct | undefined, now: number): Conduct {
  const standing = { refusal, decidedAt: now, repeatUntil: Math.min(refusal.retryAt, now + RECHECK_AFTER_MS) };
  return { standing, strikes: before?.strikes ?? 0, lastStrikeAt: before?.lastStrikeAt ?? 0 };
}

/** Counts a strike for a request that a standing 429 answers. A banned key gets none: its ban is running already. */
function withStrike(conduct: Conduct, now: number): Conduct {
  const { standing, lastStrikeAt } = conduct;
  if (standing?.refusal.kind !== 'limited' || now < lastStrikeAt + STRIKE_INTERVAL_MS) return conduct;
  return { standing, strikes: strikesLeft(conduct, now) + 1, lastStrikeAt: now };
}

function strikesLeft({ strikes, lastStrikeAt }: Conduct, now: number): number {
  return Math.max(0, strikes - (now - lastStrikeAt) / STRIKE_FORGOTTEN_MS);
}

function isFromFuture({ standing, lastStrikeAt }: Conduct, now: number): boolean {
  return Math.max(standing?.decidedAt ?? 0, lastStrikeAt) > now + CLOCK_CORRECTION_MS;
}
