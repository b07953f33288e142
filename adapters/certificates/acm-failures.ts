// Translates the status of an ACM certificate that was not issued. Source: ACM API reference, CertificateDetail, FailureReason.

import type { CertificateDetail, FailureReason } from '@aws-sdk/client-acm';
import type { CertificateFailure } from '../../core/domains/domain.ts';
import type { CertificateStatus } from '../../core/domains/ports.ts';

const FAILURES: Partial<Readonly<Record<FailureReason, { readonly failure: CertificateFailure; readonly detail: string }>>> = {
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
export function statusOf({ Status, FailureReason: reason, NotBefore, NotAfter }: CertificateDetail): CertificateStatus {
  switch (Status) {
    case 'ISSUED':
      return {
        kind: 'issued',
        life: NotBefore === undefined || NotAfter === undefined ? undefined : { notBefore: NotBefore.getTime(), notAfter: NotAfter.getTime() },
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
export function failureOf(reason: FailureReason | undefined): { readonly failure: CertificateFailure; readonly detail: string } {
  const known = reason && FAILURES[reason];
  return known ?? { failure: 'other', detail: `reason given by Amazon: ${reason ?? 'none'}` };
}
