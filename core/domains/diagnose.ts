// What is wrong with the DNS of a domain, and who must act: facts in, one diagnosis out. The authoritative servers say what is
// configured and decide; recursive servers say what the world sees, and only tell whether that has arrived. The words are for people who
// have bought a name and have a form to fill in: docs/diagnoses.md has each of them, with an example.

import { caaVerdict } from './caa.ts';
import type { DnsFacts, NameRecords, ServerAnswer, ServerFailure } from './dns-facts.ts';
import { labelOf, registeredDomain } from './host-name.ts';
import { printable } from './printable.ts';
import { proxyOf } from './proxy-ranges.ts';

export const DIAGNOSIS_CODES = [
  'ok',
  'ok_flattened',
  'not_found',
  'wrong_target',
  'indirect_cname',
  'cname_required',
  'conflict_a',
  'conflict_aaaa',
  'apex_cname',
  'multiple_cname',
  'cname_loop',
  'proxied',
  'propagating',
  'unregistered',
  'dnssec_bogus',
  'dns_unreachable',
  'ownership_required',
  'caa_blocked',
  'caa_lookup_failed',
] as const;
export type DiagnosisCode = (typeof DIAGNOSIS_CODES)[number];

export const ACTORS = ['owner', 'dns_provider', 'platform', 'nobody'] as const;
/** Who must do something: the domain's owner, whoever runs its name servers, this service's operators, or nobody: it takes time. */
export type Actor = (typeof ACTORS)[number];

export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** What was found, in words. */
  readonly seen: string;
  /** What to do, in words. */
  readonly fix: string;
  readonly actor: Actor;
  /** Seconds until looking again makes sense: resolvers go on giving an old answer for so long. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Who else has the name already. */
export type OtherClaim = 'none' | 'same_account' | 'other_account';

/** What the DNS of a domain should say. */
export interface Expected {
  readonly host: string;
  /** Is the host what somebody registered, so that its owner was shown an ALIAS? */
  readonly apex: boolean;
  /** The project's edge host: the value of the CNAME. */
  readonly target: string;
  /** The value of the TXT record that proves a claim: for an apex, and for a name that is claimed elsewhere. */
  readonly token: string;
  /** With another claim a TXT record is needed though the CNAME names the project. */
  readonly claimed: OtherClaim;
  /** Issuer names of the certificate authority in use (RFC 8659); empty if they are not known. */
  readonly authorities: readonly string[];
}

/** Values that one sentence shows of a record, and characters of each. */
const SHOWN_VALUES = 8;
const SHOWN_CHARACTERS = 100;
/** Characters of a sentence. */
const SENTENCE_CHARACTERS = 600;

/** Where the TXT record stands. */
export function txtName(host: string): string {
  return `_petstore.${host}`;
}

export function isGood(code: DiagnosisCode): boolean {
  return code === 'ok' || code === 'ok_flattened';
}

/** The facts of a look's first part: what is configured. The second part, what the world sees, is worth looking at only if that is right. */
export type SourceFacts = Omit<DnsFacts, 'recursive' | 'caa'>;

/** Is what is configured right, so that nothing is left but for the world to see it? */
export function isRightAtSource(expected: Pick<Expected, 'host' | 'apex' | 'target'>, facts: SourceFacts, proved: boolean): boolean {
  return isGood(judgeSource({ ...expected, proved }, facts).code);
}

/** @param ownership strings of the TXT records at txtName(host) */
export function diagnose(expected: Expected, facts: DnsFacts, ownership: readonly string[]): Diagnosis {
  const source = judgeSource({ ...expected, proved: ownership.includes(expected.token) }, facts);
  const diagnosis = isGood(source.code) ? judgeGood(expected, facts, ownership, source) : source;
  return { ...diagnosis, seen: printable(diagnosis.seen, SENTENCE_CHARACTERS), fix: printable(diagnosis.fix, SENTENCE_CHARACTERS) };
}

/** What a verdict on records is made from; `proved`: the TXT record is there. */
type Wanted = Pick<Expected, 'host' | 'apex' | 'target'> & { readonly proved: boolean };

function judgeSource(wanted: Wanted, facts: SourceFacts): Diagnosis {
  const { host } = wanted;
  if (!facts.registered) {
    return owner(
      'unregistered',
      `${registeredPart(wanted, facts)} is not in use: not registered, expired or on hold`,
      `if you have bought it, ask the company where you did (a bill unpaid? an e-mail address not confirmed?); if it is mistyped, remove ${host} here and add the right name; otherwise register it`,
    );
  }
  const answers = facts.authoritative.filter((answer) => answer.kind !== 'failed');
  const [first] = answers;
  if (first === undefined) return unreachable(wanted, facts);
  const verdicts = answers.map((answer) => judge(wanted, facts, answer));
  const [verdict] = verdicts as [Diagnosis];
  if (new Set(answers.map(textOf)).size > 1 && new Set(verdicts.map(({ code }) => code)).size > 1) return disagreeing(facts.authoritative);
  return verdict;
}

/** The record is right at its source: is it seen, is it proved, and may a certificate be issued? */
function judgeGood(expected: Expected, facts: DnsFacts, ownership: readonly string[], good: Diagnosis): Diagnosis {
  const needsProof = good.code === 'ok_flattened' || expected.claimed !== 'none';
  if (needsProof && !ownership.includes(expected.token)) return unproved(expected, facts, ownership);
  if (facts.bogusSeenBy !== undefined) return bogus(expected, facts, facts.bogusSeenBy);
  const wanted: Wanted = { ...expected, proved: true };
  const behind = facts.recursive.filter(
    (answer) => answer.kind !== 'failed' && !hasRotated(facts, answer) && !isGood(judge(wanted, facts, answer).code),
  );
  const [late] = behind;
  if (late !== undefined) return lagging(facts, late, behind);
  return judgeCaa(expected, facts) ?? good;
}

/** Other addresses than anybody else has got tell nothing where they are others each time. */
function hasRotated({ rotating }: SourceFacts, answer: ServerAnswer): boolean {
  return rotating && answer.kind === 'records' && answer.records.cname.length === 0;
}

function unproved(expected: Expected, facts: SourceFacts, ownership: readonly string[]): Diagnosis {
  const name = txtName(expected.host);
  const found = ownership.length === 0 ? 'no TXT record' : `TXT ${listed(ownership.map((value) => JSON.stringify(value)))}`;
  const why = {
    none: 'addresses alone do not say which project they mean',
    same_account: 'another project of this account has this name; the record moves it to this one',
    other_account: 'another account has this name; the record moves it to you',
  }[expected.claimed];
  return owner('ownership_required', `${found} at ${name}`, `add the record: ${recordText(facts, 'TXT', name, expected.token)}; ${why}`);
}

function lagging(facts: DnsFacts, late: ServerAnswer, behind: readonly ServerAnswer[]): Diagnosis {
  const seconds = behind.reduce<number | undefined>(
    (most, each) => (each.kind === 'failed' || each.ttlSeconds === undefined ? most : Math.max(most ?? 0, each.ttlSeconds)),
    undefined,
  );
  const wait = seconds === undefined ? 'usually minutes' : `about ${minutesText(seconds)}`;
  return {
    code: 'propagating',
    seen: `the record is right at the name servers of ${facts.zone ?? facts.host}; ${listed(behind.map(({ server }) => server))} so far: ${textOf(late)}`,
    fix: `nothing: wait ${wait}, until the old answer is forgotten; we check again automatically`,
    actor: 'nobody',
    retryAfterSeconds: seconds,
  };
}

/** @returns undefined if nothing is in the way of a certificate */
function judgeCaa(expected: Expected, facts: DnsFacts): Diagnosis | undefined {
  const verdict = caaVerdict(facts.caa, expected.authorities);
  switch (verdict.kind) {
    case 'allowed':
      return undefined;
    case 'lookup_failed':
      return {
        code: 'caa_lookup_failed',
        seen: `no answer for the CAA records of ${verdict.name}: a server on the way ${TROUBLES[verdict.reason]}`,
        fix: `if this lasts for an hour, send this message to your DNS provider: CAA records of ${verdict.name} must be answered, or no certificate is issued`,
        actor: 'dns_provider',
      };
    case 'blocked': {
      const { owner: at, record } = verdict;
      const [authority = ''] = expected.authorities;
      const platform = at === expected.target || expected.target.endsWith(`.${at}`);
      const change =
        verdict.why === 'unknown_tag'
          ? `remove the record: CAA, ${nameText(facts, at)}, value ${record}; while it is there, nobody may issue a certificate`
          : `add the record: ${recordText(facts, 'CAA', ownName(facts, at), `0 issue "${authority}"`)} (in forms with three fields: flags 0, tag issue, value ${authority}); keep the other CAA records`;
      return {
        code: 'caa_blocked',
        seen: `the CAA records at ${at}, such as ${record}, do not let ${listed(expected.authorities) || 'any certificate authority'} issue a certificate`,
        fix: platform ? 'nothing: the record is on our own name, and we have to change it' : change,
        actor: platform ? 'platform' : 'owner',
      };
    }
  }
}

/** What one server's answer means. */
function judge(wanted: Wanted, facts: SourceFacts, answer: ServerAnswer): Diagnosis {
  if (answer.kind !== 'records' || isEmpty(answer.records)) return missing(wanted, facts);
  const { records } = answer;
  const [cname] = records.cname;
  if (cname !== undefined) return judgeCname(wanted, facts, records, cname);
  return judgeAddresses(wanted, facts, records);
}

function missing(wanted: Wanted, facts: SourceFacts): Diagnosis {
  const { misplaced } = facts;
  const slip =
    misplaced === undefined
      ? ''
      : misplaced.name.startsWith(`${wanted.host}.`)
        ? `; there is ${printable(misplaced.value, SHOWN_CHARACTERS)} at ${misplaced.name}, which is another name: your DNS provider adds the rest of the name by itself`
        : `; there is ${printable(misplaced.value, SHOWN_CHARACTERS)} at ${misplaced.name}: if you meant that for ${wanted.host}, it is at the wrong name`;
  return owner('not_found', `no CNAME and no addresses at ${wanted.host}${slip}`, additionOf(wanted, facts));
}

function judgeCname(wanted: Wanted, facts: SourceFacts, records: NameRecords, cname: string): Diagnosis {
  const { host, target, apex } = wanted;
  const shown = printable(cname, SHOWN_CHARACTERS);
  if (records.cname.length > 1) {
    return owner(
      'multiple_cname',
      `${records.cname.length} CNAME records at ${host}: ${listed(records.cname)}`,
      `keep one CNAME, with the value ${target}, and remove the others`,
    );
  }
  if (apex || facts.zone === host) {
    return owner(
      'apex_cname',
      `a CNAME to ${shown} at ${host}, where other records are required, and a CNAME can't stand beside them`,
      apexFix(wanted, facts),
    );
  }
  const change = `change the record to: ${recordText(facts, 'CNAME', host, target)}`;
  if (cname === host || facts.loops) {
    return owner('cname_loop', `a CNAME at ${host} that leads back to itself: ${[host, ...facts.chain].map(cut).join(' → ')}`, change);
  }
  const conflict = conflictOf(records, `beside the CNAME at ${host}`, `remove it: a name with a CNAME has no other records`);
  if (conflict !== undefined) return conflict;
  if (cname === target) return { code: 'ok', seen: `CNAME ${shown}`, fix: 'nothing', actor: 'nobody' };
  if (facts.chain.includes(target)) {
    return owner(
      'indirect_cname',
      `a CNAME to ${shown}, which ends up at ${target}`,
      `${change}; only a direct CNAME shows which project is meant, and the one in between can change`,
    );
  }
  const suffixed = facts.zone !== undefined && cname === `${target}.${facts.zone}`;
  return owner(
    'wrong_target',
    `a CNAME to ${shown}`,
    suffixed ? `${change}; type a dot at the end of the value, since your DNS provider has added ${facts.zone} to it` : change,
  );
}

function judgeAddresses(wanted: Wanted, facts: SourceFacts, records: NameRecords): Diagnosis {
  const { host, target, apex, proved } = wanted;
  const addresses = [...records.a, ...records.aaaa];
  if (addresses.length === 0) return owner('not_found', `no CNAME and no addresses at ${host}, only other records`, besideOthers(wanted, facts));
  const ours = new Set([...facts.edge.a, ...facts.edge.aaaa].map(canonicalAddress));
  const foreign = addresses.filter((address) => !ours.has(canonicalAddress(address)));
  const flattened = apex || facts.zone === host;
  const some = foreign.length < addresses.length;
  // Where answers rotate nobody sees all addresses at a time: one that is ours is enough, and without any the proof comes first.
  if (foreign.length === 0 || (flattened && some && (facts.rotating || proved)) || (flattened && facts.rotating && !proved)) {
    if (flattened) return { code: 'ok_flattened', seen: `addresses of ${target}: ${listed(addresses)}`, fix: 'nothing', actor: 'nobody' };
    return owner(
      'cname_required',
      `addresses of our servers at ${host}: ${listed(addresses)}`,
      `use this record instead: ${recordText(facts, 'CNAME', host, target)}; the addresses change, and they do not say which project is meant`,
    );
  }
  const needed = neededText(wanted, facts);
  const proxy = foreign.map(proxyOf).find((name) => name !== undefined);
  if (proxy !== undefined) {
    return owner(
      'proxied',
      `addresses of ${proxy}'s proxy at ${host}: ${listed(addresses)}`,
      `if you use ${proxy}, set this record to "DNS only" (the grey cloud); otherwise remove it; the record should be: ${needed}`,
    );
  }
  // Who has set the TXT record has most likely set the other one too, and what it gives is elsewhere, or of another moment.
  if (flattened && proved) {
    return owner(
      'wrong_target',
      `addresses at ${host} that are not among those of ${target}: ${listed(foreign)}`,
      `make sure that the record is: ${needed}; if it is, wait: providers refresh the addresses every few minutes, and we check again automatically`,
    );
  }
  const remove = facts.wildcard
    ? 'it comes from the wildcard record *, which can stay'
    : 'remove all A and AAAA records at this name (an old website or mail server that uses them is not reached by it any more), and leave MX and TXT records';
  const conflict = conflictOf(
    { ...records, a: records.a.filter((address) => foreign.includes(address)), aaaa: records.aaaa.filter((address) => foreign.includes(address)) },
    facts.wildcard ? `at ${host} and at every other name that has no records` : `at ${host}`,
    `${remove}; add the record: ${needed}${otherwise(wanted)}`,
  );
  return conflict as Diagnosis;
}

/** Address records that are in the way. */
function conflictOf({ a, aaaa }: NameRecords, where: string, fix: string): Diagnosis | undefined {
  if (a.length > 0) return owner('conflict_a', `A ${listed(a)} ${where}`, fix);
  if (aaaa.length > 0) return owner('conflict_aaaa', `AAAA ${listed(aaaa)} ${where}`, fix);
  return undefined;
}

function owner(code: DiagnosisCode, seen: string, fix: string): Diagnosis {
  return { code, seen, fix, actor: 'owner' };
}

/** The record that its owner was shown when they added the domain. */
function neededText({ host, apex, target }: Wanted, facts: SourceFacts): string {
  return recordText(facts, apex ? 'ALIAS or ANAME' : 'CNAME', host, target);
}

/** What to do where the provider has no such record. */
function otherwise({ host, apex }: Wanted): string {
  return apex ? `; at Cloudflare choose CNAME; if your provider has none of these, remove this domain here and add www.${host} instead` : '';
}

/** Beside a CNAME no other record can stand; an ALIAS minds none. */
function besideOthers(wanted: Wanted, facts: SourceFacts): string {
  const addition = additionOf(wanted, facts);
  return wanted.apex
    ? addition
    : `remove the other records at ${wanted.host} first; if one is needed, use another name for the site; then ${addition}`;
}

/** The nearest set of CAA records decides, so that one at a registry is answered by one of the domain's own. */
function ownName({ zone }: SourceFacts, name: string): string {
  return zone?.endsWith(`.${name}`) ? zone : name;
}

/** How to add it. A name below the registered one may have name servers of its own: its record goes to those of the zone above. */
function additionOf(wanted: Wanted, facts: SourceFacts): string {
  return wanted.apex || facts.zone !== wanted.host
    ? `add the record: ${neededText(wanted, facts)}${ownServers(wanted, facts)}${otherwise(wanted)}`
    : apexFix(wanted, facts);
}

function apexFix(wanted: Wanted, facts: SourceFacts): string {
  const { host, target, apex } = wanted;
  if (apex) return `use this record instead: ${neededText(wanted, facts)}${otherwise(wanted)}`;
  const above = registeredDomain(host);
  return `${host} has name servers of its own (${serversOf(facts)}), where no CNAME is possible: in the zone ${above}, remove the NS records of ${host} and add: CNAME, ${nameText({ zone: above }, host)}, value ${target}; all other names below ${host} end with that`;
}

/** Where the record goes, if that is not the registered domain's own zone. */
function ownServers({ apex }: Wanted, facts: SourceFacts): string {
  const { zone, host } = facts;
  if (apex || zone === undefined || zone === host || zone.split('.').length < 3) return '';
  return `, at the name servers of ${zone} (${serversOf(facts)})`;
}

function serversOf({ authoritative }: SourceFacts): string {
  return listed(authoritative.map(({ server }) => server.split(' ')[0] ?? server));
}

/** A record as it is typed into a provider's form: the name without the zone first, since most forms add the rest. */
function recordText(facts: Pick<SourceFacts, 'zone'>, type: string, name: string, value: string): string {
  return `${type}, ${nameText(facts, name)}, value ${value}`;
}

function nameText({ zone }: Pick<SourceFacts, 'zone'>, name: string): string {
  const label = labelOf(name, zone);
  if (label === name) return `name ${name}`;
  return label === '@' ? `name @ (that is ${name} itself)` : `name ${label} (in full ${name})`;
}

const TROUBLES: Readonly<Record<ServerFailure, string>> = {
  servfail: 'reports a failure of its own',
  refused: 'refuses to answer for this name',
  timeout: 'does not answer',
  malformed: 'answers with something that is no answer',
  not_public: 'has no address on the public internet',
  no_address: 'has no address',
  not_responsible: 'does not know this name, and sends elsewhere',
};
/** What happens where the domain was never set up with the provider, or at another one: only its owner can tell. */
const UNKNOWN_THERE: readonly ServerFailure[] = ['refused', 'not_responsible', 'no_address'];

function unreachable({ host }: Wanted, facts: SourceFacts): Diagnosis {
  const zone = facts.zone ?? host;
  if (facts.bogusSeenBy !== undefined) return bogus({ host }, facts, facts.bogusSeenBy);
  const { authoritative } = facts;
  if (authoritative.length === 0) {
    return {
      code: 'dns_unreachable',
      seen: `we could not find out which name servers ${host} has`,
      fix: 'nothing: our own resolvers got no answer; we check again automatically',
      actor: 'platform',
    };
  }
  const reasons = authoritative.map((answer) => (answer.kind === 'failed' ? answer.reason : undefined));
  const seen = `the name servers of ${zone} give no answer: ${listed(authoritative.map((answer) => `${answer.server} ${textOf(answer)}`))}`;
  if (reasons.every((reason) => reason === 'not_public')) {
    return owner('dns_unreachable', seen, `where ${zone} is registered, set the name servers that your DNS provider tells you to`);
  }
  if (reasons.every((reason) => reason !== undefined && UNKNOWN_THERE.includes(reason))) {
    return owner(
      'dns_unreachable',
      seen,
      `add ${zone} at the DNS provider that these name servers belong to; or, where ${zone} is registered, set the name servers of your DNS provider, once all records are copied there, those for e-mail too`,
    );
  }
  return {
    code: 'dns_unreachable',
    seen,
    fix: `nothing, if it passes: we check again automatically; if it lasts, ask the DNS provider of ${zone} to put its name servers right`,
    actor: 'dns_provider',
  };
}

function bogus({ host }: Pick<Expected, 'host'>, facts: SourceFacts, resolver: string): Diagnosis {
  const zone = facts.zone ?? host;
  return owner(
    'dnssec_bogus',
    `the DNSSEC signatures of ${zone} can't be checked, so ${resolver} and others refuse its answers, and many visitors can't reach it`,
    `where ${zone} is registered, switch DNSSEC off (this removes the DS record), or replace the DS record with the one that your DNS provider shows; it can take a day until everybody sees it`,
  );
}

function disagreeing(authoritative: readonly ServerAnswer[]): Diagnosis {
  return {
    code: 'propagating',
    seen: `the name servers disagree: ${listed(authoritative.map((answer) => `${answer.server}: ${textOf(answer)}`))}`,
    fix: 'wait until all of them have the change; if that takes more than an hour, ask the DNS provider',
    actor: 'nobody',
  };
}

/** An answer in words; equal for equal answers. */
function textOf(answer: ServerAnswer): string {
  switch (answer.kind) {
    case 'none':
      return 'no record';
    case 'failed':
      return TROUBLES[answer.reason];
    case 'records': {
      const { cname, a, aaaa } = answer.records;
      const parts = [
        ...cname.toSorted().map((value) => `CNAME ${value}`),
        ...a.toSorted().map((value) => `A ${value}`),
        ...aaaa.toSorted().map((value) => `AAAA ${value}`),
      ];
      return parts.length === 0 ? 'no record' : listed(parts);
    }
  }
}

function isEmpty({ cname, a, aaaa, txt }: NameRecords): boolean {
  return cname.length + a.length + aaaa.length + txt.length === 0;
}

/** What somebody would have to register. */
function registeredPart({ host }: Wanted, { zone }: SourceFacts): string {
  return zone ?? host;
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map(cut).join(', ');
  return values.length > SHOWN_VALUES ? `${shown} and ${values.length - SHOWN_VALUES} more` : shown;
}

function cut(value: string): string {
  return printable(value, SHOWN_CHARACTERS);
}

function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** One spelling for an address: IPv6 has many (RFC 5952). */
function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
}
