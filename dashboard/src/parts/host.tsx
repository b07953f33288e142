// A host as its owner would write it, and as the DNS has it if that differs.

import Box from '@cloudscape-design/components/box';
import type { Domain } from '../shapes.ts';
import { Breakable } from './breakable.tsx';

/** The host in ASCII, in parentheses; empty if it is displayed so anyway. */
export function AsciiHost({ domain: { host, displayHost } }: { readonly domain: Pick<Domain, 'host' | 'displayHost'> }) {
  return (
    host !== displayHost && (
      <Box variant="small" display="block">
        (<Breakable text={host} />)
      </Box>
    )
  );
}
