// CAA: which authorities may issue for a name (RFC 8659). The tree is climbed from the name to the root's children; a CNAME at a name is followed,
// but the parents of its target are not climbed. An adapter makes the lookups in this order.

import type { ServerFailure } from './dns-facts.ts';
import { printable } from './printable.ts';

export interface CaaRecord {
  /** Bit 7 means "critical": an authority that does not know the tag must not issue. */
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
  /** `owner` is the name that has the records: behind a CNAME, the CNAME's target. `unknown_tag`: adding another record does not help. */
  | { readonly kind: 'blocked'; readonly owner: string; readonly record: string; readonly why: 'not_listed' | 'unknown_tag' }
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
 * Whether one of these authorities may issue a certificate for this one name.
 *
 * @param lookups the climb's lookups, up to the first that found records or failed
 * @param authorities issuer domain names of the authority in use, such as `letsencrypt.org`; if empty (unknown), listed issuers decide nothing
 */
export function caaVerdict(lookups: readonly CaaLookup[], authorities: readonly string[]): CaaVerdict {
  for (const lookup of lookups) {
    if (lookup.kind === 'failed') return { kind: 'lookup_failed', name: lookup.name, reason: lookup.reason };
    if (lookup.kind === 'none') continue;
    return verdictOf(lookup.records, lookup.owner, authorities);
  }
  return { kind: 'allowed' };
}

function verdictOf(records: readonly CaaRecord[], owner: string, authorities: readonly string[]): CaaVerdict {
  const unknown = records.find(({ flags, tag }) => (flags & CRITICAL) !== 0 && !KNOWN_TAGS.includes(tag.toLowerCase()));
  if (unknown !== undefined) return { kind: 'blocked', owner, record: textOf(unknown), why: 'unknown_tag' };
  // A record set without `issue` restricts only wildcards, which we don't request.
  const issue = records.filter(({ tag }) => tag.toLowerCase() === 'issue');
  const [first] = issue;
  if (first === undefined || authorities.length === 0) return { kind: 'allowed' };
  const allowed = issue.some(({ value }) => authorities.includes(issuerOf(value)));
  return allowed ? { kind: 'allowed' } : { kind: 'blocked', owner, record: textOf(first), why: 'not_listed' };
}

/** The issuer's domain in a value such as `letsencrypt.org; validationmethods=http-01`; empty for `;`, which permits no authority. */
function issuerOf(value: string): string {
  return (value.split(';')[0] ?? '').trim().toLowerCase();
}

function textOf({ flags, tag, value }: CaaRecord): string {
  return `${flags} ${printable(tag, 40)} "${printable(value, 100)}"`;
}
