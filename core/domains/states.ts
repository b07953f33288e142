// The states of a custom domain as one table. What follows from a state (is it served, who moves it, by which steps) stands here and nowhere
// else; how a domain gets from one to another is in lifecycle.ts, what its owner is told in advice.ts.

import type { DomainState } from './domain.ts';

export const STEP_NAMES = ['guard', 'check_dns', 'request_certificate', 'check_certificate', 'attach', 'check_live', 'renew', 'teardown'] as const;

export type StepName = (typeof STEP_NAMES)[number];

interface StateRow {
  /** In words, for people. */
  readonly label: string;
  /** Does the edge serve the domain? */
  readonly served: boolean;
  /** Has its owner proved that the name is theirs? Then nobody else gets it. */
  readonly proved: boolean;
  /** What is done in it, in this order, until a step reports; none: only a user can move it on. */
  readonly steps: readonly StepName[];
  /** Checks that somebody may be waiting for; later ones, and those of a domain that is live, nobody waits for. */
  readonly watchedChecks: number;
}

/** Checks of a certificate that somebody may be watching: those of the first ten minutes. */
const TEN_MINUTES = 24;

export const DOMAIN_STATES = {
  awaiting_dns: { label: 'Waiting for its record', served: false, proved: false, steps: [], watchedChecks: 0 },
  verifying: { label: 'Checking the DNS', served: false, proved: false, steps: ['guard', 'check_dns'], watchedChecks: 1 },
  verified: { label: 'Verified', served: false, proved: true, steps: ['request_certificate'], watchedChecks: 1 },
  certificate_pending: {
    label: 'Certificate is being issued',
    served: false,
    proved: true,
    steps: ['check_certificate'],
    watchedChecks: TEN_MINUTES,
  },
  attaching: { label: 'Taken up at the edge', served: false, proved: true, steps: ['guard', 'attach', 'check_live'], watchedChecks: TEN_MINUTES },
  live: { label: 'Live', served: true, proved: true, steps: ['guard', 'renew', 'check_dns'], watchedChecks: 0 },
  degraded: { label: 'Live, but its record is wrong', served: true, proved: true, steps: ['guard', 'renew', 'check_dns'], watchedChecks: 0 },
  dns_failed: { label: 'Record not found in 48 hours', served: false, proved: false, steps: [], watchedChecks: 0 },
  certificate_failed: { label: 'No certificate', served: false, proved: true, steps: [], watchedChecks: 0 },
  suspended: { label: 'Suspended', served: false, proved: false, steps: [], watchedChecks: 0 },
  removing: { label: 'Being removed', served: false, proved: false, steps: ['teardown'], watchedChecks: TEN_MINUTES },
  taken_over: { label: 'Taken over by another account', served: false, proved: false, steps: [], watchedChecks: 0 },
  removed: { label: 'Removed', served: false, proved: false, steps: [], watchedChecks: 0 },
} as const satisfies Readonly<Record<DomainState['name'], StateRow>>;

export type DomainStateName = keyof typeof DOMAIN_STATES;

export const DOMAIN_STATE_NAMES = Object.keys(DOMAIN_STATES) as [DomainStateName, ...DomainStateName[]];

/** A state, or what is known of one: its name. */
type Named = { readonly name: DomainStateName };

const rowOf = ({ name }: Named): StateRow => DOMAIN_STATES[name];

/** Does the edge serve a domain in this state? */
export function isServed(state: Named): boolean {
  return rowOf(state).served;
}

/** Is the name taken in this state: has its owner proved that it is theirs? */
export function isProved(state: Named): boolean {
  return rowOf(state).proved;
}

/** Is it a tombstone, which only keeps the name for a while? */
export function isGone({ name }: Named): boolean {
  return name === 'removed';
}

/** Which steps the state asks for: what the embedded timers and the state machine both follow. */
export function stepsOf(state: Named): readonly StepName[] {
  return rowOf(state).steps;
}

/** Is it on its way, so that it comes into another state soon and by itself? */
export function isOnItsWay(state: Named): boolean {
  const { steps, served } = rowOf(state);
  return steps.length > 0 && !served;
}

/** When a domain in this state wants to be looked at. @returns milliseconds since 1970; undefined while only a user can move it on */
export function nextCheckAt(state: Named & { readonly since: number; readonly nextCheckAt?: number | undefined }): number | undefined {
  return stepsOf(state).length === 0 ? undefined : (state.nextCheckAt ?? state.since);
}

/**
 * Does somebody wait for what happens next? An owner who has just asked does; who has been looking for a record since yesterday, or serves a
 * live domain, does not. What is waited for never queues behind what is not.
 */
export function isWaitedFor(state: Named & { readonly checks?: number }): boolean {
  return (state.checks ?? 0) < rowOf(state).watchedChecks;
}
