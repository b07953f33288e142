// A domain's problem: what was seen, what to do, and who must act.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { adviceFor } from '../advice.ts';
import type { Domain } from '../shapes.ts';

/** An alert with a domain's advice; renders nothing if there is none. */
export function Advice({ domain }: { readonly domain: Pick<Domain, 'advice' | 'state'> }) {
  const advice = adviceFor(domain);
  if (advice === undefined) return null;
  const { severity, header, seen, actor } = advice;
  return (
    <Alert type={severity} header={header}>
      <Box>
        <strong>Seen:</strong> {seen}
      </Box>
      <Box>
        <strong>Who must act:</strong> {actor}
      </Box>
    </Alert>
  );
}
