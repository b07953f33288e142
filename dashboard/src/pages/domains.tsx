// A project's domains, and a dialog to add one.

import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { pairIn } from '../companion.ts';
import { DomainTable } from '../parts/domain-table.tsx';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { Breakable } from '../parts/text.tsx';
import { useAccount, useChange, useDomains, useMe } from '../queries.ts';

/** The page with a project's domains. */
export function DomainsPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title="Domains" breadcrumbs={breadcrumbsOf(project)}>
          <SpaceBetween size="l">
            <PlanWithoutDomains accountId={project.accountId} />
            <AddDomain projectId={project.projectId} />
            <Domains projectId={project.projectId} />
          </SpaceBetween>
        </Page>
      )}
    </OfProject>
  );
}

/** Said before the form, not by refusing it. */
function PlanWithoutDomains({ accountId }: { readonly accountId: string }) {
  const account = useAccount(accountId);
  const plans = useMe().data?.platform.plans ?? [];
  const own = plans.find(({ plan }) => plan === account?.plan);
  const smallest = plans.find(({ domains }) => domains > 0);
  if (own === undefined || own.domains > 0 || smallest === undefined) return null;
  return (
    <Alert
      type="info"
      header={`The ${own.label} plan has no custom domains`}
      action={<Button href={`/accounts/${accountId}/plan`}>See plans</Button>}
    >
      {smallest.label} is the smallest plan with domains. Ask for it on the Plan page.
    </Alert>
  );
}

function Domains({ projectId }: { readonly projectId: string }) {
  const domains = useDomains(projectId);
  return <Loaded of={domains}>{(items) => <DomainTable projectId={projectId} domains={items} more={domains.more} />}</Loaded>;
}

function AddDomain({ projectId }: { readonly projectId: string }) {
  const [host, setHost] = useState('');
  const [both, setBoth] = useState(true);
  const pair = pairIn(host);
  const navigate = useNavigate();
  const add = useChange(
    (api, body: { readonly host: string; readonly companion: boolean }) =>
      unwrap(api.POST('/projects/{projectId}/domains', { params: { path: { projectId } }, body })),
    { stale: [['domains', projectId]], showsFailure: true },
  );
  return (
    <Container header={<Header variant="h2">Add domain</Header>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const body = { host, companion: pair !== undefined && both };
          add.mutate(body, {
            onSuccess: ({ domainId }) => void navigate({ to: '/projects/$projectId/domains/$domainId', params: { projectId, domainId } }),
          });
        }}
      >
        <Refusal failure={add.error}>
          <Field
            name="domain"
            label="Domain or subdomain"
            description="A name that you have registered, such as www.example.com. The next page shows the record to set for it."
          >
            <Input value={host} inputMode="url" autoComplete="off" onChange={({ detail }) => setHost(detail.value)} />
          </Field>
          {pair !== undefined && (
            <Checkbox checked={both} onChange={({ detail }) => setBoth(detail.checked)}>
              <Breakable text={`Add ${pair.other} too, and redirect it to ${pair.host}`} />
            </Checkbox>
          )}
          <Button variant="primary" formAction="submit" loading={add.isPending} disabled={host.trim() === ''}>
            Add domain
          </Button>
        </Refusal>
      </form>
    </Container>
  );
}
