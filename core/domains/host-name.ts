// Host names as owners type them: which names are accepted, how they are normalized, and why others are refused.

import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { isLookalike } from './lookalike.ts';

export interface HostName {
  /** Lower case, in ASCII (RFC 5890), without a trailing dot. Only this form is stored and compared. */
  readonly host: string;
  /** In Unicode, for display. */
  readonly display: string;
  /** The registered domain, such as `example.co.uk`. */
  readonly registrable: string;
  /** Whether the host is the registered domain itself, which can't have a CNAME. */
  readonly apex: boolean;
}

export type HostNameCode = 'invalid_name' | 'public_suffix' | 'reserved_name';

export type HostNameResult =
  | { readonly ok: true; readonly name: HostName }
  | { readonly ok: false; readonly code: HostNameCode; readonly message: string };

export interface HostNamePolicy {
  /** The platform's own names, which are refused, along with all names below them. */
  readonly ours: readonly string[];
  /** Suffixes accepted in addition to the public ones: the sandbox's, if there is one. */
  readonly extraSuffixes: readonly string[];
}

/** The limit in RFC 1035, section 2.3.4, without the root's empty label. */
const MAX_LENGTH = 253;
const MAX_LABEL = 63;
/** Includes the middle dots and joiners that some scripts need (RFC 5892, appendix A). */
const LETTERS = /^(?:[\p{L}\p{M}\p{N}\u00b7\u30fb.-]|\u200c|\u200d)+$/u;

/** Special-use names (RFC 6761 and its registry), and names that routers assign. No one can prove control of such a name. */
const RESERVED = ['localhost', 'local', 'internal', 'test', 'example', 'invalid', 'onion', 'alt', 'arpa', 'lan', 'home', 'corp', 'intranet'];
const RESERVED_DOMAINS = ['example.com', 'example.net', 'example.org'];

/** Parses and normalizes a host name. @param input as typed: any case, in Unicode or ASCII, with or without a trailing dot */
export function parseHostName(input: string, policy: HostNamePolicy): HostNameResult {
  const typed = input
    .trim()
    .replace(/[。．｡]/g, '.')
    .replace(/\.$/, '')
    .toLowerCase();
  const problem = problemOf(typed);
  if (problem !== undefined) return refuse('invalid_name', input, problem);
  const host = domainToASCII(typed);
  const asciiProblem = asciiProblemOf(host);
  if (asciiProblem !== undefined) return refuse('invalid_name', input, asciiProblem);
  const display = domainToUnicode(host);
  // IDNA 2008 excludes symbols (RFC 5892). WHATWG's functions accept them, and also xn-- labels that decode to nonsense.
  if (domainToASCII(display) !== host || /(^|\.)xn--/.test(display) || !LETTERS.test(display))
    return refuse('invalid_name', input, 'labels of letters, digits and hyphens, also after xn-- labels are decoded');
  if (isLookalike(display)) return refuse('invalid_name', input, 'labels of one script each; this one mixes scripts, or looks like another name');

  const ours = policy.ours.find((name) => isAtOrBelow(host, name));
  if (ours !== undefined) return refuse('reserved_name', input, `a name that is yours; ${ours} and all names below it are ours`);
  const extra = policy.extraSuffixes.find((suffix) => isAtOrBelow(host, suffix));
  if (extra !== undefined) return underSuffix(host, display, extra, input);
  if (!host.includes('.') && !parse(host).isIcann) return refuse('invalid_name', input, 'a full name, such as shop.example.com');
  const reserved = [...RESERVED, ...RESERVED_DOMAINS].find((name) => isAtOrBelow(host, name));
  if (reserved !== undefined) return refuse('reserved_name', input, `a name in the public DNS; ${reserved} is reserved and can't be registered`);
  const { domain, publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  if (!isIcann && !isPrivate) return refuse('invalid_name', input, `a name under a public suffix; .${host.split('.').at(-1)} does not exist`);
  if (domain === null || publicSuffix === host) return refuse('public_suffix', input, `a name below ${host}, under which many people register names`);
  return { ok: true, name: { host, display, registrable: domain, apex: host === domain } };
}

/** Returns a stored host (ASCII, lower case) as its owner would write it, in Unicode; but in ASCII if the name could be mistaken for another one. */
export function displayHost(host: string): string {
  const display = domainToUnicode(host);
  return display === '' || domainToASCII(display) !== host || !LETTERS.test(display) || isLookalike(display) ? host : display;
}

/** Returns the registered domain, such as `example.co.uk`; the host itself if it can't be determined. */
export function registeredDomain(host: string): string {
  return parse(host).domain ?? host;
}

/** Returns the name that one owner controls: the registered domain, or a name that a provider assigns to each customer, such as `shop.eu.org`. */
export function ownersDomain(host: string): string {
  return parse(host, { allowPrivateDomains: true }).domain ?? host;
}

/** Whether the owner was shown an ALIAS for the host, as is the case for registered domains and for names directly below a provider's suffix. */
export function isApex(host: string): boolean {
  return ownersDomain(host) === host;
}

/** Returns a record's name as most providers' forms expect it: without its zone, or `@` for the zone itself; in full if the zone is unknown. */
export function labelOf(name: string, zone: string | undefined): string {
  if (name === zone) return '@';
  return zone !== undefined && isAtOrBelow(name, zone) ? name.slice(0, -zone.length - 1) : name;
}

/** Whether a name equals another name or is below it. */
export function isAtOrBelow(name: string, other: string): boolean {
  return name === other || name.endsWith(`.${other}`);
}

function underSuffix(host: string, display: string, suffix: string, input: string): HostNameResult {
  if (host === suffix) return refuse('public_suffix', input, `a name below ${suffix}`);
  const label = host
    .slice(0, -suffix.length - 1)
    .split('.')
    .at(-1);
  const registrable = `${label}.${suffix}`;
  return { ok: true, name: { host, display, registrable, apex: host === registrable } };
}

/** Checks the input before its conversion to ASCII. */
function problemOf(typed: string): string | undefined {
  if (typed === '') return 'a host name, such as shop.example.com';
  if (/[/:@?#\s\\]/.test(typed)) return 'only the host name, without https://, port, path or spaces';
  if (typed.includes('*')) return 'one name; wildcards are not supported';
  if (typed.includes('..') || typed.startsWith('.')) return 'a name without empty labels';
  if (/^[\d.]+$/.test(typed) || /(^|\.)0x[0-9a-f]*$/.test(typed)) return 'a name, not an address';
  return undefined;
}

/** Checks lengths and characters (RFC 1123, section 2.1), because WHATWG's domainToASCII is more lenient than DNS. */
function asciiProblemOf(host: string): string | undefined {
  if (host === '') return 'letters, digits and hyphens, in any script';
  if (host.length > MAX_LENGTH) return `at most ${MAX_LENGTH} characters in ASCII; this one has ${host.length}`;
  const labels = host.split('.');
  const long = labels.find((label) => label.length > MAX_LABEL);
  if (long !== undefined) return `labels of at most ${MAX_LABEL} characters in ASCII; one has ${long.length}`;
  const wrong = labels.find((label) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label));
  if (wrong !== undefined) return `labels of letters, digits and hyphens, no hyphen at either end; one is ${JSON.stringify(wrong)}`;
  if (/^\d+$/.test(labels.at(-1) ?? '')) return 'a name, not an address';
  return undefined;
}

function refuse(code: HostNameCode, input: string, allowed: string): HostNameResult {
  const given = input.length > 80 ? `${input.slice(0, 80)}…` : input;
  return { ok: false, code, message: `domain: got ${JSON.stringify(given)}; allowed: ${allowed}` };
}
