// A project's domains, and a dialog to add one.

import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { pairIn } from '../companion.ts';
import { useDraft } from '../parts/dialog.tsx';
import { DomainTable } from '../parts/domain-table.tsx';
import { OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { Breakable } from '../parts/text.tsx';
import { useAccount, useCreation, useMe } from '../queries.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox, Input } from '../ui/field.tsx';

/** The page with a project's domains. */
export function DomainsPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title="Domains" breadcrumbs={breadcrumbsOf(project)}>
          <div className="stack large">
            <PlanWithoutDomains accountId={project.accountId}>
              <AddDomain projectId={project.projectId} />
            </PlanWithoutDomains>
            <DomainTable projectId={project.projectId} />
          </div>
        </Page>
      )}
    </OfProject>
  );
}

/** Shown instead of a form that would be refused. */
function PlanWithoutDomains({ accountId, children }: { readonly accountId: string; readonly children: ReactNode }) {
  const account = useAccount(accountId);
  const plans = useMe().data?.platform.plans ?? [];
  const own = plans.find(({ plan }) => plan === account?.plan);
  const smallest = plans.find(({ domains }) => domains > 0);
  if (own === undefined || own.domains > 0 || smallest === undefined) return children;
  return (
    <Notice
      kind="info"
      title={`The ${own.label} plan has no custom domains`}
      action={
        <Button kind="primary" href={`/accounts/${accountId}/plan`}>
          See plans
        </Button>
      }
    >
      {smallest.label} is the smallest plan with domains: {smallest.domains.toLocaleString()} for all projects of the account.
    </Notice>
  );
}

function AddDomain({ projectId }: { readonly projectId: string }) {
  const [host, setHost] = useDraft('domain', '');
  const [both, setBoth] = useState(true);
  const pair = pairIn(host);
  const navigate = useNavigate();
  const add = useCreation('/projects/{projectId}/domains', { projectId }, { reads: 'user' });
  return (
    <Section title="Add domain" description="Your own domain, such as example.com, or a subdomain of it. Next, you'll see which records to add.">
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
          <div className="fields">
            <div className="stack">
              <Field name="domain" label="Domain or subdomain">
                <Input value={host} inputMode="url" placeholder="shop.example.com" change={setHost} />
              </Field>
              {pair !== undefined && (
                <Checkbox checked={both} change={setBoth}>
                  <Breakable text={`Add ${pair.other} too, and redirect it to ${pair.host}`} />
                </Checkbox>
              )}
            </div>
            <Button kind="primary" submit busy={add.isPending} disabled={host.trim() === ''}>
              Add domain
            </Button>
          </div>
        </Refusal>
      </form>
    </Section>
  );
}
