// The state of a domain in words and colour.

import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Domain, DomainState as State } from '../shapes.ts';

const STATES: Readonly<Record<State, readonly [StatusIndicatorProps.Type, string]>> = {
  awaiting_dns: ['pending', 'Waiting for its record'],
  verifying: ['in-progress', 'Checking the DNS'],
  verified: ['in-progress', 'Verified'],
  certificate_pending: ['in-progress', 'Certificate is being issued'],
  attaching: ['in-progress', 'Taken up at the edge'],
  live: ['success', 'Live'],
  dns_failed: ['error', 'Record not found in 48 hours'],
  certificate_failed: ['error', 'No certificate'],
  degraded: ['warning', 'Live, but its record is wrong'],
  suspended: ['stopped', 'Suspended'],
  removing: ['in-progress', 'Being removed'],
  taken_over: ['error', 'Taken over by another account'],
  removed: ['stopped', 'Removed'],
};

export function stateInWords(state: State): string {
  // A page that is older than the service may see a state more.
  return STATES[state]?.[1] ?? state;
}

export function DomainState({ domain: { state } }: { readonly domain: Pick<Domain, 'state'> }) {
  return <StatusIndicator type={STATES[state]?.[0] ?? 'info'}>{stateInWords(state)}</StatusIndicator>;
}
