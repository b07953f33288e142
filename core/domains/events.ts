// Events in a domain's life: commands from users and operators, and reports from workflow steps.

import type { Diagnosis } from './diagnosis.ts';
import type { AttemptFailure, SeenZone, ServedCertificate, SuspensionReason } from './domain.ts';

/** A command from a user or an operator. */
export type Command =
  /** Verify: checks now, and tries again what has failed; also resumes a suspended domain. */
  | { readonly kind: 'verify' }
  | { readonly kind: 'remove' }
  /** Another account has proved control of the name with the TXT record at `proof`. */
  | { readonly kind: 'lose'; readonly proof: string }
  | { readonly kind: 'suspend'; readonly reason: SuspensionReason };

/** What a workflow step found, for the generation it works on. */
export type Report =
  | { readonly kind: 'dns_checked'; readonly diagnosis: Diagnosis; readonly zone?: Omit<SeenZone, 'at'> | undefined }
  /** The first certificate, or a renewal. */
  | { readonly kind: 'certificate_requested'; readonly certificate: string }
  /** `askAgainAt`: when the authority wants to be asked again, in milliseconds since 1970. */
  | { readonly kind: 'certificate_still_pending'; readonly askAgainAt?: number | undefined }
  | { readonly kind: 'certificate_issued'; readonly served?: ServedCertificate | undefined }
  /** `isOver`: the next attempt needs another request; otherwise this one continues. */
  | ({ readonly kind: 'attempt_failed'; readonly isOver: boolean } & AttemptFailure)
  | { readonly kind: 'edge_checked'; readonly serving: boolean }
  /** A guard that passed at Verify no longer passes. */
  | { readonly kind: 'guard_failed'; readonly reason: SuspensionReason }
  /** The certificate that the domain is served with. `isDead`: browsers reject it. `isDue`: it is to be replaced. */
  | {
      readonly kind: 'certificate_seen';
      readonly served: ServedCertificate | undefined;
      readonly isDead: boolean;
      readonly isDue: boolean;
    }
  /** A step had nothing to do for a served domain. */
  | { readonly kind: 'nothing_due' }
  | { readonly kind: 'certificate_renewed'; readonly certificate: string; readonly served?: ServedCertificate | undefined }
  | { readonly kind: 'teardown_pending' }
  | { readonly kind: 'teardown_done' };

export type DomainEvent = Command | (Report & { readonly generation: number });
