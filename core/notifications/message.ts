// The messages: what happened and who did it, what it means, and what to do, in short paragraphs.

import { createHash } from 'node:crypto';
import { OPERATOR } from '../access/account.ts';
import { planOf } from '../access/plans.ts';
import { printable } from '../domains/printable.ts';
import { DAY_MS } from '../limits/windows.ts';
import { actorOf, type Content, domainContent, ended, LONGEST_ADVICE, minute, type Names } from './content.ts';
import { layOut, type Message, quotedName } from './layout.ts';
import type { MemberEvent, NotedCredential, Notification } from './notification.ts';

/** Path of the dashboard's page with the user's notification settings. */
export const SETTINGS_PATH = '/notifications';

/** Path of the links that turn emails off. It is below the control API's prefix, so that the dashboard's origin forwards it. */
export const UNSUBSCRIBE_PATH = '/dashboard/v1/unsubscribe';

/** A notification for members. */
export type MemberNotification = Notification & { readonly event: MemberEvent };

/** Whether a notification is for an account's members, not for an outside address or the operator. */
export function isForMembers(notification: Notification): notification is MemberNotification {
  return notification.event.kind !== 'invitation' && notification.event.kind !== 'plan_requested';
}

/** A member who gets a message. */
export interface MessageTo {
  readonly userId: string;
  readonly address: string;
  readonly dashboard: string;
  readonly unsubscribeUrl?: string | undefined;
}

/**
 * Writes the message for a member.
 *
 * @param dashboard origin of the dashboard, without a trailing slash
 * @param unsubscribeUrl turns off this kind of email without a sign-in. @default none
 */
export function messageFor(notification: MemberNotification, names: Names, { userId, address, dashboard, unsubscribeUrl }: MessageTo): Message {
  const { link, ...content } = contentOf(notification, names);
  return layOut({
    id: messageIdOf(notification, userId),
    to: address,
    ...content,
    link: [`${dashboard}${link[0]}`, link[1]],
    signature: `This happened at ${minute(notification.at)}. You are receiving this email because you are a member of the account.`,
    settings: [`${dashboard}${SETTINGS_PATH}`, 'Choose which emails you get'],
    unsubscribeUrl,
  });
}

/** Returns a message's id, which is the same for a recipient each time the message is sent. @param recipient id of the user, or of the invitation */
export function messageIdOf({ id }: Notification, recipient: string): string {
  return createHash('sha256').update(`${id}\n${recipient}`).digest('hex').slice(0, 40);
}

function contentOf(notification: MemberNotification, names: Names): Content {
  const { event, accountId } = notification;
  const inAccount = names.account === undefined ? `the account ${accountId}` : `the account ${quotedName(names.account)}`;
  const usage: Content['link'] = [`/accounts/${accountId}/usage`, 'View usage'];
  const keys: Content['link'] = [`/accounts/${accountId}/keys`, 'View API keys'];
  const plan: Content['link'] = [`/accounts/${accountId}/plan`, 'View the plan'];
  switch (event.kind) {
    case 'domain_live':
    case 'domain_failed':
    case 'domain_degraded':
    case 'domain_lost':
    case 'certificate_late':
    case 'certificate_expired': {
      const project = names.project === undefined ? event.projectId : quotedName(names.project);
      return domainContent(event, accountId, `the project ${project} in ${inAccount}`, names);
    }
    case 'key_banned': {
      const key = names.key === undefined ? event.keyId : quotedName(names.key);
      return {
        subject: `An API key is banned until ${minute(event.until)}`,
        paragraphs: [
          `The key ${key} of ${inAccount} is banned until ${minute(event.until)}, because a program kept sending requests with it after they were refused.`,
          'Every request with this key is refused until then. Other keys of the account still work. Each further ban is longer.',
          'Find that program, and make it wait as long as the Retry-After header says. Then you can lift the ban.',
        ],
        link: keys,
      };
    }
    case 'quota_warning':
      return {
        subject: '80% of the daily quota is used',
        paragraphs: [
          `The keys of ${inAccount} have used at least 80% of the ${event.limit.toLocaleString('en')} requests that its plan allows on ${dayText(event.day)} (UTC).`,
          `Once all are used, every request is refused until ${minute((event.day + 1) * DAY_MS)}.`,
          'If you did not expect this, find the program that sends most of the requests, and slow it down. If you need more, ask for a larger plan.',
        ],
        link: usage,
      };
    case 'quota_used_up':
      return {
        subject: 'The daily quota is used up',
        paragraphs: [
          `The keys of ${inAccount} have used all ${event.limit.toLocaleString('en')} requests that its plan allows on ${dayText(event.day)} (UTC).`,
          `Every request is refused until ${minute((event.day + 1) * DAY_MS)}. Keys that keep sending requests are banned.`,
          'Stop your programs until then, or ask for a larger plan.',
        ],
        link: usage,
      };
    case 'member_added': {
      const member = printable(names.member ?? event.userId, LONGEST_ADVICE);
      return {
        subject: 'An account has a new member',
        paragraphs: [
          `${member} is now a member of ${inAccount}.${event.by === undefined ? '' : ` ${actorOf(event.by, names)} ${event.by === OPERATOR ? 'added' : 'invited'} them.`}`,
          'Members see the account’s keys, projects and domains, and change them as their role allows.',
          'If you don’t know this person, remove them from the account, and contact the operator.',
        ],
        link: [`/accounts/${accountId}/projects`, 'View the account'],
      };
    }
    case 'member_removed': {
      const member = printable(names.member ?? event.userId, LONGEST_ADVICE);
      const { means, next } = AFTER_DEPARTURE[event.made.length === 0 ? 'nothing' : event.revoked ? 'revoked' : 'kept'];
      const hasLeft = event.by === event.userId;
      return {
        subject: hasLeft ? 'A member has left the account' : 'A member was removed from the account',
        paragraphs: [
          hasLeft ? `${member} has left ${inAccount}.` : `${actorOf(event.by, names)} has removed ${member} from ${inAccount}.`,
          `They have no access to it any more. ${means}${event.made.length === 0 ? '' : ` ${listed(event.made, event.more)}.`}`,
          next,
        ],
        link: keys,
      };
    }
    case 'account_suspended':
      return {
        subject: 'The account is suspended',
        paragraphs: [
          `The operator has suspended ${inAccount}. Message from the operator: ${ended(event.reason)}`,
          'Every request with its keys is refused, and its sites are not served. Nothing has been deleted; you can still view and delete what the account has.',
          'To have it resumed, contact the operator.',
        ],
        link: plan,
      };
    case 'plan_decided': {
      const { label } = planOf(event.plan);
      const reason = event.reason === '' ? '' : ` Message from the operator: ${ended(event.reason)}`;
      const [subject, decided, means, next] = event.approved
        ? [
            `The account is now on the ${label} plan`,
            'approved',
            'What the plan allows is available now. If its quota is larger, bans on the account’s keys were lifted.',
            'Programs that you have slowed down for the smaller quota can run at full speed again.',
          ]
        : [
            `The request for the ${label} plan was declined`,
            'declined',
            'The account keeps its plan.',
            'If you still need more, ask again, and say what you need it for.',
          ];
      return {
        subject,
        paragraphs: [`The operator has ${decided} the request for the ${label} plan for ${inAccount}.${reason}`, means, next],
        link: plan,
      };
    }
  }
}

const AFTER_DEPARTURE = {
  nothing: { means: 'No API keys or deploy tokens that they created still work.', next: 'If you did not expect this, contact the operator.' },
  kept: {
    means: 'The API keys and deploy tokens that they created still work:',
    next: 'Revoke those that should stop working, after you have replaced them where they are still needed. Keys are on the linked page, deploy tokens in the settings of their projects.',
  },
  revoked: {
    means: 'The API keys and deploy tokens that they created are revoked with their membership:',
    next: 'Replace those that your programs and pipelines still need. If one of them is still on the linked page, or in the settings of its project, revoke it there: revoking was interrupted.',
  },
} as const;

/** Lists the credentials that a member created. @param more how many there are besides these */
function listed(made: readonly NotedCredential[], more: number): string {
  const named = made.map(({ name, project }) =>
    project === undefined ? `the key ${quotedName(name)}` : `the deploy token ${quotedName(name)} of the project ${quotedName(project)}`,
  );
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
