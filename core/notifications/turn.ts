// Decides whether a due notification is sent now, so that a domain that flaps, or is added and removed all day, does not flood its owners: a newer
// notification about the same thing replaces a waiting one, there is an hourly limit, and two domains added together are reported in one message.

import { MINUTE_MS } from '../limits/windows.ts';
import { type Notification, subjectOf } from './notification.ts';
import type { OutboxEntry } from './ports.ts';
import { endOfHour, GIVE_UP_AFTER_MS, MOST_PER_HOUR, PAIR_MS, PAIR_WAIT_MS } from './schedule.ts';

export type Turn =
  /** `pair`: the notification about the other domain, which the message reports as well. */
  | { readonly kind: 'send'; readonly pair?: Notification | undefined }
  /** A newer notification about the same thing replaces it. */
  | { readonly kind: 'replaced' }
  /** The message about the other domain of the pair reports it. */
  | { readonly kind: 'reported' }
  | { readonly kind: 'too_old' }
  | { readonly kind: 'wait'; readonly until: number };

/** Decides what to do with a claimed notification. @param all the account's notifications, including this one @param now milliseconds since 1970 */
export function turnOf(entry: OutboxEntry, all: readonly OutboxEntry[], now: number): Turn {
  const { notification } = entry;
  if (now - notification.at >= GIVE_UP_AFTER_MS) return { kind: 'too_old' };
  const newer = newsAfter(notification, all);
  // While a domain waits for the other one, a newer notification about it may have been sent.
  if (newer.some(({ finished }) => !finished || companionOf(notification) !== undefined)) return { kind: 'replaced' };
  const turn = turnInPair(entry, all, now);
  if (turn.kind !== 'send' || entry.sentAt !== undefined) return turn;
  // Invitations have their own limits (core/access/invitations.ts), and neither wait for other notifications nor delay them.
  if (isInvitation(entry)) return turn;
  const hourEnds = endOfHour(now);
  const sent = all.filter((other) => !isInvitation(other)).filter(({ sentAt }) => sentAt !== undefined && endOfHour(sentAt) === hourEnds).length;
  return sent < MOST_PER_HOUR ? turn : { kind: 'wait', until: hourEnds };
}

/**
 * Of two domains that were added together, the message about the later one to go live reports both. Which one that is, and whether the two are close
 * enough, depends only on when they went live, so every worker always makes the same decision. The other domain's own message is sent only once it is
 * certain that no message reports it.
 */
function turnInPair(entry: OutboxEntry, all: readonly OutboxEntry[], now: number): Turn {
  const { notification } = entry;
  const { at } = notification;
  const companion = companionOf(notification);
  if (companion === undefined) return { kind: 'send' };
  const others = all.filter(({ notification: { event } }) => event.kind === 'domain_live' && event.domainId === companion);
  // The one that went live last.
  const other = others.find((each) => newsAfter(each.notification, others).length === 0);
  if (other === undefined) return at <= now && now < at + PAIR_WAIT_MS ? { kind: 'wait', until: at + PAIR_WAIT_MS } : { kind: 'send' };
  if (Math.abs(other.notification.at - at) > PAIR_MS) return { kind: 'send' };
  if (isNewer(notification, other.notification)) {
    const isNews = other.sentAt === undefined && newsAfter(other.notification, all).length === 0;
    return { kind: 'send', pair: isNews ? other.notification : undefined };
  }
  if (entry.sentAt !== undefined) return { kind: 'send' };
  if (other.sentAt !== undefined) return { kind: 'reported' };
  // Finished, but not sent: a newer notification has replaced it, or no one wants it.
  return other.finished ? { kind: 'send' } : { kind: 'wait', until: now + MINUTE_MS };
}

/** Returns the id of the domain that was added with the one that went live. */
function companionOf({ event }: Notification): string | undefined {
  return event.kind === 'domain_live' ? event.companionId : undefined;
}

function newsAfter(notification: Notification, all: readonly OutboxEntry[]): readonly OutboxEntry[] {
  const subject = subjectOf(notification);
  return all.filter((other) => subjectOf(other.notification) === subject && isNewer(other.notification, notification));
}

function isNewer(one: Notification, other: Notification): boolean {
  return one.at > other.at || (one.at === other.at && one.id > other.id);
}

function isInvitation({ notification: { event } }: OutboxEntry): boolean {
  return event.kind === 'invitation';
}
