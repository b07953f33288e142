// When messages are retried, and how many an account gets.

import type { Ban } from '../limits/ban.ts';
import { HOUR_MS, MINUTE_MS, windowsAt } from '../limits/windows.ts';
import type { Notification } from './notification.ts';

/** Pauses after failed attempts: a greylisting server accepts a second one after five minutes; a server that is down is usually back within hours. */
const PAUSES_MS = [1, 5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** An older notification is dropped, because no one needs it anymore. Notifications that waited for a mail server for a day are still sent. */
export const GIVE_UP_AFTER_MS = 48 * HOUR_MS;

/** No pause is longer than this; a longer one was set while the clock was wrong. */
export const LONGEST_PAUSE_MS = 2 * HOUR_MS;

/** How long a notification is stored: longer than the time within which it could be added again (two days for a quota). */
export const KEPT_MS = 72 * HOUR_MS;

/** How long a process may work on a notification before another continues: longer than an attempt takes, at a minute per message (`Mailer`). */
export const CLAIM_MS = 5 * MINUTE_MS;

/** Maximum number of members who are sent a message in one attempt; the next attempt continues. */
export const RECIPIENTS_AT_ONCE = 4;

/** Two domains that were added together and go live within this time, in milliseconds, are reported in one message. */
export const PAIR_MS = 8 * MINUTE_MS;

/** How long the first domain's message waits for the other domain, in milliseconds: longer than PAIR_MS, so that all changes are visible by then. */
export const PAIR_WAIT_MS = 10 * MINUTE_MS;

/** Maximum number of an account's notifications sent in one UTC hour; the others wait for the next. */
export const MOST_PER_HOUR = 10;

/** Pauses while a mail server accepts nothing, in milliseconds. After each, one message tests whether the server is back; if so, the rest follow. */
const OUTAGE_PAUSES_MS = [5, 15, 30, 60].map((seconds) => seconds * 1_000);

/** Returns how long to wait for a mail server that accepts nothing, in milliseconds. @param attempts number of failed attempts, at least 1 */
export function outagePauseAfter(attempts: number): number {
  return OUTAGE_PAUSES_MS[Math.min(attempts, OUTAGE_PAUSES_MS.length) - 1] ?? MINUTE_MS;
}

/** Returns how long to wait after a failed attempt, in milliseconds. @param attempts number of attempts so far, at least 1 */
export function pauseAfter(attempts: number): number {
  return PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
}

/** Returns the end of the UTC hour that contains `now`, in milliseconds since 1970. */
export function endOfHour(now: number): number {
  return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
}

// Notifications about quotas and bans. A survey derives them from what admission stores anyway, so that they cost no additional writes per request.

/** An account's usage, as a survey sees it. */
export interface SurveyedUsage {
  readonly accountId: string;
  /** Requests of the current UTC day. Requests that a process has taken from a LeaseStore count as used. */
  readonly day: { readonly used: number; readonly limit: number };
  /** The last bans of its keys, in force or not, with the keys' ids. */
  readonly bans: readonly { readonly keyId: string; readonly ban: Ban }[];
}

/** The fraction of a day's quota at which owners are warned. */
const WARNING = 0.8;
/** A ban that began longer ago, while no survey ran, is no longer reported. */
const BAN_NEWS_MS = 3_600_000;

/** Returns the notifications that an account's usage causes. Calls on the same day return the same ones. @param now milliseconds since 1970 */
export function usageNotifications({ accountId, day: { used, limit }, bans }: SurveyedUsage, now: number): readonly Notification[] {
  const { day } = windowsAt(now);
  // An account that used up its quota between two surveys needs no warning.
  const kind = used >= limit ? 'quota_used_up' : used >= limit * WARNING ? 'quota_warning' : undefined;
  const quota: Notification[] = kind === undefined ? [] : [{ id: `${kind}:${accountId}:${day}`, accountId, at: now, event: { kind, day, limit } }];
  // A ban that ends before it begins has been lifted.
  const news = bans.filter(({ ban: { since, until } }) => since > now - BAN_NEWS_MS && since <= now && until > since);
  return [
    ...quota,
    ...news.map(({ keyId, ban: { since, until, level } }) => ({
      // Identified by level and day, because two processes that ban a key at the same time store different times.
      id: `key_banned:${keyId}:${level}:${windowsAt(since).day}`,
      accountId,
      at: since,
      event: { kind: 'key_banned' as const, keyId, until },
    })),
  ];
}
