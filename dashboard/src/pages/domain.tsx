// A domain: its state, the records to set, and possible actions. Two domains that were added together are set up and shown together.

import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { setRedirectOf } from '../configuration-draft.ts';
import { useDialogs } from '../context.tsx';
import { STATUSES } from '../parts/configuration-form.tsx';
import { changing, Dialog } from '../parts/dialog.tsx';
import { DomainState } from '../parts/domain-state.tsx';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Field } from '../parts/refusal.tsx';
import { RemoveDomain } from '../parts/remove-domain.tsx';
import { SetUp, Verify } from '../parts/set-up.tsx';
import { AsciiHost, Breakable } from '../parts/text.tsx';
import { Advice, LiveFacts, NextCheck, Timeline } from '../parts/timeline.tsx';
import { useAddressOf, useCompanion, useConfiguration, useDomain, useSaveConfiguration } from '../queries.ts';
import type { Configuration, Domain } from '../shapes.ts';
import { inGroups, needsRecords, stagesDone } from '../stages.ts';
import { Fold, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';

/** A domain's page, which includes the domain that was added with it. A name that only redirects comes second. */
export function DomainPage() {
  const { projectId = '', domainId = '' } = useParams({ strict: false });
  const domain = useDomain({ projectId, domainId });
  const companion = useCompanion(domain.data);
  const redirects = useConfiguration(projectId).data?.domains.redirects;
  const navigate = useNavigate();
  const { close } = useDialogs();
  const removed = () => {
    close();
    const next = companion?.domainId;
    if (next === undefined) void navigate({ to: '/projects/$projectId/domains', params: { projectId } });
    else void navigate({ to: '/projects/$projectId/domains/$domainId', params: { projectId, domainId: next } });
  };
  return (
    <OfProject>
      {(project) => (
        <Loaded of={domain}>
          {(found) => {
            const [first = found, ...others] = inGroups(companion ? [found, companion] : [found], redirects);
            const domains = [first, ...others] as const;
            const isBegun = domains.some(needsRecords);
            const [behind] = domains.toSorted((a, b) => stagesDone(a) - stagesDone(b));
            return (
              <Page
                title={found.displayHost}
                breadcrumbs={[...breadcrumbsOf(project), { text: 'Domains', href: `/projects/${projectId}/domains` }]}
                description={<AsciiHost domain={found} />}
                actions={!isBegun && <Verify domains={domains} />}
              >
                <div className="stack large">
                  <Advice domains={domains} />
                  <div className={`stack large ${isBegun ? 'setting-up' : ''}`}>
                    {isBegun && <SetUp domains={domains} />}
                    <div className="pair">
                      {domains.map((each) => (
                        <DomainCard key={each.domainId} domain={each} hasSteps={each === behind} />
                      ))}
                    </div>
                  </div>
                  <Rest domains={domains} />
                  <Section
                    title="Remove"
                    description="Visitors are turned away at once, and the certificate is deleted."
                    actions={
                      <div className="row">
                        {domains.map((each) => (
                          <Button
                            key={each.domainId}
                            kind="ends"
                            disabled={each.state === 'removing'}
                            dialog={<RemoveDomain domain={each} {...(each.domainId === domainId && { removed })} />}
                          >
                            Remove <Breakable text={each.host} />
                          </Button>
                        ))}
                      </div>
                    }
                  />
                </div>
              </Page>
            );
          }}
        </Loaded>
      )}
    </OfProject>
  );
}

type Domains = readonly [Domain, ...Domain[]];

function DomainCard({ domain, hasSteps }: { readonly domain: Domain; readonly hasSteps: boolean }) {
  const addressOf = useAddressOf();
  const { projectId, host, displayHost, served } = domain;
  const isRedirected = useConfiguration(projectId).data?.domains.redirects.some(({ from }) => from === host) === true;
  return (
    <section className="card domain" data-served={served} aria-label={displayHost}>
      <header>
        <div>
          <h2>
            <Breakable text={displayHost} />
          </h2>
          <div aria-live="polite">
            <DomainState domain={domain} />
          </div>
        </div>
        {served && (
          <Button {...(!isRedirected && { kind: 'primary' })} href={addressOf(host)} newTab icon="external" label={`Open ${host} in a new tab`}>
            Open
          </Button>
        )}
      </header>
      {served && domain.advice !== null && <NextCheck domain={domain} />}
      <Redirect domain={domain} />
      {served ? <LiveFacts domain={domain} /> : hasSteps && <Timeline domain={domain} />}
    </section>
  );
}

/** Where a domain redirects, if it does not show the site, and a way to change it. */
function Redirect({ domain: { projectId, host, redirectTo } }: { readonly domain: Domain }) {
  const configuration = useConfiguration(projectId).data;
  const redirect = configuration?.domains.redirects.find(({ from }) => from === host);
  const text =
    redirect !== undefined ? `Redirects to ${redirect.to} (${redirect.status}).` : redirectTo !== null && `It will redirect to ${redirectTo}.`;
  if (configuration === undefined || text === false) return null;
  return (
    <p className="row">
      <Breakable text={text} />
      {redirect !== undefined && (
        <Button kind="link" label={`Change the redirect of ${host}`} dialog={<ChangeRedirect projectId={projectId} redirect={redirect} />}>
          Change
        </Button>
      )}
    </p>
  );
}

interface ChangeRedirectProps {
  readonly projectId: string;
  readonly redirect: Configuration['domains']['redirects'][number];
}

function ChangeRedirect({ projectId, redirect: { from, to, status } }: ChangeRedirectProps) {
  const read = useConfiguration(projectId).data;
  const [chosen, setChosen] = useState(String(status));
  const save = useSaveConfiguration(projectId, read);
  const next = read && setRedirectOf(read, from, chosen === 'none' ? undefined : { to, status: Number(chosen) });
  const options = [...STATUSES, { value: 'none', label: 'No redirect: show the site here' }];
  return (
    <Dialog header={`Redirect of ${from}`} {...changing('Save', save, next as Configuration, { disabled: chosen === String(status) })}>
      <Field label="Status" description={`Redirects ${from} to ${to}: permanently (301, 308) or temporarily (302, 307).`}>
        <Select value={chosen} options={options} change={setChosen} />
      </Field>
    </Dialog>
  );
}

/** The set-up, collapsed once the records are right, and the progress, collapsed once the domain is live. */
function Rest({ domains }: { readonly domains: Domains }) {
  const isOpen = domains.some(needsRecords);
  useEffect(() => {
    // The button that was used is now hidden. Without this, the focus would return to the top of the page.
    if (!isOpen && document.activeElement === document.body) document.querySelector<HTMLElement>('.page-title')?.focus({ preventScroll: true });
  }, [isOpen]);
  return (
    <>
      {!isOpen && (
        <Fold title="DNS records">
          <SetUp domains={domains} />
        </Fold>
      )}
      {domains[0].served && (
        <Fold title="Progress">
          <Timeline domain={domains[0]} />
        </Fold>
      )}
    </>
  );
}
