// How far a domain is: the stages in order, and when each was reached.

import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Steps from '@cloudscape-design/components/steps';
import type { Domain } from '../queries.ts';
import { stateInWords } from './domain-state.tsx';
import { localTime } from './time.ts';

const STAGES = [
  { state: 'awaiting_dns', text: 'Added' },
  { state: 'verifying', text: 'DNS is checked' },
  { state: 'verified', text: 'Verified' },
  { state: 'certificate_pending', text: 'Certificate requested' },
  { state: 'attaching', text: 'Certificate issued' },
  { state: 'live', text: 'Live' },
] as const;

export function Timeline({ domain: { history, state, nextCheckAt } }: { readonly domain: Domain }) {
  const reachedAt = new Map(history.map((each) => [each.state, each.at]));
  const present = STAGES.findIndex((stage) => stage.state === state);
  const isLive = state === 'live' || state === 'degraded';
  return (
    <div aria-live="polite">
      <Steps
        steps={STAGES.map((stage, index) => {
          const at = reachedAt.get(stage.state);
          const isDone = isLive || (present >= 0 && index < present) || stage.state === 'awaiting_dns';
          const status = index === present && !isLive && stage.state !== 'awaiting_dns' ? 'in-progress' : isDone ? 'success' : 'pending';
          return {
            status: status as never,
            header: stage.text,
            details: at !== undefined && (isDone || index === present) ? localTime(at) : '',
            statusIconAriaLabel: status,
          };
        })}
      />
      {present < 0 && !isLive && <StatusIndicator type="warning">{stateInWords(state)}</StatusIndicator>}
      {nextCheckAt !== undefined && !isLive && <Box color="text-body-secondary">Looked at again by itself at {localTime(nextCheckAt)}</Box>}
    </div>
  );
}
