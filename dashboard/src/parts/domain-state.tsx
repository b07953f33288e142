// A domain's state, as text and color.

import type { Domain } from '../shapes.ts';
import { KINDS } from '../stages.ts';
import { Status } from '../ui/blocks.tsx';

/** A domain's state as a colored label. If the owner must act, the label says so, because until then checks won't have a different result. */
export function DomainState({ domain: { state, stateLabel, diagnosis } }: { readonly domain: Pick<Domain, 'state' | 'stateLabel' | 'diagnosis'> }) {
  if (state === 'verifying' && diagnosis?.actor === 'owner')
    return <Status kind="warning">{diagnosis.code === 'not_found' ? 'Record not found yet' : 'Record is wrong'}</Status>;
  // A page that is older than the service may receive an unknown state.
  return <Status kind={KINDS[state] ?? 'info'}>{stateLabel}</Status>;
}
