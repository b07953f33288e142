// What a domain's owner is shown while the domain is waiting or has failed: what was seen, what to do, and who must act. The command line, the
// control API and the dashboard all use this text; docs/diagnoses.md has an example of each code.

import { PLANS_WITH_DOMAINS, planOf } from '../../access/plans.ts';
import { type CertificateFailure, type Domain, type FailedAttempt, SUSPENSION_REASONS, type SuspensionReason } from '../domain.ts';
import { printable } from '../printable.ts';
import { LATE_AFTER_MS } from '../schedule.ts';
import { type Actor, DIAGNOSIS_CODES, type Diagnosis, type DiagnosisCode, isRecordCorrect } from './diagnosis.ts';

const WAITING_CODES = [
  'awaiting_dns',
  'checking_dns',
  'certificate_pending',
  'certificate_late',
  'certificate_refused',
  'attaching',
  'renewal_late',
  'certificate_expired',
  'removing',
  'taken_over',
] as const;

/** Codes for diagnoses, for suspensions (`suspended_<reason>`), and for everything else that a domain may be waiting for. */
export const ADVICE_CODES = [
  ...DIAGNOSIS_CODES.filter((code): code is Exclude<DiagnosisCode, 'ok' | 'ok_flattened'> => !isRecordCorrect(code)),
  ...SUSPENSION_REASONS.map((reason) => `suspended_${reason}` as const),
  ...WAITING_CODES,
];
export type AdviceCode = (typeof ADVICE_CODES)[number];

export interface Advice {
  readonly code: AdviceCode;
  readonly seen: string;
  /** "nothing" and why, if there is nothing to do. */
  readonly fix: string;
  readonly actor: Actor;
}

/** Maximum length of a certificate authority's message. */
const DETAIL_CHARACTERS = 400;

/** What happened, in words for owners, who usually did not cause it. The authority's own message is appended. */
const FAILURES: Readonly<Record<CertificateFailure, { readonly seen: string; readonly actor: Actor; readonly fix?: string }>> = {
  authority_unavailable: { seen: 'the certificate authority is not working at the moment', actor: 'nobody' },
  rate_limited: { seen: 'the certificate authority limits how many certificates it issues', actor: 'nobody' },
  queued: { seen: 'many certificates were requested recently, so this one has to wait', actor: 'nobody' },
  validation: { seen: 'the certificate authority could not validate the domain', actor: 'nobody' },
  caa: { seen: 'the certificate authority reports a CAA record that forbids a certificate; we found none', actor: 'nobody' },
  account: { seen: "the certificate authority does not accept the account of this platform's operator", actor: 'platform' },
  name_refused: { seen: 'the certificate authority refuses this name', actor: 'nobody' },
  name_in_use: {
    seen: 'this name is still in use by another service',
    actor: 'owner',
    fix: 'remove the name from the service that used it before, or ask its operator to remove it',
  },
  name_in_use_here: {
    seen: "this name is still in use elsewhere in the account of this platform's operator",
    actor: 'platform',
    fix: 'ask the operator to move the name here, which is possible without downtime',
  },
  timed_out: { seen: 'the certificate authority did not issue the certificate in time', actor: 'nobody' },
  edge_not_ready: { seen: 'our servers are not serving the domain with its new certificate yet', actor: 'platform' },
  other: { seen: 'the certificate could not be requested', actor: 'platform' },
};

const [SMALLEST_PLAN = ''] = PLANS_WITH_DOMAINS.map((name) => planOf(name).label);

const SUSPENSIONS: Readonly<Record<SuspensionReason, Pick<Advice, 'seen' | 'fix' | 'actor'>>> = {
  plan: {
    seen: "not served: the account's plan has no custom domains",
    fix: `change to plan ${SMALLEST_PLAN} or a larger one; then Verify`,
    actor: 'owner',
  },
  no_deployment: {
    seen: 'not served: the project has no deployment',
    fix: 'publish files to the project; then Verify',
    actor: 'owner',
  },
  by_operator: {
    seen: 'not served: the operator of the platform has suspended the account',
    fix: 'contact the operator; once the account is resumed, the domain is verified again automatically',
    actor: 'platform',
  },
  account: { seen: 'not served: the account no longer exists', fix: 'contact the operator of the platform', actor: 'platform' },
};

/** @param now milliseconds since 1970 @returns undefined if there is nothing to do or to wait for */
export function adviceOf(domain: Pick<Domain, 'state' | 'lost' | 'lastFailure' | 'certificate'>, now: number): Advice | undefined {
  const { state, lost, lastFailure } = domain;
  switch (state.name) {
    case 'awaiting_dns':
      return {
        code: 'awaiting_dns',
        seen: 'added, not checked yet',
        fix: 'add the records at your DNS provider (usually the company where you bought the name); then Verify',
        actor: 'owner',
      };
    case 'verifying':
      return fromDiagnosis(state.diagnosis) ?? waiting('checking_dns', 'the records are being checked', 'nothing: this takes seconds');
    case 'dns_failed':
      return lastly(fromDiagnosis(state.diagnosis), '; we check again every 6 hours for two weeks, then once a week; Verify checks at once');
    case 'verified':
      return waiting('certificate_pending', 'the record is right, and a certificate is being requested', 'nothing: this takes seconds');
    case 'certificate_pending':
      if (lastFailure !== undefined) return afterFailure('certificate_late', lastFailure);
      if (!isCertificateLate({ state }, now)) return waiting('certificate_pending', 'the certificate is being issued', 'nothing: this takes minutes');
      return waiting(
        'certificate_late',
        `the certificate was not issued within ${LATE_AFTER_MS / 60_000} minutes; the record and the CAA records are right`,
        'nothing: the certificate authority is still working on it, and we check again automatically',
      );
    case 'attaching':
      if (lastFailure !== undefined) return afterFailure('certificate_late', lastFailure);
      return waiting('attaching', 'the certificate has been issued, and our servers are loading it', 'nothing: this takes minutes');
    case 'certificate_failed':
      return {
        code: 'certificate_refused',
        seen: said(FAILURES.name_refused.seen, state.detail),
        fix: 'remove the domain and add another name, or ask the certificate authority why it refuses this one; we try again once a week, and Verify tries at once',
        actor: 'owner',
      };
    case 'live':
      return fromDiagnosis(state.diagnosis) ?? (lastFailure && renewing('renewal_late', lastFailure, validUntil(domain)));
    case 'degraded':
      return lastly(fromDiagnosis(state.diagnosis), "; until then visitors may be unable to reach the site, and its certificate can't be renewed");
    case 'certificate_expired':
      return (
        lastly(fromDiagnosis(state.diagnosis), '; we then request a new certificate automatically') ??
        (lastFailure && expired(lastFailure)) ??
        waiting('certificate_expired', EXPIRED, 'nothing: browsers warn visitors until the new certificate is there; it is being requested')
      );
    case 'suspended':
      return { code: `suspended_${state.reason}`, ...SUSPENSIONS[state.reason] };
    case 'removing':
    case 'taken_over':
      if (lost !== undefined)
        return {
          code: 'taken_over',
          seen: `another account proved on ${minuteOf(lost.at)} that it owns the name, with the TXT record at ${lost.proof}`,
          fix: 'if the name is yours, remove that TXT record at your DNS provider, change your password there, and Verify; if not, remove the domain here',
          actor: 'owner',
        };
      return waiting('removing', 'no longer served; its certificate and edge settings are being deleted', 'nothing: this takes minutes');
    case 'removed':
      return undefined;
  }
}

/** Whether the domain's certificate is late (specification, section 4). */
export function isCertificateLate({ state }: Pick<Domain, 'state'>, now: number): boolean {
  return state.name === 'certificate_pending' && now >= state.since + LATE_AFTER_MS;
}

/** Returns the advice while a domain waits for another attempt: why the last one failed, when the next one is made, and who must act. */
export function afterFailure(code: AdviceCode, { failure, detail, address, nextTryAt }: FailedAttempt): Advice {
  const { seen, actor, fix = 'nothing' } = FAILURES[failure];
  if (address !== undefined)
    return {
      code,
      seen: said(`the certificate authority looked for the domain at ${address}, which is not one of our servers`, detail),
      fix: `at your DNS provider, find the A or AAAA record with this address (it may be set for one region only), and remove it; we will try again at ${minuteOf(nextTryAt)}`,
      actor: 'owner',
    };
  return { code, seen: said(seen, detail), fix: `${fix}${fix === 'nothing' ? ':' : ';'} we will try again at ${minuteOf(nextTryAt)}`, actor };
}

const EXPIRED = 'the certificate is no longer valid, and browsers warn visitors';

function renewing(code: AdviceCode, failure: FailedAttempt, until: string): Advice {
  const advice = afterFailure(code, failure);
  return { ...advice, seen: `${until}; the last attempt to renew it failed: ${advice.seen}` };
}

/** Returns the advice for an expired certificate; if there is nothing to do, it says first what visitors see. */
function expired(failure: FailedAttempt): Advice {
  const advice = renewing('certificate_expired', failure, EXPIRED);
  return { ...advice, fix: advice.fix.replace(/^nothing: /, 'nothing: browsers warn visitors until there is a new certificate; ') };
}

function validUntil({ certificate }: Pick<Domain, 'certificate'>): string {
  return certificate === undefined ? 'the certificate is due for renewal' : `the certificate is valid until ${minuteOf(certificate.notAfter)}`;
}

function said(what: string, detail: string): string {
  return detail === '' ? what : `${what}: ${printable(detail, DETAIL_CHARACTERS)}`;
}

/** Formats a time in UTC, for people. */
function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function waiting(code: AdviceCode, seen: string, fix: string): Advice {
  return { code, seen, fix, actor: 'nobody' };
}

function fromDiagnosis(diagnosis: Diagnosis | undefined): Advice | undefined {
  if (diagnosis === undefined) return undefined;
  const { code, seen, fix, actor } = diagnosis;
  return code === 'ok' || code === 'ok_flattened' ? undefined : { code, seen, fix, actor };
}

function lastly(advice: Advice | undefined, more: string): Advice | undefined {
  return advice && { ...advice, fix: `${advice.fix}${more}` };
}
