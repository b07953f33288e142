// The outbox in memory, for tests.

import { hasSameKinds, type NotificationKind } from '../../../core/notifications/notification.ts';
import type { NotificationOutbox, NotificationSettings, OutboxEntry } from '../../../core/notifications/ports.ts';
import { LONGEST_PAUSE_MS } from '../../../core/notifications/schedule.ts';

interface Stored {
  entry: OutboxEntry;
  dueAt: number;
}

/** Creates an empty outbox. */
export function createMemoryOutbox(): NotificationOutbox {
  const stored = new Map<string, Stored>();
  const claimed = ({ notification: { id }, attempts }: OutboxEntry): Stored | undefined => {
    const found = stored.get(id);
    return found?.entry.attempts === attempts ? found : undefined;
  };
  const change = (found: Stored | undefined, fields: Partial<OutboxEntry>) => {
    if (found !== undefined) found.entry = { ...found.entry, ...fields };
    return found !== undefined;
  };
  return {
    add: async (notification) => {
      if (stored.has(notification.id)) return false;
      stored.set(notification.id, { entry: { notification, attempts: 0, done: [], sentAt: undefined, finished: false }, dueAt: notification.at });
      return true;
    },
    due: async (now, limit) =>
      [...stored.values()]
        .filter(({ entry, dueAt }) => !entry.finished && isDue(dueAt, now))
        .sort((a, b) => a.dueAt - b.dueAt)
        .slice(0, limit)
        .map(({ entry }) => entry),
    claim: async (entry, now, until) => {
      const found = claimed(entry);
      if (found === undefined || found.entry.finished || !isDue(found.dueAt, now)) return undefined;
      found.dueAt = until;
      change(found, { attempts: entry.attempts + 1 });
      return found.entry;
    },
    ofAccount: async (accountId) => [...stored.values()].map(({ entry }) => entry).filter(({ notification }) => notification.accountId === accountId),
    markSent: async (claim, now) => change(claimed(claim), { sentAt: claimed(claim)?.entry.sentAt ?? now }),
    markDone: async (claim, userId) => {
      const found = stored.get(claim.notification.id);
      change(found, { done: [...new Set([...(found?.entry.done ?? []), userId])] });
      return claimed(claim) !== undefined;
    },
    postpone: async (claim, until) => {
      const found = claimed(claim);
      if (found !== undefined) found.dueAt = until;
    },
    finish: async (claim) => void change(claimed(claim), { finished: true }),
  };
}

/** Creates the store of users' settings, in memory. */
export function createMemoryNotificationSettings(): NotificationSettings {
  const muted = new Map<string, readonly NotificationKind[]>();
  const keys = new Map<string, string>();
  return {
    mutedBy: async (userId) => muted.get(userId) ?? [],
    mute: async (userId, kinds, read) => {
      if (read !== undefined && !hasSameKinds(read, muted.get(userId) ?? [])) return false;
      muted.set(userId, kinds);
      return true;
    },
    unsubscribeKey: async (userId, fresh) => {
      if (fresh !== undefined && !keys.has(userId)) keys.set(userId, fresh);
      return keys.get(userId);
    },
  };
}

/** Whether a time has come, or is further away than any pause, and so was set while the clock was wrong. */
function isDue(dueAt: number, now: number): boolean {
  return dueAt <= now || dueAt > now + LONGEST_PAUSE_MS;
}
