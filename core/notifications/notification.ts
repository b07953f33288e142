// What owners are notified of by email. A notification is stored with the change that causes it, and has a deterministic id, so a repeated step does
// not cause it twice. Times are in milliseconds since 1970.

import type { Suspension } from '../access/account.ts';
import type { Invitation } from '../access/invitation.ts';
import type { PlanName } from '../access/plans.ts';
import type { Actor } from '../domains/diagnosis/diagnosis.ts';
import type { DomainRemoval } from '../domains/domain.ts';

/** The kinds that members get and can turn off, in the order in which they are shown. */
export const NOTIFICATION_KINDS = [
  ...(['domain_live', 'domain_failed', 'domain_degraded', 'domain_lost', 'certificate_late', 'certificate_expired'] as const),
  ...(['key_banned', 'quota_warning', 'quota_used_up'] as const),
  ...(['member_added', 'member_removed', 'plan_decided', 'account_suspended'] as const),
];

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Kinds about who may do what. Turning them off requires a sign-in, because a click in a forwarded email must not be enough. */
const ABOUT_SECURITY: readonly NotificationKind[] = ['member_added', 'member_removed', 'account_suspended'];

/** Whether a link in a kind's emails turns the kind off without a sign-in (RFC 8058). */
export function hasOneClick(kind: NotificationKind): boolean {
  return !ABOUT_SECURITY.includes(kind);
}

/** Whether two lists have the same kinds, in any order. */
export function hasSameKinds(some: readonly NotificationKind[], others: readonly NotificationKind[]): boolean {
  return new Set(some).symmetricDifference(new Set(others)).size === 0;
}

interface OfDomain {
  readonly projectId: string;
  readonly domainId: string;
  readonly host: string;
}

/** What to do about a domain, based on its advice. */
export interface NotedAdvice {
  readonly seen: string;
  readonly fix: string;
  readonly actor: Actor;
}

/** A key or a deploy token, by its name. */
export interface NotedCredential {
  readonly name: string;
  /** The name of a deploy token's project; undefined for a key. */
  readonly project?: string;
}

/** A former member, and the credentials that they leave behind, by name, because the names of revoked ones can't be looked up later. */
interface Departure {
  readonly userId: string;
  /** Id of the user who removed them (their own if they left), or OPERATOR. */
  readonly by: string;
  /** The keys and deploy tokens that they had created and that still worked. */
  readonly made: readonly NotedCredential[];
  /** Whether these are revoked as well. */
  readonly revoked: boolean;
}

/** An event that an account's members are notified of. */
export type MemberEvent =
  /**
   * `again`: it was served before, but its record or its certificate was wrong for a time. `renewed`: only the renewal of its certificate was late.
   * `companionId`: the domain that was added with it, which may go live soon.
   */
  | ({ readonly kind: 'domain_live'; readonly again: boolean; readonly renewed?: true; readonly companionId?: string } & OfDomain)
  /** `removed`: a person removed it. Stored here, because the project may be gone later. @default stored by an earlier version, or not removed */
  | ({
      readonly kind: 'domain_failed' | 'domain_degraded' | 'domain_lost' | 'certificate_expired';
      readonly advice: NotedAdvice | undefined;
      readonly removed?: DomainRemoval;
    } & OfDomain)
  /** `renewal`: it has a certificate that is still valid. */
  | ({ readonly kind: 'certificate_late'; readonly renewal?: true; readonly advice: NotedAdvice | undefined } & OfDomain)
  | { readonly kind: 'key_banned'; readonly keyId: string; readonly until: number }
  /** `day`: days since 1970; `limit`: requests. */
  | { readonly kind: 'quota_warning' | 'quota_used_up'; readonly day: number; readonly limit: number }
  /** `by`: id of the member who invited them, or OPERATOR. @default stored by an earlier version */
  | { readonly kind: 'member_added'; readonly userId: string; readonly by?: string }
  /** `more`: how many they had created besides those in `made`. */
  | ({ readonly kind: 'member_removed'; readonly more: number } & Departure)
  | { readonly kind: 'plan_decided'; readonly plan: PlanName; readonly approved: boolean; readonly reason: string }
  | { readonly kind: 'account_suspended'; readonly reason: string };

/** An invitation to be sent to its address, whose user has no settings yet. Its address and link are not stored here, but read when it is sent. */
export interface InvitationEvent {
  readonly kind: 'invitation';
  readonly invitationId: string;
}

/** An owner's request for another plan. The request is read when the operator's message is sent, because it may have been withdrawn by then. */
export interface PlanRequestEvent {
  readonly kind: 'plan_requested';
}

export type NotificationEvent = MemberEvent | InvitationEvent | PlanRequestEvent;

export interface Notification {
  /** At most 120 characters, derived from the event and never random. */
  readonly id: string;
  /** The account whose members are notified, unless the event is an invitation or for the operator. */
  readonly accountId: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly event: NotificationEvent;
}

/** Returns what a notification is about. A newer one about the same thing replaces one that has not been sent yet. */
export function subjectOf({ event }: Pick<Notification, 'event'>): string {
  switch (event.kind) {
    case 'domain_live':
    case 'domain_failed':
    case 'domain_degraded':
    case 'domain_lost':
    case 'certificate_late':
    case 'certificate_expired':
      return event.domainId;
    case 'key_banned':
      return event.keyId;
    case 'quota_warning':
    case 'quota_used_up':
      return 'quota';
    case 'member_added':
    case 'member_removed':
      return event.userId;
    case 'plan_decided':
      return 'plan';
    case 'plan_requested':
      return 'plan_request';
    case 'account_suspended':
      return 'suspension';
    case 'invitation':
      return event.invitationId;
  }
}

/** Creates the notification about a new member. @param by id of the member who invited them, or OPERATOR. @default not known */
export function memberAdded(accountId: string, userId: string, now: number, by?: string): Notification {
  return {
    id: `member_added:${accountId}:${userId}:${now}`,
    accountId,
    at: now,
    event: { kind: 'member_added', userId, ...(by !== undefined && { by }) },
  };
}

/** Maximum number of credentials that a notification names. With the longest names, they take 10 kB of a DynamoDB item, which can have 400 kB. */
const CREDENTIALS_NAMED = 10;

/** Creates the notification about a member who was removed or has left. */
export function memberRemoved(accountId: string, { made, ...departure }: Departure, now: number): Notification {
  const named = made.slice(0, CREDENTIALS_NAMED);
  const event = { kind: 'member_removed', ...departure, made: named, more: made.length - named.length } as const;
  return { id: `member_removed:${accountId}:${departure.userId}:${now}`, accountId, at: now, event };
}

/** Creates the notification about the suspension of an account. */
export function accountSuspended(accountId: string, { since, reason }: Suspension): Notification {
  return { id: `account_suspended:${accountId}:${since}`, accountId, at: since, event: { kind: 'account_suspended', reason } };
}

/** Creates the operator's notification about a request for a plan. */
export function planRequested(accountId: string, requestedAt: number): Notification {
  return { id: `plan_requested:${accountId}:${requestedAt}`, accountId, at: requestedAt, event: { kind: 'plan_requested' } };
}

/** Creates the notification that sends an invitation. */
export function invitationSent({ id, accountId, createdAt }: Pick<Invitation, 'id' | 'accountId' | 'createdAt'>): Notification {
  return { id: `invitation:${id}`, accountId, at: createdAt, event: { kind: 'invitation', invitationId: id } };
}
