// A domain's state, as text and color.

import type { ComponentProps } from 'react';
import type { Domain, DomainState as State } from '../shapes.ts';
import { Status } from '../ui/blocks.tsx';

const TYPES: Readonly<Record<State, ComponentProps<typeof Status>['kind']>> = {
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

/** A domain's state as a colored label. While its owner must act, that is what it says: the next check only repeats what was found. */
export function DomainState({ domain: { state, stateLabel, diagnosis } }: { readonly domain: Pick<Domain, 'state' | 'stateLabel' | 'diagnosis'> }) {
  if (state === 'verifying' && diagnosis?.actor === 'owner')
    return <Status kind="warning">{diagnosis.code === 'not_found' ? 'Record not found yet' : 'Record is wrong'}</Status>;
  // A page older than the service may receive an unknown state.
  return <Status kind={TYPES[state] ?? 'info'}>{stateLabel}</Status>;
}
