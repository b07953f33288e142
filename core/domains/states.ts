// The states of a custom domain, in one table. The consequences of a state (such as whether the domain is served, and which steps are performed) are
// only here; the transitions are in lifecycle.ts, and the advice shown to owners is in advice.ts.

import { HOUR_MS } from '../limits/windows.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { AttemptFailure, Domain, DomainRemoval, DomainState, SeenZone, ServedCertificate, SuspensionReason } from './domain.ts';

export const STEP_NAMES = ['guard', 'check_dns', 'request_certificate', 'check_certificate', 'attach', 'check_live', 'renew', 'teardown'] as const;

export type StepName = (typeof STEP_NAMES)[number];

interface StateRow {
  readonly label: string;
  readonly served: boolean;
  /** Whether the owner has proved control of the name, so that no other account gets it. */
  readonly proved: boolean;
  /** The state's steps, performed in order until one of them reports; empty if only a user can move the domain to another state. */
  readonly steps: readonly StepName[];
  /** Whether a domain may stay in the state for good, so no one should wait; its steps are still performed occasionally. @default false */
  readonly isResting?: true;
  /** Number of checks in this state for which someone is likely waiting; no one waits for later ones, or for checks of a live domain. */
  readonly watchedChecks: number;
}

/** Number of certificate checks in the first ten minutes, while the domain's owner may be watching. */
const TEN_MINUTES = 24;

export const DOMAIN_STATES = {
  awaiting_dns: { label: 'Waiting for DNS', served: false, proved: false, steps: [], watchedChecks: 0 },
  verifying: { label: 'Checking DNS', served: false, proved: false, steps: ['guard', 'check_dns'], watchedChecks: 1 },
  verified: { label: 'Verified', served: false, proved: true, steps: ['request_certificate'], watchedChecks: 1 },
  certificate_pending: { label: 'Issuing certificate', served: false, proved: true, steps: ['check_certificate'], watchedChecks: TEN_MINUTES },
  attaching: { label: 'Loading at the edge', served: false, proved: true, steps: ['guard', 'attach', 'check_live'], watchedChecks: TEN_MINUTES },
  live: { label: 'Live', served: true, proved: true, steps: ['guard', 'renew', 'check_dns'], watchedChecks: 0 },
  degraded: { label: 'Live, but its record is wrong', served: true, proved: true, steps: ['guard', 'renew', 'check_dns'], watchedChecks: 0 },
  certificate_expired: { label: 'Certificate expired', served: true, proved: true, steps: ['guard', 'renew', 'check_dns'], watchedChecks: 0 },
  dns_failed: {
    label: 'Record not found within 48 hours',
    served: false,
    proved: false,
    steps: ['guard', 'check_dns'],
    isResting: true,
    watchedChecks: 0,
  },
  certificate_failed: {
    label: 'No certificate: the name is refused',
    served: false,
    proved: true,
    steps: ['check_certificate'],
    isResting: true,
    watchedChecks: 0,
  },
  suspended: { label: 'Suspended', served: false, proved: false, steps: [], watchedChecks: 0 },
  removing: { label: 'Being removed', served: false, proved: false, steps: ['teardown'], watchedChecks: TEN_MINUTES },
  taken_over: { label: 'Taken over by another account', served: false, proved: false, steps: [], watchedChecks: 0 },
  removed: { label: 'Removed', served: false, proved: false, steps: [], watchedChecks: 0 },
} as const satisfies Readonly<Record<DomainState['name'], StateRow>>;

export type DomainStateName = keyof typeof DOMAIN_STATES;

export const DOMAIN_STATE_NAMES = Object.keys(DOMAIN_STATES) as [DomainStateName, ...DomainStateName[]];

type Named = { readonly name: DomainStateName };

const rowOf = ({ name }: Named): StateRow => DOMAIN_STATES[name];

/** Whether the edge serves a domain in this state. */
export function isServed(state: Named): boolean {
  return rowOf(state).served;
}

/** Whether the name is taken in this state, because its owner has proved control of it. */
export function isProved(state: Named): boolean {
  return rowOf(state).proved;
}

/** Whether the domain is a tombstone, which only reserves the name for a while. */
export function isGone({ name }: Named): boolean {
  return name === 'removed';
}

/** Whether something is wrong although the owner has acted: the record is wrong, or the certificate was refused, is late, expired or not renewed. */
export function isTroubled({ state, lastFailure }: Pick<Domain, 'state' | 'lastFailure'>): boolean {
  if (lastFailure !== undefined || (state.name === 'certificate_pending' && state.late)) return true;
  return state.name === 'degraded' || state.name === 'certificate_expired' || state.name === 'certificate_failed';
}

/** Returns a state's steps, for both the embedded timers and the state machine. */
export function stepsOf(state: Named): readonly StepName[] {
  return rowOf(state).steps;
}

/** Whether the domain will soon move to another state automatically. */
export function isInProgress(state: Named): boolean {
  const { steps, served, isResting = false } = rowOf(state);
  return steps.length > 0 && !served && !isResting;
}

/** Whether a state was stored while the clock was ahead. If so, its due time is meaningless, and its work is done now. */
export function isFromFuture({ changedAt }: Pick<Domain, 'changedAt'>, now: number): boolean {
  return changedAt !== undefined && changedAt > now;
}

/** Returns the time (milliseconds since 1970) at which a domain in this state is due for a check; undefined if only a user can change its state. */
export function nextCheckAt(state: Named & { readonly since: number; readonly nextCheckAt?: number | undefined }): number | undefined {
  return stepsOf(state).length === 0 ? undefined : (state.nextCheckAt ?? state.since);
}

/**
 * Whether someone is waiting for the next step: an owner who has just acted, but not one whose record has been missing since yesterday, or whose
 * domain is live. Work that someone waits for never queues behind other work.
 */
export function isWaitedFor(state: Named & { readonly checks?: number }): boolean {
  return (state.checks ?? 0) < rowOf(state).watchedChecks;
}

// Events in a domain's life: commands from users and operators, and reports from workflow steps.

/** A command from a user or an operator. */
export type Command =
  /** Verify: checks now, and retries what has failed; also resumes a suspended domain. */
  | { readonly kind: 'verify' }
  | { readonly kind: 'remove'; readonly removal?: DomainRemoval | undefined }
  /** Another account has proved control of the name with the TXT record at `proof`. */
  | { readonly kind: 'lose'; readonly proof: string }
  | { readonly kind: 'suspend'; readonly reason: SuspensionReason };

/** What a workflow step found, for the generation that it works on. */
export type Report =
  | { readonly kind: 'dns_checked'; readonly diagnosis: Diagnosis; readonly zone?: Omit<SeenZone, 'at'> | undefined }
  /** The first certificate, or a renewal. */
  | { readonly kind: 'certificate_requested'; readonly certificate: string }
  /** `askAgainAt`: when the authority wants to be polled again, in milliseconds since 1970. */
  | { readonly kind: 'certificate_still_pending'; readonly askAgainAt?: number | undefined }
  | { readonly kind: 'certificate_issued'; readonly served?: ServedCertificate | undefined }
  /** `isOver`: the next attempt needs a new request; otherwise, it continues this request. */
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

export interface DomainCounts {
  /** Number of domains by state; states without domains may be missing. */
  readonly byState: ReadonlyMap<string, number>;
  /** Number of served domains by the hour in which their certificate expires. `at`: start of the hour, in milliseconds since 1970. Ascending. */
  readonly byExpiry: readonly { readonly at: number; readonly domains: number }[];
}

/** Counts domains. @param rows ascending by the hour since 1970 in which the certificate expires; 0 if there is no certificate */
export function countDomains(rows: Iterable<{ readonly state: string; readonly expiryHour: number; readonly domains: number }>): DomainCounts {
  const byState = new Map<string, number>();
  const byHour = new Map<number, number>();
  for (const { state, expiryHour, domains } of rows) {
    byState.set(state, (byState.get(state) ?? 0) + domains);
    if (expiryHour > 0 && DOMAIN_STATES[state as DomainStateName]?.served) byHour.set(expiryHour, (byHour.get(expiryHour) ?? 0) + domains);
  }
  return { byState, byExpiry: [...byHour].map(([hour, domains]) => ({ at: hour * HOUR_MS, domains })) };
}
