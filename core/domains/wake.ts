// When a domain wants to be looked at next.

import type { DomainState } from './domain.ts';

/** @returns milliseconds since 1970; undefined while only a user can move it on */
export function wakeAt(state: DomainState): number | undefined {
  switch (state.name) {
    case 'verifying':
    case 'certificate_pending':
    case 'attaching':
    case 'live':
    case 'degraded':
    case 'removing':
      return state.nextCheckAt;
    case 'verified':
      return state.nextCheckAt ?? state.since;
    case 'awaiting_dns':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'taken_over':
    case 'removed':
      return undefined;
  }
}

/** Checks of a certificate that somebody may be watching: those of the first ten minutes. */
const WATCHED_CHECKS = 24;

/**
 * Does somebody wait for what happens next? An owner who has just asked does; who has been looking for a record since yesterday, or serves a
 * live domain, does not. What is waited for never queues behind what is not.
 */
export function isWaitedFor(state: DomainState): boolean {
  switch (state.name) {
    case 'verifying':
      return state.checks === 0;
    case 'certificate_pending':
    case 'attaching':
    case 'removing':
      return state.checks < WATCHED_CHECKS;
    case 'verified':
      return true;
    default:
      return false;
  }
}
