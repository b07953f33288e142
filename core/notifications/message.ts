// The messages: what happened, what it means, and who must do what next. Plain text and HTML say the same.

import { createHash } from 'node:crypto';
import { OPERATOR } from '../access/account.ts';
import { planOf } from '../access/plans.ts';
import type { Actor } from '../domains/diagnosis.ts';
import { printable } from '../domains/printable.ts';
import { DAY_MS } from '../limits/windows.ts';
import { layOut, type Message, quotedName } from './layout.ts';
import type { MemberEvent, NotedAdvice, NotedCredential, Notification } from './notification.ts';

/** The current names of what a notification is about; undefined for what is gone. */
export interface Names {
  readonly account: string | undefined;
  readonly project: string | undefined;
  readonly key: string | undefined;
  /** The address of the member who is new or gone. */
  readonly member: string | undefined;
  /** The address of the member who has removed them. */
  readonly by: string | undefined;
}

/** Path of the dashboard's page with the user's settings for notifications. */
export const SETTINGS_PATH = '/notifications';

/** In characters. Longer advice is cut: all of it is on the linked page. */
const LONGEST_ADVICE = 1_000;
const SIGNATURE = 'You get this message because you are a member of this account.';

interface Content {
  readonly subject: string;
  readonly happened: string;
  readonly means: string;
  /** Who, and what. */
  readonly next: string;
  /** Path of the page to look at, and what it shows. */
  readonly link: readonly [path: string, label: string];
}

/** A notification for members. */
export type MemberNotification = Notification & { readonly event: MemberEvent };

/** Whether an account's members get it, and neither an address outside nor the operator. */
export function isForMembers(notification: Notification): notification is MemberNotification {
  return notification.event.kind !== 'invitation' && notification.event.kind !== 'plan_requested';
}

/**
 * Writes the message for a member.
 *
 * @param dashboard origin of the dashboard, without a trailing slash
 */
export function messageFor(
  notification: MemberNotification,
  names: Names,
  { userId, address, dashboard }: { readonly userId: string; readonly address: string; readonly dashboard: string },
): Message {
  const { subject, happened, means, next, link } = contentOf(notification, names);
  const at = `${new Date(notification.at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return layOut({
    id: messageIdOf(notification, userId),
    to: address,
    subject,
    parts: [
      ['What happened', `${happened} (${at})`],
      ['What it means', means],
      ['What to do', next],
    ],
    link: [`${dashboard}${link[0]}`, link[1]],
    signature: SIGNATURE,
    settings: [`${dashboard}${SETTINGS_PATH}`, 'Choose which messages you get'],
  });
}

/** Returns a message's id: it is the same one for a receiver, however often it is sent. @param recipient id of the user, or of the invitation */
export function messageIdOf({ id }: Notification, recipient: string): string {
  return createHash('sha256').update(`${id}\n${recipient}`).digest('hex').slice(0, 40);
}

function contentOf(notification: MemberNotification, names: Names): Content {
  const { event, accountId } = notification;
  const inAccount = names.account === undefined ? `the account ${accountId}` : `the account ${quotedName(names.account)}`;
  const usage: Content['link'] = [`/accounts/${accountId}/usage`, 'Usage of the account'];
  switch (event.kind) {
    case 'domain_live':
    case 'domain_failed':
    case 'domain_degraded':
    case 'domain_lost':
    case 'certificate_late':
    case 'certificate_expired': {
      const { host, projectId, domainId } = event;
      const project = names.project === undefined ? projectId : quotedName(names.project);
      const of = `${host}, a domain of the project ${project} in ${inAccount},`;
      const link: Content['link'] = [`/projects/${projectId}/domains/${domainId}`, `The domain ${host}`];
      if (event.kind === 'domain_live') {
        if (event.renewed === true) {
          return {
            subject: `${host} has its new certificate`,
            happened: `${of} has its new certificate.`,
            means: 'Nothing changes for visitors.',
            next: 'No one needs to do anything.',
            link,
          };
        }
        return {
          subject: event.again ? `${host} works again` : `${host} is live`,
          happened: event.again ? `${of} works again.` : `${of} is live.`,
          means: 'Visitors reach your site at this name, over HTTPS.',
          next: 'No one needs to do anything.',
          link,
        };
      }
      const { subject, happened, means } = OF_DOMAIN[event.kind === 'certificate_late' && event.renewal === true ? 'renewal_late' : event.kind];
      const seen = event.advice === undefined ? '' : ` ${sentence(event.advice.seen)}`;
      return { subject: `${host} ${subject}`, happened: `${of} ${happened}${seen}`, means, next: nextOf(event.advice), link };
    }
    case 'key_banned': {
      const key = names.key === undefined ? event.keyId : quotedName(names.key);
      return {
        subject: `An API key is banned until ${minute(event.until)}`,
        happened: `The key ${key} of ${inAccount} is banned until ${minute(event.until)}: it kept sending requests after it was refused.`,
        means: 'Every request with this key is refused until then. Other keys of the account still work. Each further ban is longer.',
        next: 'Find the program that uses the key, and make it wait as long as the Retry-After header says. Then you can lift the ban.',
        link: [`/accounts/${accountId}/keys`, 'Keys of the account'],
      };
    }
    case 'quota_warning':
      return {
        subject: '80% of the daily quota is used',
        happened: `The keys of ${inAccount} have used at least 80% of the ${event.limit} requests that its plan allows on ${dayText(event.day)} (UTC).`,
        means: `Once all are used, every request is refused until ${minute((event.day + 1) * DAY_MS)}.`,
        next: 'Nothing, if you expected this. Otherwise, send fewer requests, or ask the operator for a larger plan.',
        link: usage,
      };
    case 'quota_used_up':
      return {
        subject: 'The daily quota is used up',
        happened: `The keys of ${inAccount} have used all ${event.limit} requests that its plan allows on ${dayText(event.day)} (UTC).`,
        means: `Every request is refused until ${minute((event.day + 1) * DAY_MS)}. Keys that go on sending requests are banned.`,
        next: 'Stop your programs until then, or ask the operator for a larger plan.',
        link: usage,
      };
    case 'member_added': {
      const member = printable(names.member ?? event.userId, LONGEST_ADVICE);
      return {
        subject: 'An account has a new member',
        happened: `${member} is now a member of ${inAccount}.`,
        means: 'Members see the account’s keys, projects and domains, and change them as their role allows.',
        next: 'Nothing, if you know this person. Otherwise, remove the member and contact the operator.',
        link: [`/accounts/${accountId}/projects`, 'The account'],
      };
    }
    case 'member_removed': {
      const member = printable(names.member ?? event.userId, LONGEST_ADVICE);
      const by = event.by === OPERATOR ? 'The operator' : printable(names.by ?? event.by, LONGEST_ADVICE);
      const { means, next } = AFTER_DEPARTURE[event.made.length === 0 ? 'nothing' : event.revoked ? 'revoked' : 'kept'];
      return {
        subject: event.by === event.userId ? 'A member has left the account' : 'A member was removed from the account',
        happened: event.by === event.userId ? `${member} has left ${inAccount}.` : `${by} has removed ${member} from ${inAccount}.`,
        means: `They have no access to it any more. ${means}${event.made.length === 0 ? '' : ` ${listed(event.made, event.more)}.`}`,
        next,
        link: [`/accounts/${accountId}/keys`, 'Keys of the account'],
      };
    }
    case 'account_suspended':
      return {
        subject: 'The account is suspended',
        happened: `The operator has suspended ${inAccount}. Message from the operator: ${ended(event.reason)}`,
        means:
          'Every request with its keys is refused, and its sites are not served. Nothing has been deleted; you can still view and delete what the account has.',
        next: 'Contact the operator.',
        link: [`/accounts/${accountId}/plan`, 'Plan of the account'],
      };
    case 'plan_decided': {
      const { label } = planOf(event.plan);
      const reason = event.reason === '' ? '' : ` Message from the operator: ${ended(event.reason)}`;
      const link: Content['link'] = [`/accounts/${accountId}/plan`, 'Plan of the account'];
      return event.approved
        ? {
            subject: `The account is now on the ${label} plan`,
            happened: `The operator has approved the request for the ${label} plan for ${inAccount}.${reason}`,
            means: 'What the plan allows is available now; bans of the account’s keys were lifted if the quota has grown.',
            next: 'No one needs to do anything.',
            link,
          }
        : {
            subject: `The request for the ${label} plan was declined`,
            happened: `The operator has declined the request for the ${label} plan for ${inAccount}.${reason}`,
            means: 'The account keeps its plan.',
            next: 'Nothing, or ask again and say more about what you need.',
            link,
          };
    }
  }
}

const AFTER_DEPARTURE = {
  nothing: {
    means: 'They leave no API keys or deploy tokens that still work.',
    next: 'Nothing, if you expected this. Otherwise, contact the operator.',
  },
  kept: {
    means: 'The API keys and deploy tokens that they created still work:',
    next: 'Revoke those that should stop working, after you have replaced them where they are still needed. Keys are on the linked page, deploy tokens in the settings of their projects.',
  },
  revoked: {
    means: 'The API keys and deploy tokens that they created are revoked with their membership:',
    next: 'Replace those that your programs and pipelines still need. If one of them is still on the linked page, or in the settings of its project, revoke it there: revoking was interrupted.',
  },
} as const;

/** Names what a member has made. @param more how many besides */
function listed(made: readonly NotedCredential[], more: number): string {
  const named = made.map(({ name, project }) =>
    project === undefined ? `the key ${quotedName(name)}` : `the deploy token ${quotedName(name)} of the project ${quotedName(project)}`,
  );
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}

const OF_DOMAIN = {
  domain_failed: {
    subject: 'is not live',
    happened: 'could not be set up.',
    means: 'Visitors don’t reach your site at this name.',
  },
  domain_degraded: {
    subject: 'no longer points here',
    happened: 'no longer points here.',
    means: 'The site may be unreachable at this name now, and its certificate can’t be renewed.',
  },
  domain_lost: { subject: 'is no longer served', happened: 'is no longer served.', means: 'Visitors don’t reach your site at this name any more.' },
  certificate_late: {
    subject: 'is still waiting for its certificate',
    happened: 'still has no certificate.',
    means: 'Visitors don’t reach your site at this name yet.',
  },
  renewal_late: {
    subject: 'is still waiting for its new certificate',
    happened: 'has not received its new certificate yet.',
    means: 'Visitors notice nothing while the current certificate is valid.',
  },
  certificate_expired: {
    subject: 'has no valid certificate',
    happened: 'no longer has a valid certificate.',
    means: 'Browsers warn visitors, and most visitors leave.',
  },
} as const;

const ACTORS: Readonly<Record<Actor, string>> = {
  owner: 'You',
  dns_provider: 'Your DNS provider must act',
  platform: 'The operator of this service must act',
  nobody: 'No one needs to do anything',
};

function nextOf(advice: NotedAdvice | undefined): string {
  if (advice === undefined) return `${ACTORS.nobody}.`;
  // "Nothing" is for the owner; the message says here who acts instead.
  return `${ACTORS[advice.actor]}: ${ended(advice.fix.replace(/^nothing: /, ''))}`;
}

/** Advice begins in lower case, and ends without a period. */
function ended(advice: string): string {
  const text = printable(advice, LONGEST_ADVICE);
  return /[.…]$/.test(text) ? text : `${text}.`;
}

function sentence(advice: string): string {
  const text = ended(advice);
  // A host name stays as it is.
  return /^[a-z]+[ ,:]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
