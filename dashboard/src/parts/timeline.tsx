// A domain's progress: its stages in order, and when each stage was reached.

import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Steps from '@cloudscape-design/components/steps';
import type { Domain } from '../shapes.ts';
import { isAtStage, stagesOf } from '../stages.ts';
import { localTime } from './time.ts';

/** A domain's stages and its next automatic check. Screen readers announce new stages, not every next check. */
export function Timeline({ domain }: { readonly domain: Domain }) {
  return (
    <div>
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
      </div>
      {domain.nextCheckAt !== undefined && domain.inProgress && (
        <Box color="text-body-secondary">Next automatic check at {localTime(domain.nextCheckAt)}</Box>
      )}
    </div>
  );
}
