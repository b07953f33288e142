// How far a domain is: the stages in order, and when each was reached.

import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Steps from '@cloudscape-design/components/steps';
import type { Domain } from '../shapes.ts';
import { isAtStage, stagesOf } from '../stages.ts';
import { localTime } from './time.ts';

export function Timeline({ domain }: { readonly domain: Domain }) {
  return (
    <div aria-live="polite">
      <Steps
        steps={stagesOf(domain).map(({ text, status, at }) => ({
          status,
          header: text,
          details: at === undefined ? '' : localTime(at),
          statusIconAriaLabel: status,
        }))}
      />
      {!isAtStage(domain) && <StatusIndicator type="warning">{domain.stateLabel}</StatusIndicator>}
      {domain.nextCheckAt !== undefined && domain.inProgress && (
        <Box color="text-body-secondary">Looked at again by itself at {localTime(domain.nextCheckAt)}</Box>
      )}
    </div>
  );
}
