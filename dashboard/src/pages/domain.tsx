// A domain: what to set, the latest check, its progress, and possible actions; once it is live, its facts. Two domains that were added together are
// set up together.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { DomainState } from '../parts/domain-state.tsx';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { RemoveDomain } from '../parts/remove-domain.tsx';
import { SetUp } from '../parts/set-up.tsx';
import { AsciiHost, Breakable } from '../parts/text.tsx';
import { Advice, LiveFacts, NextCheck, Timeline } from '../parts/timeline.tsx';
import { useAddressOf, useCompanion, useDomain, useVerify } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { needsRecords } from '../stages.ts';

/** A domain's page. */
export function DomainPage() {
  const { projectId = '', domainId = '' } = useParams({ strict: false });
  const domain = useDomain(projectId, domainId);
  const companion = useCompanion(domain.data);
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  return (
    <OfProject>
      {(project) => (
        <Loaded of={domain}>
          {(found) => (
            <Page
              title={found.displayHost}
              breadcrumbs={[...breadcrumbsOf(project), { text: 'Domains', href: `/projects/${projectId}/domains` }]}
              description={
                <>
                  <AsciiHost domain={found} />
                  <div aria-live="polite">
                    <DomainState domain={found} />
                  </div>
                </>
              }
              actions={<Actions domain={found} companion={companion} remove={() => setRemoving(true)} />}
            >
              <SpaceBetween size="l">
                <Advice domain={found} />
                {found.served && found.advice !== null && <NextCheck domain={found} />}
                <Body domain={found} companion={companion} />
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

interface PairProps {
  readonly domain: Domain;
  readonly companion: Domain | undefined;
}

/** The set-up is folded away once the records are right, and the progress once the domain is live. */
function Body({ domain, companion }: PairProps) {
  const setUp = <SetUp domains={companion === undefined ? [domain] : [domain, companion]} />;
  const isOpen = [domain, ...(companion === undefined ? [] : [companion])].some(needsRecords);
  useEffect(() => {
    // The button that was used is folded away: without this, the focus would return to the top of the page.
    if (!isOpen && document.activeElement === document.body) document.querySelector<HTMLElement>('.page-title')?.focus({ preventScroll: true });
  }, [isOpen]);
  return (
    <SpaceBetween size="l">
      {domain.served && <LiveFacts domain={domain} />}
      {companion !== undefined && <OtherName domain={companion} />}
      {isOpen && setUp}
      {!domain.served && (
        <Container header={<Header variant="h2">Progress</Header>}>
          <Timeline domain={domain} />
        </Container>
      )}
      {!isOpen && <ExpandableSection headerText="Set-up">{setUp}</ExpandableSection>}
      {domain.served && (
        <ExpandableSection headerText="Progress">
          <Timeline domain={domain} />
        </ExpandableSection>
      )}
    </SpaceBetween>
  );
}

/** The domain that was added together with this one, in a line. */
function OtherName({ domain }: { readonly domain: Domain }) {
  const { projectId, domainId, displayHost, redirectTo } = domain;
  return (
    <SpaceBetween direction="horizontal" size="s" alignItems="center">
      <Link href={`/projects/${projectId}/domains/${domainId}`}>
        <Breakable text={displayHost} />
      </Link>
      <DomainState domain={domain} />
      {redirectTo !== null && (
        <Box variant="span">
          <Breakable text={`It will redirect to ${redirectTo}.`} />
        </Box>
      )}
    </SpaceBetween>
  );
}

function Actions({ domain, companion, remove }: PairProps & { readonly remove: () => void }) {
  const { projectId, host, state } = domain;
  const verify = useVerify(projectId);
  const addressOf = useAddressOf();
  const isFirst = state === 'awaiting_dns' || state === 'verifying';
  const toVerify = [domain, ...(companion === undefined ? [] : [companion])].filter(({ canVerify }) => canVerify).map(({ domainId }) => domainId);
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
      <Button
        variant={isFirst && domain.canPublish ? 'normal' : 'primary'}
        onClick={() => verify.mutate(toVerify)}
        loading={verify.isPending}
        disabled={toVerify.length === 0}
      >
        Verify
      </Button>
    </SpaceBetween>
  );
}
