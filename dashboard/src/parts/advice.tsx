// What is wrong with a domain: what was seen, what is needed, and who must act.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { adviceFor, type DomainTrouble } from '../advice.ts';

export function Advice({ domain }: { readonly domain: DomainTrouble }) {
  const advice = adviceFor(domain);
  if (advice === undefined) return null;
  const { severity, header, text, seen, actor } = advice;
  return (
    <Alert type={severity} header={header}>
      {text !== undefined && <Box>{text}</Box>}
      {seen !== undefined && (
        <Box>
          <strong>Seen:</strong> {seen}
        </Box>
      )}
      {actor !== undefined && (
        <Box>
          <strong>Who must act:</strong> {actor}
        </Box>
      )}
    </Alert>
  );
}
