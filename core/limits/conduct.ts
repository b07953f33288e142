// How a key behaves after a refusal. A process remembers the refusal and repeats it without storage; a request that
// comes before its Retry-After has run out is a strike, and ten strikes are a ban. Nothing here is stored but the ban.

import type { Ban, Decision } from './decide.ts';
import { DAY_MS, MINUTE_MS } from './windows.ts';

export const STRIKES_TO_BAN = 10;
const FIRST_BAN_MS = 5 * MINUTE_MS;
const LONGEST_BAN_MS = DAY_MS;

/** A remembered refusal is asked again after this long, so that an upgrade or a lifted ban takes effect. */
const RECHECK_AFTER_MS = MINUTE_MS;

/** A decision that makes the client wait. */
export type Refusal = Extract<Decision, { kind: 'limited' | 'banned' }>;

/** What a process remembers of a key. */
export interface Conduct {
  readonly refusal: Refusal;
  /** Until then the refusal is repeated without storage. Milliseconds since 1970. */
  readonly repeatUntil: number;
  readonly strikes: number;
  readonly lastStrikeAt: number;
}

/** What to do with a request before storage is asked. */
export type Repeat =
  | { readonly kind: 'ask' }
  | { readonly kind: 'repeat'; readonly refusal: Refusal; readonly conduct: Conduct }
  | { readonly kind: 'ban'; readonly ban: Ban; readonly refusal: Refusal; readonly conduct: Conduct };

/** May the remembered refusal answer this request, and is it a strike? */
export function repeatRefusal(conduct: Conduct | undefined, now: number): Repeat {
  if (conduct === undefined || now >= conduct.repeatUntil) return { kind: 'ask' };
  return strike(conduct, now);
}

/** Does the request come while a 429 still asks to wait? To be asked before storage is: a request in flight is no strike. */
export function isEarly(conduct: Conduct | undefined, now: number): boolean {
  return conduct !== undefined && now < conduct.refusal.retryAt;
}

/**
 * Takes up what storage answered.
 *
 * @param early what isEarly said before storage was asked
 * @returns the answer, and what to remember: undefined if nothing
 */
export function takeUp(
  conduct: Conduct | undefined,
  decision: Decision,
  early: boolean,
  now: number,
): { readonly decision: Decision; readonly conduct: Conduct | undefined; readonly ban: Ban | undefined } {
  if (decision.kind === 'unknown_key') return { decision, conduct: undefined, ban: undefined };
  if (decision.kind === 'admitted') {
    // The strikes stay: only a clean day forgets them. The refusal no longer stands.
    const kept = conduct && { ...conduct, refusal: { ...conduct.refusal, retryAt: now }, repeatUntil: now };
    return { decision, conduct: kept, ban: undefined };
  }
  const next: Conduct = {
    refusal: decision,
    repeatUntil: Math.min(decision.retryAt, now + RECHECK_AFTER_MS),
    strikes: conduct?.strikes ?? 0,
    lastStrikeAt: conduct?.lastStrikeAt ?? now,
  };
  if (!early) return { decision, conduct: next, ban: undefined };
  const struck = strike(next, now);
  return { decision: struck.refusal, conduct: struck.conduct, ban: struck.kind === 'ban' ? struck.ban : undefined };
}

/** The next ban of a key: 5 minutes, doubled for each ban before it, at most 24 hours; forgotten after a clean day. */
export function nextBan(last: Ban | undefined, now: number): Ban {
  const level = last !== undefined && now - last.until < DAY_MS ? last.level + 1 : 1;
  return { until: now + Math.min(FIRST_BAN_MS * 2 ** (level - 1), LONGEST_BAN_MS), level };
}

/** Counts a strike. A banned key gets none: it is serving its time already. */
function strike(conduct: Conduct, now: number): Exclude<Repeat, { kind: 'ask' }> {
  const { refusal } = conduct;
  if (refusal.kind === 'banned') return { kind: 'repeat', refusal, conduct };
  const strikes = (now - conduct.lastStrikeAt >= DAY_MS ? 0 : conduct.strikes) + 1;
  if (strikes < STRIKES_TO_BAN) return { kind: 'repeat', refusal, conduct: { ...conduct, strikes, lastStrikeAt: now } };
  const ban = nextBan(refusal.lastBan, now);
  const banned: Refusal = { kind: 'banned', plan: refusal.plan, standings: refusal.standings, retryAt: ban.until };
  const repeatUntil = Math.min(ban.until, now + RECHECK_AFTER_MS);
  return { kind: 'ban', ban, refusal: banned, conduct: { refusal: banned, repeatUntil, strikes: 0, lastStrikeAt: now } };
}
