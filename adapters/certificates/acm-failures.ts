// Translates the status of an ACM certificate that was not issued, and errors of AWS calls. Source: ACM API reference, CertificateDetail, FailureReason.

import type { CertificateDetail, FailureReason, RenewalSummary } from '@aws-sdk/client-acm';
import type { AttemptFailure } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateStatus } from '../../core/domains/ports.ts';

const FAILURES: Partial<Readonly<Record<FailureReason, AttemptFailure>>> = {
  CAA_ERROR: { failure: 'caa', detail: 'a CAA record does not allow Amazon to issue certificates for this domain' },
  DOMAIN_NOT_ALLOWED: { failure: 'name_refused', detail: 'Amazon does not issue certificates for this domain; it may be listed as unsafe' },
  DOMAIN_VALIDATION_DENIED: { failure: 'name_refused', detail: 'Amazon refuses to validate this domain' },
  INVALID_PUBLIC_DOMAIN: { failure: 'name_refused', detail: 'Amazon does not recognize the suffix of this domain as a public one' },
  ADDITIONAL_VERIFICATION_REQUIRED: {
    failure: 'name_refused',
    detail: "Amazon requires additional verification for this domain; the platform's operator must contact AWS Support",
  },
};

/** Returns the status of an ACM certificate as the domain rules need it. */
export function statusOf({ Status, FailureReason: reason, NotBefore, NotAfter, RenewalSummary: renewal }: CertificateDetail): CertificateStatus {
  switch (Status) {
    case 'ISSUED':
      return {
        kind: 'issued',
        life: NotBefore === undefined || NotAfter === undefined ? undefined : { notBefore: NotBefore.getTime(), notAfter: NotAfter.getTime() },
        problem: problemOf(renewal),
      };
    case 'PENDING_VALIDATION':
      return { kind: 'pending' };
    case 'VALIDATION_TIMED_OUT':
      return { kind: 'failed', failure: 'timed_out', detail: 'the domain was not validated within 72 hours' };
    case 'FAILED':
      return { kind: 'failed', ...failureOf(reason) };
    default:
      return { kind: 'failed', failure: 'other', detail: `the certificate's status is ${Status ?? 'unknown'}` };
  }
}

/** Returns the failure for ACM's reason; `other` for a reason without its own entry. */
export function failureOf(reason: FailureReason | undefined): AttemptFailure {
  const known = reason && FAILURES[reason];
  return known ?? { failure: 'other', detail: `reason given by Amazon: ${reason ?? 'none'}` };
}

/** Why Amazon could not renew a certificate so far; undefined if nothing is known to be wrong. */
function problemOf(renewal: RenewalSummary | undefined): AttemptFailure | undefined {
  if (renewal?.RenewalStatus === 'FAILED') return failureOf(renewal.RenewalStatusReason);
  if (renewal?.RenewalStatus !== 'PENDING_VALIDATION') return undefined;
  return { failure: 'validation', detail: 'Amazon could not validate the domain again, and does not renew the certificate without that' };
}

/** Only the operator can have a quota raised. */
const QUOTAS: readonly string[] = ['LimitExceededException', 'EntityLimitExceeded'];
const DENIALS: readonly string[] = ['AccessDenied', 'AccessDeniedException'];

/**
 * Turns an error of an AWS call into one on which the domain waits. The SDK adds `$metadata` to each error of a call, even if there was no answer;
 * errors without it are faults of ours, or of storage.
 */
export function asSilence(error: unknown): never {
  if (!(error instanceof Error) || !('$metadata' in error)) throw error;
  const { name, message, code } = error as Error & { readonly code?: unknown };
  if (QUOTAS.includes(name)) throw new AuthoritySilent(`a quota of the AWS account is used up: ${message}`, { failure: 'account', cause: error });
  // Owners read this; AWS's own words may name what is in the operator's account.
  if (DENIALS.includes(name)) throw new AuthoritySilent("AWS denies this request to the platform's account", { failure: 'account', cause: error });
  throw new AuthoritySilent(`no usable answer from AWS (${typeof code === 'string' ? code : name})`, { cause: error });
}
