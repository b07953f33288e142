// What is wrong with the DNS of a domain, and who must act: facts in, one diagnosis out. The authoritative servers say what is
// configured and decide; recursive servers say what the world sees, and only tell whether that has arrived.

import { caaVerdict } from './caa.ts';
import type { DnsFacts, NameRecords, ServerAnswer } from './dns-facts.ts';
import { proxyOf } from './proxy-ranges.ts';

export type DiagnosisCode =
  | 'ok'
  | 'ok_flattened'
  | 'not_found'
  | 'wrong_target'
  | 'indirect_cname'
  | 'cname_required'
  | 'conflict_a'
  | 'conflict_aaaa'
  | 'apex_cname'
  | 'multiple_cname'
  | 'cname_loop'
  | 'proxied'
  | 'propagating'
  | 'dnssec_bogus'
  | 'dns_unreachable'
  | 'ownership_required'
  | 'caa_blocked'
  | 'caa_lookup_failed';

/** Who must do something: the domain's owner, whoever runs its name servers, this service's operators, or nobody: it takes time. */
export type Actor = 'owner' | 'dns_provider' | 'platform' | 'nobody';

export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** What was found, in words. */
  readonly seen: string;
  /** What to do, in words. */
  readonly fix: string;
  readonly actor: Actor;
  /** Not before so long looking again makes sense, in seconds: others remember for that time that there is nothing. */
  readonly retryAfterSeconds?: number | undefined;
}

/** What the DNS of a domain should say. */
export interface Expected {
  readonly host: string;
  /** The project's edge host: the value of the CNAME. */
  readonly target: string;
  /** The value of the TXT record that proves a claim: for an apex, and for a name that is claimed elsewhere. */
  readonly token: string;
  /** Is a TXT record needed though the CNAME names the project? */
  readonly claimedElsewhere: boolean;
  /** Issuer names of the certificate authority in use (RFC 8659). */
  readonly authorities: readonly string[];
}

/** Where the TXT record stands. */
export function txtName(host: string): string {
  return `_petstore.${host}`;
}

export function isGood(code: DiagnosisCode): boolean {
  return code === 'ok' || code === 'ok_flattened';
}

/** @param ownership strings of the TXT records at txtName(host) */
export function diagnose(expected: Expected, facts: DnsFacts, ownership: readonly string[]): Diagnosis {
  const answers = facts.authoritative.filter((answer) => answer.kind !== 'failed');
  if (answers.length === 0) return unreachable(expected, facts);
  const verdicts = answers.map((answer) => judge(expected, facts, answer));
  const [first] = verdicts as [Diagnosis];
  if (new Set(answers.map(textOf)).size > 1 && new Set(verdicts.map(({ code }) => code)).size > 1) return disagreeing(facts.authoritative);
  if (!isGood(first.code)) return first;
  return judgeGood(expected, facts, ownership, first);
}

/** The record is right at its source: is it seen, is it proved, and may a certificate be issued? */
function judgeGood(expected: Expected, facts: DnsFacts, ownership: readonly string[], good: Diagnosis): Diagnosis {
  const needsProof = good.code === 'ok_flattened' || expected.claimedElsewhere;
  if (needsProof && !ownership.includes(expected.token)) {
    const found = ownership.length === 0 ? 'no TXT record' : `TXT ${ownership.map((value) => JSON.stringify(value)).join(', ')}`;
    const why = expected.claimedElsewhere ? 'another account has claimed this name' : 'addresses alone do not say which project they mean';
    return {
      code: 'ownership_required',
      seen: `${found} at ${txtName(expected.host)}`,
      fix: `add the record: TXT, name ${txtName(expected.host)}, value ${expected.token}; ${why}`,
      actor: 'owner',
    };
  }
  const bogus = facts.recursive.find((answer) => answer.kind === 'failed' && answer.bogus);
  if (bogus !== undefined) return dnssec(facts, bogus.server);
  const behind = facts.recursive.filter((answer) => answer.kind !== 'failed' && !isGood(judge(expected, facts, answer).code));
  const [late] = behind;
  if (late !== undefined) {
    return {
      code: 'propagating',
      seen: `the name servers of ${facts.zone ?? 'the zone'} have the right record; ${behind.map(({ server }) => server).join(', ')} still answers ${textOf(late)}`,
      fix: 'wait: resolvers keep an old answer until its TTL has run out, up to 48 hours',
      actor: 'nobody',
      retryAfterSeconds: late.kind === 'none' ? late.negativeTtlSeconds : undefined,
    };
  }
  const caa = caaVerdict(facts.caa, expected.authorities);
  if (caa.kind === 'blocked') return caaBlocked(expected, caa.owner, caa.record);
  if (caa.kind === 'lookup_failed') {
    return {
      code: 'caa_lookup_failed',
      seen: `no answer for the CAA records of ${caa.name}: ${caa.reason}`,
      fix: `make the name servers of ${caa.name} answer questions for type CAA; an authority must not issue without`,
      actor: 'dns_provider',
    };
  }
  return good;
}

/** What one server's answer means. */
function judge(expected: Expected, facts: DnsFacts, answer: ServerAnswer): Diagnosis {
  const { host, target } = expected;
  const apex = facts.zone === host;
  const needed = apex ? `ALIAS or ANAME, name ${host}, value ${target}` : `CNAME, name ${host}, value ${target}`;
  if (answer.kind !== 'records' || isEmpty(answer.records)) {
    const misplaced = facts.misplaced === undefined ? '' : `; there is ${facts.misplaced.value} at ${facts.misplaced.name}, which is another name`;
    return {
      code: 'not_found',
      seen: `no record at ${host}${misplaced}`,
      fix: `add the record: ${needed}${misplaced === '' ? '' : `; in the form of the DNS provider the name is probably just ${JSON.stringify(labelOf(host, facts.zone))}`}`,
      actor: 'owner',
      retryAfterSeconds: answer.kind === 'none' ? answer.negativeTtlSeconds : undefined,
    };
  }
  const { records } = answer;
  const [cname] = records.cname;
  if (cname !== undefined) return judgeCname(expected, facts, records, cname, apex);
  return judgeAddresses(expected, facts, records, apex, needed);
}

function judgeCname(expected: Expected, facts: DnsFacts, records: NameRecords, cname: string, apex: boolean): Diagnosis {
  const { host, target } = expected;
  const replace = `change the record to: CNAME, name ${host}, value ${target}`;
  if (records.cname.length > 1) {
    return owner(
      'multiple_cname',
      `${records.cname.length} CNAME records at ${host}: ${records.cname.join(', ')}`,
      `keep one CNAME, with the value ${target}, and remove the others`,
    );
  }
  if (cname === host || facts.loops) {
    return owner('cname_loop', `a CNAME at ${host} that leads back to itself: ${[host, ...facts.chain].join(' → ')}`, replace);
  }
  if (apex) {
    return owner(
      'apex_cname',
      `a CNAME to ${cname} at ${host}, which is the top of its zone, where SOA and NS records stand and no CNAME may (RFC 1034, section 3.6.2)`,
      `use ALIAS or ANAME with the value ${target} instead; if your DNS provider has neither, use a subdomain such as www.${host}`,
    );
  }
  const conflict = conflictOf(
    records,
    `beside the CNAME at ${host}`,
    `remove it; a name with a CNAME has no other records (RFC 1034, section 3.6.2)`,
  );
  if (conflict !== undefined) return conflict;
  if (cname === target) return { code: 'ok', seen: `CNAME ${cname}`, fix: 'nothing', actor: 'nobody' };
  if (facts.chain.includes(target)) {
    return owner(
      'indirect_cname',
      `a CNAME to ${cname}, which leads to ${target} in the end`,
      `${replace}; only a direct one proves the project, and the one between can change`,
    );
  }
  const suffixed = facts.zone !== undefined && cname === `${target}.${facts.zone}`;
  return owner(
    'wrong_target',
    `a CNAME to ${cname}`,
    suffixed ? `${replace}. with a dot at the end: your DNS provider has added ${facts.zone} to the value` : replace,
  );
}

function judgeAddresses(expected: Expected, facts: DnsFacts, records: NameRecords, apex: boolean, needed: string): Diagnosis {
  const { host, target } = expected;
  const addresses = [...records.a, ...records.aaaa];
  if (addresses.length === 0) return owner('not_found', `no CNAME and no addresses at ${host}, only other records`, `add the record: ${needed}`);
  const ours = new Set([...facts.edge.a, ...facts.edge.aaaa].map(canonicalAddress));
  const foreign = addresses.filter((address) => !ours.has(canonicalAddress(address)));
  if (foreign.length === 0) {
    if (apex) return { code: 'ok_flattened', seen: `addresses of ${target}: ${addresses.join(', ')}`, fix: 'nothing', actor: 'nobody' };
    return owner(
      'cname_required',
      `addresses of our edge at ${host}: ${addresses.join(', ')}`,
      `use a CNAME with the value ${target} instead: these addresses change, and they do not say which project is meant`,
    );
  }
  const proxy = foreign.map(proxyOf).find((name) => name !== undefined);
  if (proxy !== undefined) {
    return owner(
      'proxied',
      `addresses of ${proxy}'s proxy at ${host}: ${addresses.join(', ')}`,
      `switch the proxy off for this record (at ${proxy}: "DNS only", the grey cloud), so that ${needed} is seen`,
    );
  }
  const conflict = conflictOf(
    { ...records, a: records.a.filter((address) => foreign.includes(address)), aaaa: records.aaaa.filter((address) => foreign.includes(address)) },
    `at ${host}`,
    `remove it (or the wildcard it comes from), and add the record: ${needed}`,
  );
  return conflict as Diagnosis;
}

/** Address records that are in the way. */
function conflictOf({ a, aaaa }: NameRecords, where: string, fix: string): Diagnosis | undefined {
  if (a.length > 0) return owner('conflict_a', `A ${a.join(', ')} ${where}`, fix);
  if (aaaa.length > 0) return owner('conflict_aaaa', `AAAA ${aaaa.join(', ')} ${where}`, fix);
  return undefined;
}

function owner(code: DiagnosisCode, seen: string, fix: string): Diagnosis {
  return { code, seen, fix, actor: 'owner' };
}

function unreachable({ host }: Expected, facts: DnsFacts): Diagnosis {
  const bogus = facts.recursive.find((answer) => answer.kind === 'failed' && answer.bogus);
  if (bogus !== undefined) return dnssec(facts, bogus.server);
  const reasons = facts.authoritative.map((answer) => `${answer.server}: ${textOf(answer)}`);
  const hidden = facts.authoritative.length > 0 && facts.authoritative.every((answer) => answer.kind === 'failed' && answer.reason === 'not_public');
  if (hidden) {
    return owner(
      'dns_unreachable',
      `the name servers of ${facts.zone ?? host} cannot be reached from the internet (${reasons.join('; ')})`,
      `at the registrar, delegate ${facts.zone ?? host} to name servers with public addresses`,
    );
  }
  return {
    code: 'dns_unreachable',
    seen:
      reasons.length === 0 ? `no name servers found for ${host}` : `no answer of the name servers of ${facts.zone ?? host} (${reasons.join('; ')})`,
    fix: 'nothing, if it passes: we keep asking; else make the name servers answer, or the delegation at the registrar point to those that do',
    actor: 'dns_provider',
  };
}

function dnssec(facts: DnsFacts, server: string): Diagnosis {
  return {
    code: 'dnssec_bogus',
    seen: `${server} refuses the answers for ${facts.host}: their DNSSEC signatures do not hold`,
    fix: `at the registrar, remove the DS record of ${facts.zone ?? 'the zone'} or replace it with that of the zone's key`,
    actor: 'owner',
  };
}

function disagreeing(authoritative: readonly ServerAnswer[]): Diagnosis {
  return {
    code: 'propagating',
    seen: `the name servers disagree: ${authoritative.map((answer) => `${answer.server}: ${textOf(answer)}`).join('; ')}`,
    fix: 'wait until all of them have the change; if that takes more than an hour, ask the DNS provider',
    actor: 'nobody',
  };
}

function caaBlocked(expected: Expected, recordOwner: string, record: string): Diagnosis {
  const platform = recordOwner === expected.target || expected.target.endsWith(`.${recordOwner}`);
  const add = `0 issue "${expected.authorities[0] ?? ''}"`;
  return {
    code: 'caa_blocked',
    seen: `CAA ${record} at ${recordOwner}, which does not allow ${expected.authorities.join(' or ')}`,
    fix: platform ? 'nothing: the record is on our own name, and we have to change it' : `add the record: CAA, name ${recordOwner}, value ${add}`,
    actor: platform ? 'platform' : 'owner',
  };
}

/** An answer in words; equal for equal answers. */
function textOf(answer: ServerAnswer): string {
  switch (answer.kind) {
    case 'none':
      return 'nothing';
    case 'failed':
      return answer.reason === 'not_public' ? 'no address on the public internet' : answer.reason;
    case 'records': {
      const { cname, a, aaaa } = answer.records;
      const parts = [
        ...cname.toSorted().map((value) => `CNAME ${value}`),
        ...a.toSorted().map((value) => `A ${value}`),
        ...aaaa.toSorted().map((value) => `AAAA ${value}`),
      ];
      return parts.length === 0 ? 'nothing' : parts.join(', ');
    }
  }
}

function isEmpty({ cname, a, aaaa, txt }: NameRecords): boolean {
  return cname.length + a.length + aaaa.length + txt.length === 0;
}

/** The name as it is typed into a provider's form: without the zone, `@` at its top. */
export function labelOf(host: string, zone: string | undefined): string {
  if (zone === undefined) return host;
  return host === zone ? '@' : host.slice(0, -zone.length - 1);
}

/** One spelling for an address: IPv6 has many (RFC 5952). */
function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
}
