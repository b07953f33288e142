// A domain's progress: its stages in order, and when each stage was reached.

import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Steps from '@cloudscape-design/components/steps';
import type { Domain } from '../shapes.ts';
import { isAtStage, stagesOf } from '../stages.ts';
import { NextCheck } from './next-check.tsx';
import { localTime } from './time.ts';

/** A domain's stages and its next automatic check. */
export function Timeline({ domain }: { readonly domain: Domain }) {
  return (
    <div>
      <Steps
        steps={stagesOf(domain).map(({ text, status, at }) => ({
          status,
          header: text,
          details: at === undefined ? '' : localTime(at),
          statusIconAriaLabel: status,
        }))}
      />
      {!isAtStage(domain) && <StatusIndicator type="warning">{domain.stateLabel}</StatusIndicator>}
      {domain.inProgress && <NextCheck domain={domain} />}
    </div>
  );
}
