// Sends the notifications in the outbox. A worker claims one, sends each member's message, and records each as done once the mail server has accepted
// it. If the worker dies, another continues with the remaining members. A message that is repeated has the same id (docs/decisions/0017-emails.md).

import { OPERATOR } from '../../core/access/account.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import { generateInvitationToken } from '../../core/access/invitation.ts';
import { openInvitations } from '../../core/access/invitations.ts';
import type { AccountStore, InvitationStore, MemberStore } from '../../core/access/ports.ts';
import type { Names } from '../../core/notifications/content.ts';
import type { Message } from '../../core/notifications/layout.ts';
import { isForMembers, type MemberNotification, messageFor } from '../../core/notifications/message.ts';
import type { Notification } from '../../core/notifications/notification.ts';
import { invitationMessage, OPERATOR_RECIPIENT, planRequestMessage } from '../../core/notifications/personal-messages.ts';
import {
  type AddressBook,
  type Mailer,
  MailRefusal,
  type NotificationOutbox,
  type NotificationSettings,
  type OutboxEntry,
} from '../../core/notifications/ports.ts';
import { CLAIM_MS, outagePauseAfter, pauseAfter, RECIPIENTS_AT_ONCE } from '../../core/notifications/schedule.ts';
import { turnOf } from '../../core/notifications/turn.ts';
import type { ProjectStore } from '../../core/projects/ports.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

export interface DeliveryWork {
  readonly outbox: NotificationOutbox;
  readonly settings: NotificationSettings;
  readonly accounts: Pick<AccountStore, 'getAccount' | 'getKey'>;
  readonly projects: Pick<ProjectStore, 'getProject'>;
  readonly members: Pick<MemberStore, 'membersOf'>;
  readonly invitations: InvitationStore;
  readonly addresses: AddressBook;
  readonly mailer: Mailer;
  /** The operator's address. @default undefined: none */
  readonly operator?: string | undefined;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboard: string;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Ids of messages that were accepted but could not be recorded as done, so that this process does not send them again. */
  readonly accepted: Set<string>;
  /** What this process knows about the mail server. */
  readonly server: MailServerState;
  /** Reports an event that an operator should know about, in one line. */
  readonly warn: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** Whether the mail server accepts messages. */
export interface MailServerState {
  /** Number of consecutive failed attempts; 0 while it accepts messages. */
  failures: number;
  /** When the next attempt is made, in milliseconds since 1970. */
  retryAt: number;
}

/** Returns the state of a mail server about which nothing is known yet. */
export function newMailServerState(): MailServerState {
  return { failures: 0, retryAt: 0 };
}

export interface Delivered {
  /** Messages that were accepted. */
  readonly sent: number;
  /** Number of notifications that were dropped, and of messages that were permanently rejected. */
  readonly lost: number;
}

/** Maximum number of notifications in one round. */
const ROUND = 50;
/** Number of accounts whose notifications are sent concurrently. One account's are sent in sequence, so that its hourly limit is exact. */
const ACCOUNTS_AT_ONCE = 4;

/** Sends a round of due notifications; one with a fault is due again later. @param isTimeLeft called before each message. @default always */
export async function deliver(work: DeliveryWork, onFault: (error: unknown) => void, isTimeLeft: () => boolean = () => true): Promise<Delivered> {
  const { server } = work;
  const isAway = server.failures > 0;
  // A time too far ahead comes from a wrong clock.
  if (isAway && server.retryAt > work.clock() && server.retryAt <= work.clock() + outagePauseAfter(server.failures)) return { sent: 0, lost: 0 };
  // One message tests whether the server is back.
  const due = await work.outbox.due(work.clock(), isAway ? 1 : ROUND);
  const byAccount = Map.groupBy(due, ({ notification }) => notification.accountId);
  const queues = [...byAccount.values()];
  const total = { sent: 0, lost: 0 };
  const worker = async () => {
    const isOpen = () => isTimeLeft() && (isAway || server.failures === 0);
    for (let queue = queues.shift(); queue !== undefined && isOpen(); queue = queues.shift()) {
      for (const entry of queue) {
        if (!isOpen()) break;
        try {
          await deliverOne(work, entry, total, isTimeLeft);
        } catch (error) {
          onFault(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, worker));
  return total;
}

/** Some servers quote the rejected link as it was sent, in quoted-printable, so there may be line breaks in it (RFC 2045, section 6.7). */
const LINK_SECRET = /(petstore_invite_)(?:[=\s]*\w){0,58}/g;

type Count = { sent: number; lost: number };

/** What became of a message: it was accepted, was permanently rejected, or is retried later; `away`: the server accepts nothing. */
type Outcome = keyof Count | 'later' | 'away';

/** After this many attempts, a message that could not be sent because the server is unreachable waits for OUTAGE_PATIENCE_MS. */
const MANY_ATTEMPTS = 20;
const OUTAGE_PATIENCE_MS = 300_000;

async function deliverOne(work: DeliveryWork, entry: OutboxEntry, count: Count, isTimeLeft: () => boolean): Promise<void> {
  const { outbox, clock } = work;
  const claimed = await outbox.claim(entry, clock(), clock() + CLAIM_MS);
  if (claimed === undefined) return;
  const { notification } = claimed;
  const turn = turnOf(claimed, await outbox.ofAccount(notification.accountId), clock());
  if (turn.kind === 'wait') return outbox.postpone(claimed, turn.until);
  if (turn.kind !== 'send') {
    if (turn.kind === 'too_old') {
      count.lost += 1;
      work.warn('a notification was not sent to every member within two days, and was abandoned', { notificationId: notification.id });
    }
    return outbox.finish(claimed);
  }
  const { messages, isComplete } = await messagesOf(work, claimed, turn.pair);
  if (messages.length > 0 && !(await outbox.markSent(claimed, clock()))) return;
  let left = !isComplete;
  let isAway = false;
  for (const { recipient, message } of messages) {
    const outcome: Outcome = isTimeLeft() && !isAway ? await send(work, message, notification) : 'later';
    if (outcome === 'later' || outcome === 'away') {
      isAway ||= outcome === 'away';
      left = true;
      continue;
    }
    const isMine = await outbox.markDone(claimed, recipient);
    work.accepted.delete(message.id);
    count[outcome] += 1;
    // Another worker has the notification, because this one took longer than its claim.
    if (!isMine) return;
  }
  const now = clock();
  // While the server is away, a notification waits only until the next test. A notification that may be the cause waits longer, so others are tried.
  const until = isAway
    ? Math.max(work.server.retryAt, now + (claimed.attempts > MANY_ATTEMPTS ? OUTAGE_PATIENCE_MS : 0))
    : now + pauseAfter(claimed.attempts);
  await (left ? outbox.postpone(claimed, until) : outbox.finish(claimed));
}

interface ToSend {
  /** Recipients are ids of users or of an invitation, or OPERATOR_RECIPIENT. */
  readonly messages: readonly { readonly recipient: string; readonly message: Message }[];
  /** Whether these are all the remaining recipients. */
  readonly isComplete: boolean;
}

function messagesOf(work: DeliveryWork, entry: OutboxEntry, pair: Notification | undefined): Promise<ToSend> {
  const { notification, done } = entry;
  if (isForMembers(notification)) return messagesToMembers(work, notification, done, pair);
  return notification.event.kind === 'invitation' ? messageToInvited(work, entry) : messageToOperator(work, entry);
}

/** Writes the message about an account's plan request, if it is still open. */
async function messageToOperator({ accounts, operator, dashboard }: DeliveryWork, { notification, done }: OutboxEntry): Promise<ToSend> {
  const account = await accounts.getAccount(notification.accountId);
  const request = account?.planRequest;
  if (operator === undefined || account === undefined || request === undefined || request.decision !== undefined || done.length > 0)
    return { messages: [], isComplete: true };
  const message = planRequestMessage(notification, account, request, { to: operator, dashboard });
  return { messages: [{ recipient: OPERATOR_RECIPIENT, message }], isComplete: true };
}

/** Writes an invitation's message, with a new link. Nothing is sent if the invitation can no longer be accepted. */
async function messageToInvited(work: DeliveryWork, { notification, done }: OutboxEntry): Promise<ToSend> {
  const { accountId, event } = notification;
  const open = await openInvitations(work, accountId, work.clock());
  const invitation = open.find(({ id }) => event.kind === 'invitation' && id === event.invitationId);
  if (invitation === undefined || done.includes(invitation.id)) return { messages: [], isComplete: true };
  const { token, digest } = generateInvitationToken(invitation.id, work.randomBytes);
  // Links from earlier attempts stay valid, because it is not always known whether their messages arrived.
  if (!(await work.invitations.addDigest(invitation.id, digest))) return { messages: [], isComplete: true };
  const { invitedBy } = invitation;
  const facts = {
    account: (await work.accounts.getAccount(accountId))?.name,
    inviter: invitedBy === OPERATOR ? undefined : await work.addresses.addressOf(invitedBy).catch(() => undefined),
    token,
    dashboard: work.dashboard,
  };
  return { messages: [{ recipient: invitation.id, message: invitationMessage(notification, invitation, facts) }], isComplete: true };
}

/** Writes the messages to members who have not been sent theirs. A member whose address can't be determined now does not delay the others. */
async function messagesToMembers(
  work: DeliveryWork,
  notification: MemberNotification,
  done: readonly string[],
  pair: Notification | undefined,
): Promise<ToSend> {
  const all = (await work.members.membersOf(notification.accountId)).map(({ userId }) => userId);
  const { event } = notification;
  // A removed member may be a member again by now.
  const gone = event.kind === 'member_removed' ? event.userId : undefined;
  const members = all.filter((userId) => userId !== gone && !done.includes(userId)).toSorted();
  const messages: { recipient: string; message: Message }[] = [];
  let isComplete = true;
  let names: Names | undefined;
  for (const userId of members) {
    if (messages.length === RECIPIENTS_AT_ONCE) return { messages, isComplete: false };
    if ((await work.settings.mutedBy(userId)).includes(event.kind)) continue;
    let address: string | undefined;
    try {
      address = await work.addresses.addressOf(userId);
    } catch (error) {
      work.warn('the address of a member could not be found', { notificationId: notification.id, userId, error });
      isComplete = false;
      continue;
    }
    if (address === undefined) continue;
    names ??= await namesOf(work, notification, pair);
    const to = { userId, kind: event.kind, dashboard: work.dashboard };
    const url = await unsubscribeUrl(work.settings, to, work.randomBytes);
    messages.push({ recipient: userId, message: messageFor(notification, names, { ...to, address, unsubscribeUrl: url }) });
  }
  return { messages, isComplete };
}

async function namesOf(
  { accounts, projects, addresses }: DeliveryWork,
  { accountId, event }: Notification,
  pair: Notification | undefined,
): Promise<Names> {
  const by = 'removed' in event ? event.removed?.by : 'by' in event ? event.by : undefined;
  const addressOf = (userId: string) => addresses.addressOf(userId).catch(() => undefined);
  return {
    account: (await accounts.getAccount(accountId))?.name,
    project: 'projectId' in event ? (await projects.getProject(event.projectId))?.name : undefined,
    key: 'keyId' in event ? (await accounts.getKey(event.keyId))?.name : undefined,
    member: 'userId' in event ? await addressOf(event.userId) : undefined,
    by: by === undefined || by === OPERATOR ? undefined : await addressOf(by),
    pair: pair && 'host' in pair.event ? pair.event.host : undefined,
  };
}

async function send({ mailer, accepted, warn, server, clock }: DeliveryWork, message: Message, { id }: Notification): Promise<Outcome> {
  if (accepted.has(message.id)) return 'sent';
  try {
    await mailer.send(message);
    accepted.add(message.id);
    if (server.failures > 0) warn('the mail server accepts messages again', {});
    server.failures = 0;
    return 'sent';
  } catch (error) {
    if (!(error instanceof MailRefusal)) throw error;
    if (error.isOutage) {
      server.failures += 1;
      server.retryAt = clock() + outagePauseAfter(server.failures);
      // A warning is logged for the first failure, and then for every 60th.
      if (server.failures === 1 || server.failures % 60 === 0)
        warn('the mail server accepts no messages; they will be sent when it does', {
          notificationId: id,
          messageId: message.id,
          reason: reasonOf(error),
        });
      return 'away';
    }
    server.failures = 0;
    warn(error.isPermanent ? 'a message was refused permanently' : 'a message was not accepted, and will be sent again later', {
      notificationId: id,
      messageId: message.id,
      reason: reasonOf(error),
    });
    return error.isPermanent ? 'lost' : 'later';
  }
}

function reasonOf({ message }: MailRefusal): string {
  return message.replace(LINK_SECRET, '$1…');
}
