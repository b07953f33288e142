// What moves a domain: what people ask for, and what steps of the workflow report.

import type { Diagnosis } from './diagnosis.ts';
import type { CertificateFailure, SuspensionReason } from './domain.ts';

/** What a user or an operator asks for. */
export type Command =
  /** Verify, and Re-verify; also what brings a suspended domain back. */
  | { readonly kind: 'verify' }
  | { readonly kind: 'remove' }
  /** Another account has proved that the name is theirs, by the TXT record at this name. */
  | { readonly kind: 'lose'; readonly proof: string }
  | { readonly kind: 'suspend'; readonly reason: SuspensionReason };

/** What a step of the workflow found, for the generation that it works for. */
export type Report =
  | { readonly kind: 'dns_checked'; readonly diagnosis: Diagnosis }
  | { readonly kind: 'certificate_requested'; readonly certificate: string }
  | { readonly kind: 'certificate_still_pending' }
  /** The authority can't be reached, or answers with a fault of its own. */
  | { readonly kind: 'authority_silent' }
  | { readonly kind: 'certificate_issued' }
  | { readonly kind: 'certificate_failed'; readonly failure: CertificateFailure; readonly detail: string }
  | { readonly kind: 'edge_checked'; readonly serving: boolean }
  /** A guard that held at Verify no longer does. */
  | { readonly kind: 'guard_failed'; readonly reason: SuspensionReason }
  | { readonly kind: 'certificate_renewed'; readonly certificate: string }
  | { readonly kind: 'teardown_pending' }
  | { readonly kind: 'teardown_done' };

export type DomainEvent = Command | (Report & { readonly generation: number });
