// What a process remembers about a refused key. The process repeats the refusal without storage, and counts strikes: requests that arrive although a
// 429 asked the client to wait. Only a ban is stored (docs/decisions/0003-bans.md explains the numbers). Times are in milliseconds since 1970.

import { type Ban, nextBan } from './ban.ts';
import type { Decision } from './decide.ts';
import { MINUTE_MS } from './windows.ts';

/** Number of strikes after which a key is banned. */
export const STRIKES_TO_BAN = 150;

/** Minimum interval between two strikes, in milliseconds, so that a burst counts for little, even if it is delayed in queues. */
const STRIKE_INTERVAL_MS = 150;

/** One strike is forgotten after each interval of this many milliseconds, so they don't add up for a fleet of clients refused once a minute each. */
const STRIKE_FORGOTTEN_MS = 1_000;

/** Interval between storage checks, in milliseconds, so that an upgrade or a lifted ban takes effect. */
const RECHECK_AFTER_MS = MINUTE_MS;

/** The same interval for a paused key, which owners expect to work again once they have resumed it. */
export const PAUSE_RECHECK_AFTER_MS = 5_000;

/** The largest normal correction of the process's own clock, in milliseconds. A time further ahead was recorded before the clock was set back. */
const CLOCK_CORRECTION_MS = 1_000;

/** A decision that stays the same for a while. */
export type Refusal = Extract<Decision, { kind: 'limited' | 'banned' | 'paused' }>;

/** A refusal that a process repeats. */
interface RepeatedRefusal {
  readonly refusal: Refusal;
  /** When storage decided. */
  readonly decidedAt: number;
  /** The refusal is repeated without storage until this time. */
  readonly repeatUntil: number;
}

/** What a process remembers about a key. */
export interface RefusalRecord {
  /** Undefined once storage has counted a request again. */
  readonly repeated: RepeatedRefusal | undefined;
  /** Number of strikes as of `lastStrikeAt`. */
  readonly strikes: number;
  readonly lastStrikeAt: number;
}

/** What to do with a request before querying storage, and what to remember (undefined if nothing). */
export type FromMemory =
  | { readonly kind: 'ask'; readonly record: RefusalRecord | undefined }
  | { readonly kind: 'repeat'; readonly refusal: Refusal; readonly record: RefusalRecord };

/** Answers a request from memory if possible. The request that would cause a ban queries storage, because the limits may have been raised. */
export function answerFromMemory(record: RefusalRecord | undefined, now: number): FromMemory {
  if (record === undefined || isFromFuture(record, now)) return { kind: 'ask', record: undefined };
  if (record.repeated === undefined || now >= record.repeated.repeatUntil) return { kind: 'ask', record };
  const next = withStrike(record, now);
  // The request whose strike reaches the limit queries storage; those that arrive meanwhile get the remembered refusal.
  if (next !== record && next.strikes >= STRIKES_TO_BAN) return { kind: 'ask', record: next };
  return { kind: 'repeat', refusal: record.repeated.refusal, record: next };
}

/** Applies storage's decision. @param now when the request arrived @returns the answer, what to remember (undefined if nothing), the ban to store */
export function afterStorage(
  record: RefusalRecord | undefined,
  decision: Decision,
  now: number,
): { readonly decision: Decision; readonly record: RefusalRecord | undefined; readonly ban: Ban | undefined } {
  if (decision.kind === 'unknown_key') return { decision, record: undefined, ban: undefined };
  // Each request of a suspended account is counted in storage, like an admitted one.
  if (decision.kind === 'admitted' || decision.kind === 'suspended') {
    const strikes = record === undefined ? 0 : strikesLeft(record, now);
    const kept = strikes > 0 ? { repeated: undefined, strikes, lastStrikeAt: now } : undefined;
    return { decision, record: kept, ban: undefined };
  }
  if (decision.kind === 'banned') return { decision, record: remembered(decision, undefined, now), ban: undefined };
  if (decision.kind === 'paused') return { decision, record: remembered(decision, record, now), ban: undefined };
  // Counted as of the time of the request: strikes followed by a long enough pause are forgotten, even if they would have caused a ban.
  const complete = record !== undefined && strikesLeft(record, now) >= STRIKES_TO_BAN;
  if (!complete) return { decision, record: remembered(decision, record, now), ban: undefined };
  const ban = nextBan(decision.lastBan, now);
  const banned: Refusal = { kind: 'banned', plan: decision.plan, quotas: decision.quotas, retryAt: ban.until };
  return { decision: banned, record: remembered(banned, undefined, now), ban };
}

/** Builds the record of a refusal. @param before the record whose strikes are kept; undefined after a ban, when counting starts at zero */
function remembered(refusal: Refusal, before: RefusalRecord | undefined, now: number): RefusalRecord {
  const repeatUntil =
    refusal.kind === 'paused'
      ? Math.min(refusal.quotas.minute.resetAt, now + PAUSE_RECHECK_AFTER_MS)
      : Math.min(refusal.retryAt, now + RECHECK_AFTER_MS);
  const repeated = { refusal, decidedAt: now, repeatUntil };
  return { repeated, strikes: before?.strikes ?? 0, lastStrikeAt: before?.lastStrikeAt ?? 0 };
}

/** Counts a strike for a request that arrives while a 429 is in effect. A banned key gets no strikes, because its ban is already in force. */
function withStrike(record: RefusalRecord, now: number): RefusalRecord {
  const { repeated, lastStrikeAt } = record;
  if (repeated?.refusal.kind !== 'limited' || now < lastStrikeAt + STRIKE_INTERVAL_MS) return record;
  return { repeated, strikes: strikesLeft(record, now) + 1, lastStrikeAt: now };
}

function strikesLeft({ strikes, lastStrikeAt }: RefusalRecord, now: number): number {
  return Math.max(0, strikes - (now - lastStrikeAt) / STRIKE_FORGOTTEN_MS);
}

function isFromFuture({ repeated, lastStrikeAt }: RefusalRecord, now: number): boolean {
  return Math.max(repeated?.decidedAt ?? 0, lastStrikeAt) > now + CLOCK_CORRECTION_MS;
}
