// When the service checks a domain next, and what to expect until then.

import Box from '@cloudscape-design/components/box';
import { useEffect, useState } from 'react';
import { serviceClockAheadMs } from '../api.ts';
import { untilText } from '../next-check.ts';
import type { Domain } from '../shapes.ts';

const TICK_MS = 1_000;

const EXPECTED: Readonly<Partial<Record<Domain['state'], string>>> = {
  verifying: 'New records are usually found within minutes; it can take up to 48 hours.',
  certificate_pending: 'A certificate usually takes a few minutes.',
  attaching: 'This usually takes a few minutes.',
  removing: 'This takes a few minutes.',
};

/** Counts down to the next check. Not a live region: screen readers announce what a check finds, not each second. */
export function NextCheck({ domain: { state, nextCheckAt } }: { readonly domain: Pick<Domain, 'state' | 'nextCheckAt'> }) {
  const [now, setNow] = useState(() => Date.now() + serviceClockAheadMs());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() + serviceClockAheadMs()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Box color="text-body-secondary">
      {nextCheckAt !== undefined && `Next automatic check ${untilText(Date.parse(nextCheckAt) - now)}. `}
      {EXPECTED[state] !== undefined && `${EXPECTED[state]} `}
      You can close this page; checks continue.
    </Box>
  );
}
