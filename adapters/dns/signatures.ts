// Finds the zone whose DNSSEC signatures a recursive resolver rejects, and what is wrong with them. Resolvers report the reason (RFC 8914), but many
// say only that the signatures are invalid, so the signatures' dates are checked as well.

import type { RrsigAnswer } from 'dns-packet';
import { BoundedMap } from '../../core/bounded-map.ts';
import { caaClimb } from '../../core/domains/diagnosis/caa.ts';
import type { Addresses, BogusZone } from '../../core/domains/diagnosis/dns-facts.ts';
import { isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import type { NameServer } from './name-server.ts';
import type { QueryResult } from './query.ts';
import type { SendQuery } from './resolver.ts';

/** Extended errors that give the reason (RFC 8914, sections 4.8 and 4.9). */
const EXTENDED_ERRORS: Readonly<Record<number, BogusZone['why']>> = { 7: 'expired', 8: 'not_yet_valid' };

/** Returns the highest zone with invalid signatures. @param server the resolver that rejects them @param zone the host's; undefined if unknown */
export async function bogusZone(ask: SendQuery, server: NameServer, host: string, zone: string | undefined, now: number): Promise<BogusZone> {
  const seenBy = server.address;
  const top = registeredDomain(host);
  const names = caaClimb(zone ?? top).filter((name) => isAtOrBelow(name, top));
  for (const name of names.reverse()) {
    const result = await ask(server, name, 'SOA', { recursive: true });
    if (result.kind === 'failed')
      return { name, seenBy, why: EXTENDED_ERRORS[result.extendedError ?? 0] ?? (await whyBogus(ask, server, name, now)) };
  }
  return { name: zone ?? top, seenBy, why: 'other' };
}

async function whyBogus(ask: SendQuery, server: NameServer, zone: string, now: number): Promise<BogusZone['why']> {
  const extra = { recursive: true, checkingDisabled: true, signatures: true };
  const [keys, soa] = await Promise.all([ask(server, zone, 'DNSKEY', extra), ask(server, zone, 'SOA', extra)]);
  if (keys.kind !== 'answer' || soa.kind !== 'answer') return 'other';
  if (!keys.answers.some(({ type }) => type === 'DNSKEY')) return 'unsigned';
  const seconds = now / 1_000;
  for (const signatures of [signaturesOf(keys, 'DNSKEY'), signaturesOf(soa, 'SOA')]) {
    if (signatures.length === 0) continue;
    if (signatures.every(({ expiration }) => expiration < seconds)) return 'expired';
    if (signatures.every(({ inception }) => inception > seconds)) return 'not_yet_valid';
  }
  return 'other';
}

/** Returns the signatures of records of one type; their dates are in seconds since 1970. */
function signaturesOf(result: Extract<QueryResult, { kind: 'answer' }>, type: string): readonly RrsigAnswer['data'][] {
  return result.answers.flatMap((answer) => (answer.type === 'RRSIG' && answer.data.typeCovered === type ? [answer.data] : []));
}

/** How long an address counts as the edge's after it was last seen, in milliseconds, and how many are remembered. */
const EDGE_MEMORY_MS = 3_600_000;
const EDGE_MEMORY = 1_000;

/** Remembers up to 1,000 of the edge's addresses for an hour each, because a CDN returns only a few of them each time. */
export class EdgeAddresses {
  /** When each address was last seen, by `performance.now()`. */
  readonly #seen = new BoundedMap<string, number>(EDGE_MEMORY);

  remember(seen: readonly Addresses[]): void {
    for (const address of seen.flatMap(({ a, aaaa }) => [...a, ...aaaa])) this.#seen.set(address, performance.now());
  }

  /** Returns those of the given addresses that were the edge's within the last hour. */
  partOf({ a, aaaa }: Addresses): Addresses {
    const isRecent = (address: string) => (this.#seen.get(address) ?? Number.NEGATIVE_INFINITY) > performance.now() - EDGE_MEMORY_MS;
    return { a: a.filter(isRecent), aaaa: aaaa.filter(isRecent) };
  }
}
