// Whether a notification that is due is sent now. A domain that flaps, or one that someone adds and removes all day, must not flood its owners: a newer
// notification about the same thing replaces one that waits, and an hour has a limit.

import { type Notification, subjectOf } from './notification.ts';
import type { OutboxEntry } from './ports.ts';
import { endOfHour, GIVE_UP_AFTER_MS, MOST_PER_HOUR } from './schedule.ts';

export type Turn =
  | { readonly kind: 'send' }
  /** There is newer news of the same thing. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'too_old' }
  | { readonly kind: 'wait'; readonly until: number };

/**
 * Decides about a claimed notification.
 *
 * @param all the account's notifications, itself included
 * @param now milliseconds since 1970
 */
export function turnOf(entry: OutboxEntry, all: readonly OutboxEntry[], now: number): Turn {
  const { notification } = entry;
  if (now - notification.at >= GIVE_UP_AFTER_MS) return { kind: 'too_old' };
  const subject = subjectOf(notification);
  const isNewer = (other: Notification) => other.at > notification.at || (other.at === notification.at && other.id > notification.id);
  if (all.some((other) => !other.finished && subjectOf(other.notification) === subject && isNewer(other.notification))) return { kind: 'replaced' };
  if (entry.sentAt !== undefined) return { kind: 'send' };
  // Invitations have limits of their own (core/access/invitations.ts), and neither wait for news nor delay any.
  if (isInvitation(entry)) return { kind: 'send' };
  const hourEnds = endOfHour(now);
  const sent = all.filter((other) => !isInvitation(other)).filter(({ sentAt }) => sentAt !== undefined && endOfHour(sentAt) === hourEnds).length;
  return sent < MOST_PER_HOUR ? { kind: 'send' } : { kind: 'wait', until: hourEnds };
}

function isInvitation({ notification: { event } }: OutboxEntry): boolean {
  return event.kind === 'invitation';
}
