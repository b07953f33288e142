// A domain's state, as text and color.

import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Domain, DomainState as State } from '../shapes.ts';

const TYPES: Readonly<Record<State, StatusIndicatorProps.Type>> = {
  awaiting_dns: 'pending',
  verifying: 'in-progress',
  verified: 'in-progress',
  certificate_pending: 'in-progress',
  attaching: 'in-progress',
  live: 'success',
  dns_failed: 'error',
  certificate_failed: 'error',
  degraded: 'warning',
  certificate_expired: 'error',
  suspended: 'stopped',
  removing: 'in-progress',
  taken_over: 'error',
  removed: 'stopped',
};

/** A domain's state as a colored label. */
export function DomainState({ domain: { state, stateLabel } }: { readonly domain: Pick<Domain, 'state' | 'stateLabel'> }) {
  // A page older than the service may receive an unknown state.
  return <StatusIndicator type={TYPES[state] ?? 'info'}>{stateLabel}</StatusIndicator>;
}
