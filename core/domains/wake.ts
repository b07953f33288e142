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
      return state.since;
    case 'awaiting_dns':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'removed':
      return undefined;
  }
}
