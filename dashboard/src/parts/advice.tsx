// A domain's problem: what was seen, what to do, and who must act.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { adviceFor, type Advice as Shown } from '../advice.ts';
import type { Domain } from '../shapes.ts';
import { Breakable } from './breakable.tsx';

/** An alert with a domain's advice; empty if there is none. A change is announced to screen readers, what stays the same is not. */
export function Advice({ domain }: { readonly domain: Pick<Domain, 'advice' | 'state'> }) {
  const advice = adviceFor(domain);
  return <div role="status">{advice !== undefined && <AdviceAlert advice={advice} />}</div>;
}

function AdviceAlert({ advice: { severity, header, seen, actor } }: { readonly advice: Shown }) {
  return (
    <Alert type={severity} header={<Breakable text={header} />}>
      <Box>
        <strong>Seen:</strong> <Breakable text={seen} />
      </Box>
      <Box>
        <strong>Who must act:</strong> {actor}
      </Box>
    </Alert>
  );
}
