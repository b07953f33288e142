// What there is to know about a domain that is served: its certificate, its DNS, its redirects.

import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { serviceClockAheadMs } from '../api.ts';
import { useConfiguration } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { Breakable } from './breakable.tsx';
import { localMinute } from './time.ts';

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
