// What the owner of a domain is shown in each state that is waiting or has failed: what was seen, what to do, and who must act. The command line,
// the control API and the dashboard all use this text; docs/diagnoses.md lists all of it.

import { PLANS_WITH_DOMAINS, planOf } from '../access/plans.ts';
import { type Actor, DIAGNOSIS_CODES, type Diagnosis, type DiagnosisCode, isRecordCorrect } from './diagnosis.ts';
import { CERTIFICATE_FAILURES, type CertificateFailure, type Domain, SUSPENSION_REASONS, type SuspensionReason } from './domain.ts';
import { printable } from './printable.ts';
import { REVERIFY_AFTER_MS } from './schedule.ts';

const WAITING_CODES = [
  'awaiting_dns',
  'checking_dns',
  'certificate_pending',
  'certificate_late',
  'authority_silent',
  'attaching',
  'removing',
  'taken_over',
] as const;

/** Codes of diagnoses, of failures (`certificate_<reason>`), of suspensions (`suspended_<reason>`), and of waiting states. */
export const ADVICE_CODES = [
  ...DIAGNOSIS_CODES.filter((code): code is Exclude<DiagnosisCode, 'ok' | 'ok_flattened'> => !isRecordCorrect(code)),
  ...CERTIFICATE_FAILURES.map((failure) => `certificate_${failure}` as const),
  ...SUSPENSION_REASONS.map((reason) => `suspended_${reason}` as const),
  ...WAITING_CODES,
];
export type AdviceCode = (typeof ADVICE_CODES)[number];

export interface Advice {
  readonly code: AdviceCode;
  /** What was found, as text. */
  readonly seen: string;
  /** What to do, as text; "nothing" and why, if there is nothing to do. */
  readonly fix: string;
  readonly actor: Actor;
}

/** Maximum length of a certificate authority's message. */
const DETAIL_CHARACTERS = 400;

const LATE = 'Re-verify: this checks your records, including CAA, and says what to change; if nothing is wrong and this error returns, contact us';

const FAILURES: Readonly<Record<CertificateFailure, Pick<Advice, 'fix' | 'actor'>>> = {
  caa: {
    fix: 'Re-verify: it names the CAA record to add, if one is missing; otherwise add the record that the message above names, and Re-verify',
    actor: 'owner',
  },
  validation: {
    fix: 'check that all records are set exactly as shown here, with no other A, AAAA or CNAME record and no forwarding at the same name; then Re-verify',
    actor: 'owner',
  },
  rate_limited: { fix: 'Re-verify in an hour, or at the time given in the message above', actor: 'owner' },
  name_refused: { fix: 'remove the domain and add another name, or ask the certificate authority why it refuses this one', actor: 'owner' },
  timed_out: { fix: LATE, actor: 'owner' },
  authority_unavailable: { fix: 'Re-verify in an hour', actor: 'owner' },
  edge_not_ready: { fix: 'Re-verify; if it fails again, contact us: the fault is ours', actor: 'owner' },
  other: { fix: 'Re-verify; if it fails again, contact us and include this message', actor: 'owner' },
};

/** The smallest plan with custom domains. */
const [SMALLEST_PLAN = ''] = PLANS_WITH_DOMAINS.map((name) => planOf(name).label);

const SUSPENSIONS: Readonly<Record<SuspensionReason, Pick<Advice, 'seen' | 'fix' | 'actor'>>> = {
  plan: {
    seen: "not served: the account's plan has no custom domains",
    fix: `change to plan ${SMALLEST_PLAN} or a larger one; then Re-verify`,
    actor: 'owner',
  },
  no_deployment: {
    seen: 'not served: the project has no deployment',
    fix: 'publish files in the project; then Re-verify',
    actor: 'owner',
  },
  by_operator: {
    seen: 'not served: the operator of the platform has suspended the account',
    fix: 'contact the operator; once the account is resumed, the domain is verified again by itself',
    actor: 'platform',
  },
  account: { seen: 'not served: the account no longer exists', fix: 'contact the operator of the platform', actor: 'platform' },
};

/**
 * @param now milliseconds since 1970
 * @returns undefined if there is nothing to do or to wait for
 */
export function adviceOf({ state, lost }: Pick<Domain, 'state' | 'lost'>, now: number): Advice | undefined {
  switch (state.name) {
    case 'awaiting_dns':
      return {
        code: 'awaiting_dns',
        seen: 'added, not checked yet',
        fix: 'set the records at your DNS provider, usually the company where you bought the name; then Verify',
        actor: 'owner',
      };
    case 'verifying':
      return fromDiagnosis(state.diagnosis) ?? waiting('checking_dns', 'the records are being checked', 'nothing: this takes seconds');
    case 'dns_failed':
      return stopped(fromDiagnosis(state.diagnosis));
    case 'degraded':
      return lastly(fromDiagnosis(state.diagnosis), "; until then visitors may not reach the site, and its certificate can't be renewed");
    case 'verified':
      return state.silentSince === undefined
        ? waiting('certificate_pending', 'the record is right, and a certificate is being requested', 'nothing: this takes seconds')
        : silent(state.silentSince);
    case 'certificate_pending':
      if (state.silentSince !== undefined) return silent(state.silentSince);
      if (isCertificateLate({ state }, now))
        return {
          code: 'certificate_late',
          seen: `the certificate was not issued within ${REVERIFY_AFTER_MS / 60_000} minutes`,
          fix: LATE,
          actor: 'owner',
        };
      return waiting('certificate_pending', 'the certificate is being issued', 'nothing: this takes minutes');
    case 'attaching':
      return waiting('attaching', 'the certificate is issued, and our servers are loading it', 'nothing: this takes minutes');
    case 'certificate_failed':
      return { code: `certificate_${state.failure}`, seen: printable(state.detail, DETAIL_CHARACTERS), ...FAILURES[state.failure] };
    case 'suspended':
      return { code: `suspended_${state.reason}`, ...SUSPENSIONS[state.reason] };
    case 'removing':
    case 'taken_over':
      if (lost !== undefined)
        return {
          code: 'taken_over',
          seen: `another account proved on ${new Date(lost.at).toISOString()} that it owns the name, with the TXT record at ${lost.proof}`,
          fix: 'if the name is yours, remove that TXT record at your DNS provider, change your password there, and Verify; if not, remove the domain here',
          actor: 'owner',
        };
      return waiting('removing', 'no longer served; its certificate and edge settings are being deleted', 'nothing: this takes minutes');
    case 'removed':
    case 'live':
      return undefined;
  }
}

/** Whether the domain's certificate is still missing after the time at which the specification (section 4) advises to Re-verify. */
export function isCertificateLate({ state }: Pick<Domain, 'state'>, now: number): boolean {
  return state.name === 'certificate_pending' && now >= state.since + REVERIFY_AFTER_MS;
}

function waiting(code: AdviceCode, seen: string, fix: string): Advice {
  return { code, seen, fix, actor: 'nobody' };
}

function silent(since: number): Advice {
  return waiting(
    'authority_silent',
    `the certificate authority has not answered since ${new Date(since).toISOString()}`,
    'nothing: we try again automatically',
  );
}

function fromDiagnosis(diagnosis: Diagnosis | undefined): Advice | undefined {
  if (diagnosis === undefined) return undefined;
  const { code, seen, fix, actor } = diagnosis;
  return code === 'ok' || code === 'ok_flattened' ? undefined : { code, seen, fix, actor };
}

/** Automatic checks have ended, so waiting is pointless. */
function stopped(advice: Advice | undefined): Advice | undefined {
  if (advice === undefined || advice.actor === 'owner') return lastly(advice, '; we checked for 48 hours and have stopped, so Verify afterwards');
  return {
    ...advice,
    fix: 'Verify again: we checked for 48 hours and have stopped; if the result is the same, send this message to your DNS provider',
    actor: 'owner',
  };
}

function lastly(advice: Advice | undefined, more: string): Advice | undefined {
  return advice && { ...advice, fix: `${advice.fix}${more}` };
}
