// Turns facts about a domain's DNS into a single diagnosis, which says who must act. The authoritative servers, which show what is configured, are
// decisive. Recursive resolvers, which show what the world sees, only decide whether the configuration has propagated. The messages are for people
// who fill in a provider's form: docs/diagnoses.md has an example of each code.

import { registeredDomain } from '../host-name.ts';
import { printable } from '../printable.ts';
import { type CaaVerdict, caaVerdict } from './caa.ts';
import { type Diagnosis, type Expected, isRecordCorrect, type Lag, type SourceFacts, txtName } from './diagnosis.ts';
import {
  delegationPlace,
  domainToRegister,
  FAILURE_TEXTS,
  joinValues,
  MAX_SENTENCE_LENGTH,
  minutesText,
  nameText,
  ownerDiagnosis,
  ownName,
  recordText,
  textOf,
  type Wanted,
} from './diagnosis-text.ts';
import type { DnsFacts, ServerAnswer } from './dns-facts.ts';
import { diagnoseRecords } from './record-verdicts.ts';
import { bogusDiagnosis, disagreementDiagnosis, unreachableDiagnosis } from './server-verdicts.ts';

/** Whether the configuration is right and only needs to propagate. */
export function isRightAtSource(expected: Pick<Expected, 'host' | 'apex' | 'target'>, facts: SourceFacts, proved: boolean): boolean {
  return isRecordCorrect(judgeSource({ ...expected, proved }, facts, NOW).code);
}

/** When a diagnosis is made, in milliseconds since 1970, and for how long the change had been propagating at the previous check. */
export interface DiagnosisTime {
  readonly now: number;
  readonly lag: Lag | undefined;
}

/** For a change that has just been made. */
const NOW: DiagnosisTime = { now: 0, lag: undefined };

/** @param ownership strings of the TXT records at txtName(host) */
export function diagnose(expected: Expected, facts: DnsFacts, ownership: readonly string[], time = NOW): Diagnosis {
  const source = judgeSource({ ...expected, proved: ownership.includes(expected.token) }, facts, time);
  const diagnosis = isRecordCorrect(source.code) ? judgeGood(expected, facts, ownership, source, time) : source;
  return { ...diagnosis, seen: printable(diagnosis.seen, MAX_SENTENCE_LENGTH), fix: printable(diagnosis.fix, MAX_SENTENCE_LENGTH) };
}

function judgeSource(wanted: Wanted, facts: SourceFacts, { now, lag }: DiagnosisTime): Diagnosis {
  const { host } = wanted;
  if (!facts.registered) {
    return ownerDiagnosis(
      'unregistered',
      `${domainToRegister(wanted, facts)} is not in use: not registered, expired or on hold`,
      `if you have bought it, contact the company that sold it (an unpaid bill? an unconfirmed email address?); if it is mistyped, remove ${host} here and add the right name; otherwise register it`,
    );
  }
  const answers = facts.authoritative.filter((answer) => answer.kind !== 'failed');
  const [first] = answers;
  if (first === undefined) return unreachableDiagnosis(wanted, facts);
  const verdicts = answers.map((answer) => diagnoseRecords(wanted, facts, answer));
  const [verdict] = verdicts as [Diagnosis];
  if (new Set(answers.map(textOf)).size > 1 && new Set(verdicts.map(({ code }) => code)).size > 1) return disagreementDiagnosis(facts, lag, now);
  return verdict;
}

/** Diagnoses a record that is right at its source: whether it has propagated, the claim is proved, and a certificate may be issued. */
function judgeGood(expected: Expected, facts: DnsFacts, ownership: readonly string[], good: Diagnosis, time: DiagnosisTime): Diagnosis {
  const needsProof = good.code === 'ok_flattened' || expected.claimed !== 'none';
  if (needsProof && !ownership.includes(expected.token)) return unproved(expected, facts, ownership);
  if (facts.bogus !== undefined) return bogusDiagnosis(expected, facts.bogus);
  const wanted: Wanted = { ...expected, proved: true };
  const isWrong = (answer: ServerAnswer) =>
    answer.kind !== 'failed' && !hasRotated(facts, answer) && !isRecordCorrect(diagnoseRecords(wanted, facts, answer).code);
  const behind = facts.recursive.filter(isWrong);
  if (behind.length > 0) return lagging(facts, behind, facts.referred.filter(isWrong), time);
  return judgeCaa(expected, facts) ?? good;
}

/** Whether the answer may differ only because addresses rotate, so that differences between servers are meaningless. */
function hasRotated({ rotating }: SourceFacts, answer: ServerAnswer): boolean {
  return rotating && answer.kind === 'records' && answer.records.cname.length === 0;
}

function unproved(expected: Expected, facts: SourceFacts, ownership: readonly string[]): Diagnosis {
  const name = txtName(expected.host);
  const found = ownership.length === 0 ? 'no TXT record' : `TXT ${joinValues(ownership.map((value) => JSON.stringify(value)))}`;
  const why = {
    none: 'addresses alone do not show which project is meant',
    same_account: 'another project of this account has this name; with the record, the name moves to this project',
    other_account: 'another account has this name; with the record, the name moves to you',
  }[expected.claimed];
  return ownerDiagnosis('ownership_required', `${found} at ${name}`, `add the record: ${recordText(facts, 'TXT', name, expected.token)}; ${why}`);
}

/** Assumed for an answer whose TTL is unknown. */
const USUAL_TTL_SECONDS = 3_600;

/**
 * Diagnoses resolvers that don't see what is configured. They will see it once their caches expire, unless they query different servers than we do.
 *
 * @param behind what they see
 * @param referred wrong answers from the servers to which the parent zone refers
 */
function lagging(
  facts: DnsFacts,
  behind: readonly ServerAnswer[],
  referred: readonly ServerAnswer[],
  { now, lag: before }: DiagnosisTime,
): Diagnosis {
  const ttls = behind.flatMap((each) => (each.kind === 'failed' || each.ttlSeconds === undefined ? [] : [each.ttlSeconds]));
  const seconds = ttls.length === 0 ? undefined : Math.max(...ttls);
  const lag = { since: before?.since ?? now, ttlSeconds: Math.max(before?.ttlSeconds ?? 0, seconds ?? USUAL_TTL_SECONDS) };
  const zone = facts.zone ?? facts.host;
  const [late] = behind as [ServerAnswer];
  const there = `${joinValues(behind.map(({ server }) => server))}`;
  if (now - lag.since <= 2 * lag.ttlSeconds * 1_000)
    return {
      code: 'propagating',
      seen: `the record is right at the name servers of ${zone}; the old answer is still cached at ${there}: ${textOf(late)}`,
      fix: `nothing: wait ${seconds === undefined ? 'a while (usually less than an hour)' : `about ${minutesText(seconds)}`}, until the old answer expires from caches; we check again automatically`,
      actor: 'nobody',
      retryAfterSeconds: seconds,
      lag,
    };
  const servers = joinValues(facts.nameServers);
  const [other] = referred;
  if (other !== undefined)
    return {
      code: 'propagating',
      seen: `the record is right at ${servers}, but the zone above ${zone} still refers visitors to ${joinValues(referred.map(({ server }) => server))}, which has another answer: ${textOf(other)}`,
      fix: `${delegationPlace(zone)}, set the name servers to ${servers}${facts.nameServers.length > 1 ? ', and no others' : ''}; if their IP addresses are listed there too, correct those; it can take two days to take effect everywhere`,
      actor: 'owner',
      lag,
    };
  return {
    code: 'propagating',
    seen: `the record is right at the name servers of ${zone} when we ask them, but ${there} still gets another answer, although caches should have dropped it by now: ${textOf(late)}`,
    fix: `send this message to your DNS provider: its name servers give different answers in different places; we check again automatically`,
    actor: 'dns_provider',
    lag,
  };
}

/** @returns undefined if nothing prevents a certificate */
function judgeCaa(expected: Expected, facts: DnsFacts): Diagnosis | undefined {
  const verdict = caaVerdict(facts.caa, expected.authority);
  switch (verdict.kind) {
    case 'allowed':
      return undefined;
    case 'lookup_failed':
      return {
        code: 'caa_lookup_failed',
        seen: `no answer for the CAA records of ${verdict.name}: a name server ${FAILURE_TEXTS[verdict.reason]}`,
        fix: `if this lasts for an hour, send this message to your DNS provider: without an answer for the CAA records of ${verdict.name}, no certificate is issued`,
        actor: 'dns_provider',
      };
    case 'blocked':
      return caaBlocked(expected, facts, verdict);
  }
}

function caaBlocked(expected: Expected, facts: DnsFacts, { name, owner, record, why, needed }: Extract<CaaVerdict, { kind: 'blocked' }>): Diagnosis {
  const authorities = joinValues(expected.authority.issuers) || 'any certificate authority';
  const how = why === 'parameters' ? ' for us: they permit only other accounts or other validation methods' : '';
  const blocked = (actor: Diagnosis['actor'], fix: string): Diagnosis => ({
    code: 'caa_blocked',
    seen: `the CAA records at ${owner}, such as ${record}, do not let ${authorities} issue a certificate${how}`,
    fix,
    actor,
  });
  if (owner === expected.target || expected.target.endsWith(`.${owner}`))
    return blocked('platform', 'nothing: the record is on our own name, and we have to change it');
  const added = `0 issue "${needed}"`;
  // Another owner's records apply, because a CNAME at a parent name points to them.
  if (owner !== name && registeredDomain(owner) !== registeredDomain(expected.host)) {
    const remedy = why === 'unknown_tag' ? `remove the CAA record ${record}` : `add the CAA record ${added}`;
    return blocked(
      'owner',
      `${name} has a CNAME record to ${owner}, whose CAA records count here too: remove that CNAME record, or ask the owner of ${owner} to ${remedy} there`,
    );
  }
  if (why === 'unknown_tag')
    return blocked('owner', `remove the record: CAA, ${nameText(facts, owner)}, value ${record}; with it, no authority may issue a certificate`);
  return blocked(
    'owner',
    `add the record: ${recordText(facts, 'CAA', ownName(facts, owner), added)} (in forms with three fields: flags 0, tag issue, value ${needed}); keep the other CAA records`,
  );
}
