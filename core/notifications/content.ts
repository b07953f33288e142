// The building blocks of messages: their parts, the names in them, and sentences based on stored advice.

import { OPERATOR } from '../access/account.ts';
import type { Actor } from '../domains/diagnosis/diagnosis.ts';
import type { DomainRemoval } from '../domains/domain.ts';
import { printable } from '../domains/printable.ts';
import type { MemberEvent, NotedAdvice } from './notification.ts';

/** The current names of what a notification is about, and the addresses of its member and of the member who acted; undefined if they are gone. */
export interface Names {
  readonly account: string | undefined;
  readonly project: string | undefined;
  readonly key: string | undefined;
  readonly member: string | undefined;
  readonly by: string | undefined;
  /** The host of the domain that was added with this one and is also live. @default none */
  readonly pair?: string | undefined;
}

export interface Content {
  readonly subject: string;
  /** What happened and who did it, what it means, and what to do. */
  readonly paragraphs: readonly string[];
  readonly lines?: readonly string[];
  /** Path of the page to open, and the text of the link to it. */
  readonly link: readonly [path: string, label: string];
}

/** In characters. Longer advice is truncated; the linked page has all of it. */
export const LONGEST_ADVICE = 1_000;

/** Returns who acted, as the start of a sentence. */
export function actorOf(by: string, names: Names): string {
  return by === OPERATOR ? 'The operator' : printable(names.by ?? by, LONGEST_ADVICE);
}

/** Returns the advice, with a period added if it has none. */
export function ended(advice: string): string {
  const text = printable(advice, LONGEST_ADVICE);
  return /[.…]$/.test(text) ? text : `${text}.`;
}

function sentence(advice: string): string {
  const text = ended(advice);
  // A host name at the start is not capitalized.
  return /^[a-z]+[ ,:]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

/** Formats a time in UTC, for people. */
export function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export type DomainEvent = Extract<MemberEvent, { host: string }>;

/** Writes the content of a domain's message. @param where the project and the account, as part of a sentence */
export function domainContent(event: DomainEvent, accountId: string, where: string, names: Names): Content {
  const { host, projectId, domainId } = event;
  const link: Content['link'] = [`/projects/${projectId}/domains/${domainId}`, `View ${host}`];
  if (event.kind === 'domain_live') return { ...liveContent(event, where, names.pair), link };
  if ('removed' in event && event.removed !== undefined)
    return { ...removedContent(event.removed, host, where, names), link: [`/accounts/${accountId}/projects`, 'Projects of the account'] };
  const { subject, happened, means } = OF_DOMAIN[event.kind === 'certificate_late' && event.renewal === true ? 'renewal_late' : event.kind];
  const seen = event.advice === undefined ? '' : ` ${sentence(event.advice.seen)}`;
  const next = event.kind === 'domain_lost' && (event.advice?.actor ?? 'nobody') === 'nobody' ? AFTER_REMOVAL : nextOf(event.advice);
  return { subject: `${host} ${subject}`, paragraphs: [`${host}, a domain of ${where}, ${happened}${seen}`, means, next], link };
}

function liveContent(
  { host, again, renewed }: Extract<MemberEvent, { kind: 'domain_live' }>,
  where: string,
  pair: string | undefined,
): Omit<Content, 'link'> {
  if (pair !== undefined) {
    // The shorter name is the one without www.
    const both = [host, pair].toSorted((a, b) => a.length - b.length).join(' and ');
    return {
      subject: `${both} are live`,
      paragraphs: [
        `${both}, domains of ${where}, are live.`,
        'Visitors reach your site at both names, over HTTPS.',
        'Open them in your browser, and share the address.',
      ],
    };
  }
  if (renewed === true)
    return {
      subject: `${host} has its new certificate`,
      paragraphs: [
        `${host}, a domain of ${where}, has its new certificate, which was late.`,
        'Visitors noticed nothing, and you don’t have to change anything.',
      ],
    };
  const works = again ? 'works again' : 'is live';
  return {
    subject: `${host} ${works}`,
    paragraphs: [
      `${host}, a domain of ${where}, ${works}.`,
      'Visitors can reach your site at this name over HTTPS.',
      again ? 'Open it in your browser once to check that the site looks right.' : 'Open it in your browser, and share the address.',
    ],
  };
}

function removedContent({ by, records }: DomainRemoval, host: string, where: string, names: Names): Omit<Content, 'link'> {
  const next =
    records.length === 0
      ? 'We set its DNS records, and are removing them now. If this was a mistake, add the name to a project again.'
      : 'If this was a mistake, add the name to a project again. Otherwise, remove its records at your DNS provider:';
  return {
    subject: `${host} was removed`,
    paragraphs: [
      `${actorOf(by, names)} has removed ${host} from ${where}.`,
      'It is no longer served: visitors can’t reach your site at this name.',
      next,
    ],
    lines: records.map(({ type, name, value }) => `${name}  ${type}  ${value}`),
  };
}

const OF_DOMAIN = {
  domain_failed: { subject: 'is not live', happened: 'could not be set up.', means: 'Visitors can’t reach your site at this name.' },
  domain_degraded: {
    subject: 'no longer points here',
    happened: 'no longer points here.',
    means: 'The site may be unreachable at this name now, and its certificate can’t be renewed.',
  },
  domain_lost: { subject: 'is no longer served', happened: 'is no longer served.', means: 'Visitors can’t reach your site at this name any more.' },
  certificate_late: {
    subject: 'is still waiting for its certificate',
    happened: 'still has no certificate.',
    means: 'Visitors can’t reach your site at this name yet.',
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

/** How the sentence about what to do begins, per actor. */
const ACTORS: Readonly<Record<Actor, string>> = {
  owner: '',
  dns_provider: 'Your DNS provider has to act, so please pass this on: ',
  platform: 'This is up to the operator of this service: ',
  nobody: 'You can wait: ',
};

function nextOf(advice: NotedAdvice | undefined): string {
  if (advice === undefined) return AFTER_REMOVAL;
  // "nothing" means that the owner has nothing to do; the message says who acts instead.
  const fix = advice.fix.replace(/^nothing: /, '');
  return ACTORS[advice.actor] === '' ? sentence(fix) : `${ACTORS[advice.actor]}${ended(fix)}`;
}
