// A domain's progress: its stages in order, and when each stage was reached.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Steps from '@cloudscape-design/components/steps';
import { useEffect, useState } from 'react';
import { adviceFor, type Advice as Shown } from '../advice.ts';
import { serviceClockAheadMs } from '../api.ts';
import { useConfiguration } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { isAtStage, stagesOf, untilText } from '../stages.ts';
import { Breakable, localMinute, localTime } from './text.tsx';

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

// When the service checks a domain next, and what to expect until then.

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

// A domain's problem: what was seen, what to do, and who must act.

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

// What there is to know about a domain that is served: its certificate, its DNS, its redirects.

/** A served domain's facts. */
export function LiveFacts({ domain: { projectId, host, state, certificate, dnsSeenAt, redirectTo } }: { readonly domain: Domain }) {
  const isDue = certificate !== null && Date.parse(certificate.renewsAt) <= Date.now() + serviceClockAheadMs();
  const redirects = useConfiguration(projectId).data?.domains.redirects ?? [];
  const lines = [
    ...redirects.filter(({ from }) => from === host).map(({ to, status }) => `to ${to} (${status})`),
    ...redirects.filter(({ to }) => to === host).map(({ from, status }) => `from ${from} (${status})`),
    ...(redirectTo === null ? [] : [`to ${redirectTo}, as soon as that is live`]),
  ];
  return (
    <Container header={<Header variant="h2">{state === 'certificate_expired' ? 'Certificate' : 'Live'}</Header>}>
      <KeyValuePairs
        columns={3}
        items={[
          ...(certificate === null
            ? [{ label: 'Certificate', value: 'issued and renewed automatically' }]
            : [
                { label: 'Certificate from', value: certificate.issuer },
                { label: 'Valid', value: `${localMinute(certificate.notBefore)} to ${localMinute(certificate.notAfter)}` },
                { label: 'Renewed automatically', value: isDue ? 'now' : `from ${localMinute(certificate.renewsAt)} on` },
              ]),
          { label: 'DNS last checked', value: dnsSeenAt === null ? 'not yet' : localMinute(dnsSeenAt) },
          { label: 'Redirects', value: lines.length === 0 ? 'none' : lines.map((line) => <Breakable key={line} text={line} />) },
        ]}
      />
    </Container>
  );
}
