// Which steps each state of a domain asks for: one table for the embedded timers and for the state machine.

import type { DomainState } from './domain.ts';

export const STEP_NAMES = ['guard', 'check_dns', 'request_certificate', 'check_certificate', 'attach', 'check_live', 'renew', 'take_down'] as const;

export type StepName = (typeof STEP_NAMES)[number];

/** In this order, until one of them reports. */
export function stepsOf(state: DomainState): readonly StepName[] {
  switch (state.name) {
    case 'verifying':
      return ['guard', 'check_dns'];
    case 'verified':
      return ['request_certificate'];
    case 'certificate_pending':
      return ['check_certificate'];
    case 'attaching':
      return ['guard', 'attach', 'check_live'];
    case 'live':
    case 'degraded':
      return ['guard', 'renew', 'check_dns'];
    case 'removing':
      return ['take_down'];
    case 'awaiting_dns':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'taken_over':
    case 'removed':
      return [];
  }
}
