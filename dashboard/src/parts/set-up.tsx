// What an owner sets at the DNS provider: its clicks and the records as its form takes them, or the records for any provider.

import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useSetUpForMe } from '../queries.ts';
import type { Domain } from '../shapes.ts';
import { FormRecords, type Provider, Records } from './records.tsx';

/** @param domains one, or the two that were added together */
export function SetUp({ domains }: { readonly domains: readonly [Domain, ...Domain[]] }) {
  const [{ projectId }] = domains;
  const setUp = useSetUpForMe(projectId);
  const own = domains.filter(({ canPublish, served, state }) => canPublish && !served && state !== 'removing');
  const forMe = own.length > 0 && (
    <Button variant="primary" onClick={() => setUp.mutate(own.map(({ domainId }) => domainId))} loading={setUp.isPending}>
      Set up for me
    </Button>
  );
  const providers = domains.map(({ provider }) => provider).filter((provider) => provider !== null);
  const [first, ...others] = providers;
  // A set-up is at one provider, or it is shown for any.
  const known = first !== undefined && providers.length === domains.length && others.every(({ id }) => id === first.id);
  if (!known) return <Records domains={domains} actions={forMe} />;
  return (
    <SpaceBetween size="l">
      <Instructions provider={first} notes={[...new Set(providers.flatMap(({ notes }) => notes))]}>
        {forMe}
      </Instructions>
      <FormRecords providers={[first, ...others]} />
      <ExpandableSection headerText="At another provider">
        <Records domains={domains} title="Records at another provider" />
      </ExpandableSection>
    </SpaceBetween>
  );
}

interface InstructionsProps {
  readonly provider: Provider;
  readonly notes: readonly string[];
  readonly children: React.ReactNode;
}

function Instructions({ provider: { name, steps, link, automation }, notes, children }: InstructionsProps) {
  return (
    <Container
      header={
        <Header variant="h2" actions={children} description="Your domain's name servers belong to this provider.">
          At {name}
        </Header>
      }
    >
      <SpaceBetween size="s">
        <ol className="steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {notes.map((note) => (
          <div key={note}>{note}</div>
        ))}
        <SpaceBetween direction="horizontal" size="m">
          <Link external href={link}>
            Open {name}
          </Link>
          {automation !== null && (
            <Link external href={automation}>
              Automatic set-up there
            </Link>
          )}
        </SpaceBetween>
      </SpaceBetween>
    </Container>
  );
}
