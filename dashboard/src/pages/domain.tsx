// A domain: its records, the latest check, its progress, and possible actions.

import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Advice } from '../parts/advice.tsx';
import { DomainState } from '../parts/domain-state.tsx';
import { Loaded } from '../parts/failure.tsx';
import { OfProject } from '../parts/of-project.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Records } from '../parts/records.tsx';
import { RemoveDomain } from '../parts/remove-domain.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useAddressOf, useChange, useDomain, useVerify } from '../queries.ts';
import type { Domain } from '../shapes.ts';

/** A domain's page. */
export function DomainPage() {
  const { projectId = '', domainId = '' } = useParams({ strict: false });
  const domain = useDomain(projectId, domainId);
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  const publish = useChange(
    (api) => unwrap(api.POST('/dashboard/v1/projects/{projectId}/domains/{domainId}/publish', { params: { path: { projectId, domainId } } })),
    {
      stale: [
        ['domain', domainId],
        ['domains', projectId],
      ],
      successMessage: 'Records set. Verification continues automatically.',
    },
  );
  return (
    <OfProject>
      {(project) => (
        <Loaded of={domain}>
          {(found) => (
            <Page
              title={found.host}
              breadcrumbs={[...breadcrumbsOf(project), { text: 'Domains', href: `/projects/${projectId}/domains` }]}
              description={<DomainState domain={found} />}
              actions={<Actions domain={found} remove={() => setRemoving(true)} />}
            >
              <SpaceBetween size="l">
                <Advice domain={found} />
                <Records domain={found} publish={() => publish.mutate(undefined)} publishing={publish.isPending} />
                <Container header={<Header variant="h2">Progress</Header>}>
                  <Timeline domain={found} />
                </Container>
              </SpaceBetween>
              {removing && (
                <RemoveDomain
                  domain={found}
                  close={() => setRemoving(false)}
                  removed={() => void navigate({ to: '/projects/$projectId/domains', params: { projectId } })}
                />
              )}
            </Page>
          )}
        </Loaded>
      )}
    </OfProject>
  );
}

function Actions({ domain, remove }: { readonly domain: Domain; readonly remove: () => void }) {
  const { projectId, domainId, host, state, canVerify } = domain;
  const verify = useVerify(projectId);
  const addressOf = useAddressOf();
  const isFirst = state === 'awaiting_dns' || state === 'verifying';
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {domain.served && (
        <Button href={addressOf(host)} target="_blank" iconName="external" iconAlign="right" ariaLabel={`Open ${host} in a new tab`}>
          Open
        </Button>
      )}
      <Button onClick={remove} disabled={state === 'removing'}>
        Remove
      </Button>
      <Button variant="primary" onClick={() => verify.mutate(domainId)} loading={verify.isPending} disabled={!canVerify}>
        {isFirst ? 'Verify' : 'Re-verify'}
      </Button>
    </SpaceBetween>
  );
}
