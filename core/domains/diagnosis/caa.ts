// CAA: which authorities may issue for a name (RFC 8659). The tree is climbed from the name to its top-level domain. A CNAME at a name is followed,
// but the parents of its target are not queried. An adapter makes the lookups in this order.

import { printable } from '../printable.ts';

/**
 * Why a server gave no usable answer. `not_public`: not queried, because its address can't belong to a public name server. `no_address`: none is
 * known for its name. `not_responsible`: not authoritative for the zone ("lame", RFC 1912, section 2.8); answers with a referral or from a cache.
 */
export type ServerFailure = 'servfail' | 'refused' | 'timeout' | 'malformed' | 'not_public' | 'no_address' | 'not_responsible';

/** How a CAA record may permit an authority (RFC 8659 and 8657). */
export interface CaaIdentity {
  /** Issuer names, lower case; empty while unknown. */
  readonly issuers: readonly string[];
  /** URI of our account. @default unknown, or not supported by the authority */
  readonly accountUri?: string | undefined;
  /** The validation methods that are used, such as `http-01`. @default unknown, or not supported by the authority */
  readonly methods?: readonly string[] | undefined;
}

export interface CaaRecord {
  /** Bit 7 ("critical") means that an authority that does not know the tag must not issue. */
  readonly flags: number;
  readonly tag: string;
  readonly value: string;
}

/** What was found at one name during the climb. */
export type CaaLookup =
  | { readonly name: string; readonly kind: 'found'; readonly records: readonly CaaRecord[]; readonly owner: string }
  | { readonly name: string; readonly kind: 'none' }
  | { readonly name: string; readonly kind: 'failed'; readonly reason: ServerFailure };

export type CaaVerdict =
  | { readonly kind: 'allowed' }
  /**
   * `name` was looked up. `owner` is the name that has the records: if `name` is a CNAME, its target. `unknown_tag`: adding another record does not
   * help. `needed`: the value of an `issue` record that would permit the authority; undefined if the authority's names are unknown.
   */
  | {
      readonly kind: 'blocked';
      readonly name: string;
      readonly owner: string;
      readonly record: string;
      readonly why: 'not_listed' | 'parameters' | 'unknown_tag';
      readonly needed: string | undefined;
    }
  | { readonly kind: 'lookup_failed'; readonly name: string; readonly reason: ServerFailure };

const CRITICAL = 0x80;
/** RFC 8659, section 4; the other known tags never forbid issuance (RFC 8657 adds parameters, not tags; RFC 9495 adds issuemail). */
const KNOWN_TAGS = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone'];

/** Returns the names to look up, in order: the first name with records decides. */
export function caaClimb(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * Whether the authority may issue a certificate for this one name.
 *
 * @param lookups the climb's lookups, up to the first that found records or failed
 * @param authority if its issuer names are unknown, the issuers in the records are ignored
 */
export function caaVerdict(lookups: readonly CaaLookup[], authority: CaaIdentity): CaaVerdict {
  for (const lookup of lookups) {
    if (lookup.kind === 'failed') return { kind: 'lookup_failed', name: lookup.name, reason: lookup.reason };
    if (lookup.kind === 'none') continue;
    return verdictOf(lookup, authority);
  }
  return { kind: 'allowed' };
}

function verdictOf({ name, owner, records }: Extract<CaaLookup, { kind: 'found' }>, authority: CaaIdentity): CaaVerdict {
  const unknown = records.find(({ flags, tag }) => (flags & CRITICAL) !== 0 && !KNOWN_TAGS.includes(tag.toLowerCase()));
  const [issuer] = authority.issuers;
  if (unknown !== undefined) return { kind: 'blocked', name, owner, record: textOf(unknown), why: 'unknown_tag', needed: undefined };
  // A record set without `issue` restricts only wildcards, which we don't request for domains.
  const issue = records.filter(({ tag }) => tag.toLowerCase() === 'issue');
  const [first] = issue;
  if (first === undefined || issuer === undefined) return { kind: 'allowed' };
  const listed = issue.filter(({ value }) => authority.issuers.includes(issuerOf(value)));
  if (listed.some(({ value }) => isSatisfied(value, authority))) return { kind: 'allowed' };
  const [restricted] = listed;
  if (restricted === undefined) return { kind: 'blocked', name, owner, record: textOf(first), why: 'not_listed', needed: issuer };
  const tags = parametersOf(restricted.value).map(([tag]) => tag);
  const needed = [
    issuerOf(restricted.value),
    ...(tags.includes(ACCOUNT_URI) && authority.accountUri !== undefined ? [`${ACCOUNT_URI}=${authority.accountUri}`] : []),
    ...(tags.includes(METHODS) && authority.methods !== undefined ? [`${METHODS}=${authority.methods.join(',')}`] : []),
  ].join('; ');
  return { kind: 'blocked', name, owner, record: textOf(restricted), why: 'parameters', needed };
}

/** RFC 8657, sections 3 and 4. */
const ACCOUNT_URI = 'accounturi';
const METHODS = 'validationmethods';

/** Whether an `issue` record's parameters permit our account and our validation methods. A parameter is ignored if ours is unknown. */
function isSatisfied(value: string, { accountUri, methods }: CaaIdentity): boolean {
  const parameters = parametersOf(value);
  const accounts = parameters.filter(([tag]) => tag === ACCOUNT_URI);
  const permitted = parameters.filter(([tag]) => tag === METHODS);
  // Two parameters with the same tag permit nothing.
  if (accounts.length > 1 || permitted.length > 1) return false;
  const isOurAccount = accounts.every(([, uri]) => accountUri === undefined || uri === accountUri);
  return isOurAccount && permitted.every(([, list]) => methods === undefined || list.split(',').some((method) => methods.includes(method.trim())));
}

/** Returns the issuer's domain in a value such as `letsencrypt.org; validationmethods=http-01`; empty for `;`, which permits no authority. */
function issuerOf(value: string): string {
  return (value.split(';')[0] ?? '').trim().toLowerCase();
}

/** Returns the parameters in a value, with their tags in lower case (RFC 8659, section 4.2). */
function parametersOf(value: string): readonly (readonly [tag: string, value: string])[] {
  return value
    .split(';')
    .slice(1)
    .map((parameter) => parameter.split(/=(.*)/s))
    .map(([tag = '', text = '']) => [tag.trim().toLowerCase(), text.trim()] as const);
}

function textOf({ flags, tag, value }: CaaRecord): string {
  return `${flags} ${printable(tag, 40)} "${printable(value, 200)}"`;
}
