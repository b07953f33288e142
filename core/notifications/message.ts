// The messages: what happened and who did it, what it means, and what to do, in short paragraphs. Plain text and HTML say the same.

import { createHash } from 'node:crypto';
import { OPERATOR } from '../access/account.ts';
import { planOf } from '../access/plans.ts';
import type { Actor } from '../domains/diagnosis.ts';
import type { DomainRemoval } from '../domains/domain.ts';
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
  /** The address of the member who did it. */
  readonly by: string | undefined;
  /** The host of the domain that was added with it and is live, too. @default none */
  readonly pair?: string | undefined;
}

/** Path of the dashboard's page with the user's settings for notifications. */
export const SETTINGS_PATH = '/notifications';

/** Where links in emails turn them off. Below the control API's prefix, so that the dashboard's origin forwards it. */
export const UNSUBSCRIBE_PATH = '/dashboard/v1/unsubscribe';

/** In characters. Longer advice is cut: all of it is on the linked page. */
const LONGEST_ADVICE = 1_000;

interface Content {
  readonly subject: string;
  /** What happened and who did it; what it means; what to do. */
  readonly paragraphs: readonly string[];
  readonly lines?: readonly string[];
  /** Path of the page to open, and what it shows. */
  readonly link: readonly [path: string, label: string];
}

/** A notification for members. */
export type MemberNotification = Notification & { readonly event: MemberEvent };

/** Whether an account's members get it, and neither an address outside nor the operator. */
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
 * @param unsubscribeUrl turns the kind off without a sign-in. @default none
 */
export function messageFor(notification: MemberNotification, names: Names, { userId, address, dashboard, unsubscribeUrl }: MessageTo): Message {
  const { link, ...content } = contentOf(notification, names);
  return layOut({
    id: messageIdOf(notification, userId),
    to: address,
    ...content,
    link: [`${dashboard}${link[0]}`, link[1]],
    signature: `This happened at ${minute(notification.at)}. You get this email because you are a member of the account.`,
    settings: [`${dashboard}${SETTINGS_PATH}`, 'Choose which emails you get'],
    unsubscribeUrl,
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
  const keys: Content['link'] = [`/accounts/${accountId}/keys`, 'Keys of the account'];
  const plan: Content['link'] = [`/accounts/${accountId}/plan`, 'Plan of the account'];
  switch (event.kind) {
    case 'domain_live':
    case 'domain_failed':
    case 'domain_degraded':
    case 'domain_lost':
    case 'certificate_late':
    case 'certificate_expired': {
      const { host, projectId, domainId } = event;
      const project = names.project === undefined ? projectId : quotedName(names.project);
      const where = `the project ${project} in ${inAccount}`;
      const link: Content['link'] = [`/projects/${projectId}/domains/${domainId}`, `The domain ${host}`];
      if (event.kind === 'domain_live') return { ...liveContent(event, where, names.pair), link };
      if ('removed' in event && event.removed !== undefined)
        return { ...removedContent(event.removed, host, where, names), link: [`/accounts/${accountId}/projects`, 'Projects of the account'] };
      const { subject, happened, means } = OF_DOMAIN[event.kind === 'certificate_late' && event.renewal === true ? 'renewal_late' : event.kind];
      const seen = event.advice === undefined ? '' : ` ${sentence(event.advice.seen)}`;
      const next = event.kind === 'domain_lost' && (event.advice?.actor ?? 'nobody') === 'nobody' ? AFTER_REMOVAL : nextOf(event.advice);
      return { subject: `${host} ${subject}`, paragraphs: [`${host}, a domain of ${where}, ${happened}${seen}`, means, next], link };
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
          `The keys of ${inAccount} have used at least 80% of the ${event.limit} requests that its plan allows on ${dayText(event.day)} (UTC).`,
          `Once all are used, every request is refused until ${minute((event.day + 1) * DAY_MS)}.`,
          'If you did not expect this, find the program that sends so much, and let it send less. If you need more, ask for a larger plan.',
        ],
        link: usage,
      };
    case 'quota_used_up':
      return {
        subject: 'The daily quota is used up',
        paragraphs: [
          `The keys of ${inAccount} have used all ${event.limit} requests that its plan allows on ${dayText(event.day)} (UTC).`,
          `Every request is refused until ${minute((event.day + 1) * DAY_MS)}. Keys that go on sending requests are banned.`,
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
        link: [`/accounts/${accountId}/projects`, 'The account'],
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
            'What the plan allows is available now. If its quota is larger, bans of the account’s keys were lifted.',
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

function liveContent(
  { host, again, renewed }: Extract<MemberEvent, { kind: 'domain_live' }>,
  where: string,
  pair: string | undefined,
): Omit<Content, 'link'> {
  if (pair !== undefined) {
    // The name without www is shorter.
    const both = [host, pair].toSorted((a, b) => a.length - b.length).join(' and ');
    return {
      subject: `${both} are live`,
      paragraphs: [
        `${both}, domains of ${where}, are live.`,
        'Visitors reach your site at both names, over HTTPS.',
        'Open them in your browser, and pass the address on.',
      ],
    };
  }
  if (renewed === true)
    return {
      subject: `${host} has its new certificate`,
      paragraphs: [
        `${host}, a domain of ${where}, has its new certificate, which was late.`,
        'Visitors have noticed nothing, and you don’t have to change anything.',
      ],
    };
  const works = again ? 'works again' : 'is live';
  return {
    subject: `${host} ${works}`,
    paragraphs: [
      `${host}, a domain of ${where}, ${works}.`,
      'Visitors reach your site at this name, over HTTPS.',
      again ? 'Open it in your browser once to see that the site is as you want it.' : 'Open it in your browser, and pass the address on.',
    ],
  };
}

function removedContent({ by, records }: DomainRemoval, host: string, where: string, names: Names): Omit<Content, 'link'> {
  const next =
    records.length === 0
      ? 'We have set its DNS records, and remove them now. If it was a mistake, add the name to a project again.'
      : 'If it was a mistake, add the name to a project again. Otherwise, remove its records at your DNS provider:';
  return {
    subject: `${host} was removed`,
    paragraphs: [
      `${actorOf(by, names)} has removed ${host} from ${where}.`,
      'It is no longer served: visitors don’t reach your site at this name.',
      next,
    ],
    lines: records.map(({ type, name, value }) => `${name}  ${type}  ${value}`),
  };
}

/** Who did it, at the start of a sentence. */
function actorOf(by: string, names: Names): string {
  return by === OPERATOR ? 'The operator' : printable(names.by ?? by, LONGEST_ADVICE);
}

const AFTER_DEPARTURE = {
  nothing: {
    means: 'They leave no API keys or deploy tokens that still work.',
    next: 'If you did not expect this, contact the operator.',
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

const AFTER_REMOVAL =
  'If you no longer use the name here, remove the records for it at your DNS provider. If this was a mistake, add it to the project again.';

/** How the sentence about what to do begins, by who must do it. */
const ACTORS: Readonly<Record<Actor, string>> = {
  owner: '',
  dns_provider: 'Your DNS provider has to act, so please pass this on: ',
  platform: 'This is up to the operator of this service: ',
  nobody: 'You can wait: ',
};

function nextOf(advice: NotedAdvice | undefined): string {
  if (advice === undefined) return AFTER_REMOVAL;
  // "Nothing" is for the owner; the message says here who acts instead.
  const fix = advice.fix.replace(/^nothing: /, '');
  return ACTORS[advice.actor] === '' ? sentence(fix) : `${ACTORS[advice.actor]}${ended(fix)}`;
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
