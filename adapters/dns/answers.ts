// Interprets responses from name servers: which records a name has, and for how long a server caches them.

import type { Answer, CaaAnswer, RecordType, SoaAnswer, StringAnswer, TxtAnswer } from 'dns-packet';
import type { CaaLookup, ServerFailure } from '../../core/domains/diagnosis/caa.ts';
import type { Addresses, NameRecords, ServerAnswer } from '../../core/domains/diagnosis/dns-facts.ts';
import { readName } from './decode-message.ts';
import type { QueryResult } from './query.ts';

/** Returns the records that one server has at exactly this name. A failed query for one type does not hide the records of other types. */
export function answerOf(
  server: string,
  host: string,
  results: readonly (QueryResult | { readonly kind: 'failed'; readonly reason: ServerFailure })[],
): ServerAnswer {
  const failed = results.find((result) => result.kind === 'failed');
  const answered = results.map((result) => (result.kind === 'answer' ? result : undefined));
  const [cname, a, aaaa, txt, https] = answered;
  // Without CNAME and A results, nothing is known about the name.
  if (cname === undefined && a === undefined) return { server, kind: 'failed', reason: failed?.reason ?? 'malformed' };
  const records: NameRecords = {
    // A server returns a CNAME for any queried type.
    cname: [...new Set(answered.flatMap((result) => namesAt(result, host, 'CNAME')))],
    a: dataAt(a, host, 'A'),
    aaaa: dataAt(aaaa, host, 'AAAA'),
    txt: textsAt(txt, host),
    https: httpsTargetsAt(https, host),
    dname: dnameOf(cname, host),
  };
  if (records.cname.length + records.a.length + records.aaaa.length + records.txt.length > 0)
    return { server, kind: 'records', records, ttlSeconds: positiveTtl(answered, host) };
  return { server, kind: 'none', ttlSeconds: negativeTtl(answered) };
}

function answersAt(result: QueryResult | undefined, name: string, type: RecordType): readonly Answer[] {
  if (result?.kind !== 'answer') return [];
  return result.answers.filter((answer) => answer.type === type && answer.name.toLowerCase() === name);
}

/** Returns a name in the form used for comparison: lower case, without the final dot. */
export function nameOf(data: string): string {
  return data.toLowerCase().replace(/(?<!\\)\.$/, '');
}

/** Returns the names in the CNAME or NS records at a name, normalized. */
export function namesAt(result: QueryResult | undefined, name: string, type: 'CNAME' | 'NS'): readonly string[] {
  return answersAt(result, name, type).map((answer) => nameOf((answer as StringAnswer).data));
}

/** The type of HTTPS records (RFC 9460, section 14.2), which dns-packet does not know. */
export const HTTPS_TYPE = 'UNKNOWN_65' as RecordType;

/** Returns the targets of the HTTPS records at a name, except for the name itself (RFC 9460, section 2.2). */
function httpsTargetsAt(result: QueryResult | undefined, name: string): readonly string[] {
  return answersAt(result, name, HTTPS_TYPE).flatMap((answer) => {
    const { data } = answer as unknown as { readonly data: Buffer };
    // Two bytes of priority, then the target, which is never compressed; `.` means the name itself, or no target.
    const target = data.byteLength > 3 ? targetIn(data) : '';
    return target === '' || target === name ? [] : [target];
  });
}

/** Returns an empty name for a malformed target, which no browser follows. */
function targetIn(data: Buffer): string {
  try {
    return nameOf(readName(data, 2));
  } catch {
    return '';
  }
}

/** Returns the parent name whose DNAME record makes a server synthesize a CNAME (RFC 6672, section 3.1). */
function dnameOf(result: QueryResult | undefined, name: string): string | undefined {
  if (result?.kind !== 'answer') return undefined;
  return result.answers.find((answer) => answer.type === 'DNAME' && name.endsWith(`.${answer.name.toLowerCase()}`))?.name.toLowerCase();
}

function dataAt(result: QueryResult | undefined, name: string, type: 'A' | 'AAAA'): readonly string[] {
  return answersAt(result, name, type).map((answer) => (answer as StringAnswer).data);
}

/** Returns the TXT values at a name, each with its strings joined. */
export function textsAt(result: QueryResult | undefined, name: string): readonly string[] {
  return answersAt(result, name, 'TXT').map((answer) => [(answer as TxtAnswer).data].flat().map(String).join(''));
}

/** Returns the addresses at any name in the response, including those behind a CNAME. */
export function addressesIn(result: QueryResult, type: 'A' | 'AAAA'): readonly string[] {
  if (result.kind !== 'answer') return [];
  return result.answers.filter((answer) => answer.type === type).map((answer) => (answer as StringAnswer).data);
}

/** Whether a server returns addresses but no CNAME. The addresses may be the edge's, through an ALIAS. */
export function hasAddresses(answer: ServerAnswer): boolean {
  return answer.kind === 'records' && answer.records.cname.length === 0 && answer.records.a.length + answer.records.aaaa.length > 0;
}

/** Returns the distinct addresses of one family. */
export function distinctAddresses(all: readonly Addresses[], type: keyof Addresses): readonly string[] {
  return [...new Set(all.flatMap((each) => each[type]))];
}

/** Returns an answer with the addresses of a later answer from the same server. @param addresses undefined if the server was not queried again */
export function withAddresses(answer: ServerAnswer | undefined, addresses: Addresses | undefined): ServerAnswer {
  const known = answer as ServerAnswer;
  return known.kind === 'records' && addresses !== undefined ? { ...known, records: { ...known.records, ...addresses } } : known;
}

/** Merges several answers from one server about a name. */
export function union(answers: readonly (ServerAnswer | undefined)[]): ServerAnswer {
  const [first] = answers as readonly [ServerAnswer];
  if (first.kind !== 'records') return first;
  const records = answers.flatMap((answer) => (answer?.kind === 'records' ? [answer.records] : []));
  return { ...first, records: { ...first.records, a: distinctAddresses(records, 'a'), aaaa: distinctAddresses(records, 'aaaa') } };
}

/** Returns the addresses in a server's answer as text for comparison; empty if it has none. */
export function addressText(answer: ServerAnswer | undefined): string {
  return answer?.kind === 'records' ? addressesText(answer.records) : '';
}

/** Returns addresses, sorted within each family, as text for comparison. */
export function addressesText({ a, aaaa }: Addresses): string {
  return [...a.toSorted(), ...aaaa.toSorted()].join(' ');
}

function positiveTtl(results: readonly (QueryResult | undefined)[], host: string): number | undefined {
  const ttls = results.flatMap((result) =>
    result?.kind === 'answer'
      ? result.answers.flatMap((answer) => ('ttl' in answer && answer.name.toLowerCase() === host && answer.ttl !== undefined ? [answer.ttl] : []))
      : [],
  );
  return ttls.length === 0 ? undefined : Math.max(...ttls);
}

/** Returns the smaller of the SOA's TTL, which counts down in a recursive resolver, and the SOA's minimum (RFC 2308, section 5). */
function negativeTtl(results: readonly (QueryResult | undefined)[]): number | undefined {
  for (const result of results) {
    if (result?.kind !== 'answer') continue;
    const soa = result.authorities.find((answer): answer is SoaAnswer => answer.type === 'SOA');
    if (soa !== undefined) return Math.min(soa.ttl ?? Number.POSITIVE_INFINITY, soa.data.minimum ?? Number.POSITIVE_INFINITY);
  }
  return undefined;
}

/** Returns the CAA records in the response for a name, with their owner name, which differs behind a CNAME. */
export function caaOf(name: string, result: QueryResult): CaaLookup {
  if (result.kind === 'failed') return { name, kind: 'failed', reason: result.reason };
  const records = result.answers.filter((answer): answer is CaaAnswer => answer.type === 'CAA');
  const [first] = records;
  if (first === undefined) return { name, kind: 'none' };
  return {
    name,
    kind: 'found',
    owner: first.name.toLowerCase(),
    records: records.map(({ data }) => ({ flags: data.flags ?? 0, tag: data.tag, value: data.value })),
  };
}
