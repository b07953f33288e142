// What is wrong with a domain: what was seen, what is needed, and who must act.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { adviceFor } from '../advice.ts';
import type { Domain } from '../shapes.ts';

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
