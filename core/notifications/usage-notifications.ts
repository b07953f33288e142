// Notifications about quotas and bans. A sweep derives them from what admission stores anyway, so that no request writes more than before.

import type { Ban } from '../limits/ban.ts';
import { windowsAt } from '../limits/windows.ts';
import type { Notification } from './notification.ts';

/** An account's usage, as a sweep sees it. */
export interface SurveyedUsage {
  readonly accountId: string;
  /** Requests of the current UTC day. Requests that a process has reserved with a LeaseStore count. */
  readonly day: { readonly used: number; readonly limit: number };
  /** Last bans of its keys, by key id, in force or not. */
  readonly bans: readonly { readonly keyId: string; readonly ban: Ban }[];
}

/** The part of a day's quota from which on owners are warned. */
const WARNING = 0.8;
/** A ban that began earlier is old news: the sweep did not run. */
const BAN_NEWS_MS = 3_600_000;

/** Returns the notifications that an account's usage causes; the same ones whenever it is asked on the same day. @param now milliseconds since 1970 */
export function usageNotifications({ accountId, day: { used, limit }, bans }: SurveyedUsage, now: number): readonly Notification[] {
  const { day } = windowsAt(now);
  // One that has used up everything at once needs no warning.
  const kind = used >= limit ? 'quota_used_up' : used >= limit * WARNING ? 'quota_warning' : undefined;
  const quota: Notification[] = kind === undefined ? [] : [{ id: `${kind}:${accountId}:${day}`, accountId, at: now, event: { kind, day, limit } }];
  // Someone has lifted a ban that ends before it begins.
  const news = bans.filter(({ ban: { since, until } }) => since > now - BAN_NEWS_MS && since <= now && until > since);
  return [
    ...quota,
    ...news.map(({ keyId, ban: { since, until, level } }) => ({
      // By level and day: two processes that ban a key at the same time store different moments.
      id: `key_banned:${keyId}:${level}:${windowsAt(since).day}`,
      accountId,
      at: since,
      event: { kind: 'key_banned' as const, keyId, until },
    })),
  ];
}
