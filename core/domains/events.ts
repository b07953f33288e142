// Events in a domain's life: commands from users and operators, and reports from workflow steps.

import type { Diagnosis } from './diagnosis.ts';
import type { CertificateFailure, SeenZone, ServedCertificate, SuspensionReason } from './domain.ts';

/** A command from a user or an operator. */
export type Command =
  /** Verify and Re-verify; also resumes a suspended domain. */
  | { readonly kind: 'verify' }
  | { readonly kind: 'remove' }
  /** Another account has proved control of the name with the TXT record at `proof`. */
  | { readonly kind: 'lose'; readonly proof: string }
  | { readonly kind: 'suspend'; readonly reason: SuspensionReason };

/** What a workflow step found, for the generation it works on. */
export type Report =
  | { readonly kind: 'dns_checked'; readonly diagnosis: Diagnosis; readonly zone?: Omit<SeenZone, 'at'> | undefined }
  | { readonly kind: 'certificate_requested'; readonly certificate: string }
  | { readonly kind: 'certificate_still_pending' }
  /** The authority is unreachable or reports an internal error. */
  | { readonly kind: 'authority_silent' }
  | { readonly kind: 'certificate_issued'; readonly served?: ServedCertificate | undefined }
  | { readonly kind: 'certificate_failed'; readonly failure: CertificateFailure; readonly detail: string }
  | { readonly kind: 'edge_checked'; readonly serving: boolean }
  /** A guard that passed at Verify no longer passes. */
  | { readonly kind: 'guard_failed'; readonly reason: SuspensionReason }
  | { readonly kind: 'certificate_renewed'; readonly certificate: string; readonly served?: ServedCertificate | undefined }
  | { readonly kind: 'teardown_pending' }
  | { readonly kind: 'teardown_done' };

export type DomainEvent = Command | (Report & { readonly generation: number });
