// A project: publishing, its current deployment, addresses and domains.

import { Deployments } from '../parts/deployments.tsx';
import { DomainTable } from '../parts/domain-table.tsx';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { ProjectActions } from '../parts/project-dialogs.tsx';
import { PublishSite } from '../parts/publish-site.tsx';
import { Breakable, Copy, localTime } from '../parts/text.tsx';
import { useAddressOf, useConfiguration, useDeployments, useDomains } from '../queries.ts';
import type { Deployment, Project } from '../shapes.ts';
import { addressesOf } from '../stages.ts';
import { Facts, Section } from '../ui/blocks.tsx';
import { Button, ExternalLink } from '../ui/button.tsx';

/** A project may have hundreds of domains. */
const ADDRESSES_SHOWN = 5;

/** A project's overview. */
export function ProjectPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title={project.name} breadcrumbs={breadcrumbsOf(project).slice(0, 1)} actions={<Actions project={project} />}>
          <div className="stack large">
            <Overview project={project} />
            <PublishSite key={project.projectId} project={project} />
            <Domains projectId={project.projectId} />
            <Deployments projectId={project.projectId} />
          </div>
        </Page>
      )}
    </OfProject>
  );
}

/** Visit leads to the primary domain, or to the address that every project has. */
function Actions({ project }: { readonly project: Project }) {
  const domains = useDomains(project.projectId);
  const configuration = useConfiguration(project.projectId);
  const addressOf = useAddressOf();
  const [host] = addressesOf(domains.data ?? [], configuration.data?.domains.primary);
  const url = host === undefined ? project.url : addressOf(host);
  return (
    <div className="row">
      {url !== null && project.deploymentId !== null && (
        <Button href={url} newTab icon="external" label="Visit the site, in a new tab">
          Visit
        </Button>
      )}
      <ProjectActions project={project} />
    </div>
  );
}

function Domains({ projectId }: { readonly projectId: string }) {
  const domains = useDomains(projectId);
  const manage = <Button href={`/projects/${projectId}/domains`}>Manage domains</Button>;
  return <Loaded of={domains}>{(items) => <DomainTable projectId={projectId} domains={items} more={domains.more} actions={manage} />}</Loaded>;
}

function Overview({ project }: { readonly project: Project }) {
  const domains = useDomains(project.projectId);
  const configuration = useConfiguration(project.projectId);
  const deployments = useDeployments(project.projectId);
  const addressOf = useAddressOf();
  const hosts = addressesOf(domains.data ?? [], configuration.data?.domains.primary);
  return (
    <Section title="Overview">
      <Facts
        items={[
          {
            label: 'Address',
            value:
              hosts.length === 0 && project.url === null ? (
                'None yet. Add a domain.'
              ) : (
                <div className="stack tight">
                  {hosts.slice(0, ADDRESSES_SHOWN).map((host) => (
                    <ExternalLink key={host} href={addressOf(host)}>
                      <Breakable text={host} />
                    </ExternalLink>
                  ))}
                  {hosts.length > ADDRESSES_SHOWN && <a href={`/projects/${project.projectId}/domains`}>All domains</a>}
                  {project.url !== null && (
                    <ExternalLink href={project.url}>
                      <Breakable text={project.target} />
                    </ExternalLink>
                  )}
                </div>
              ),
          },
          { label: 'Published', value: publishedText(project, deployments.data) },
          { label: 'CNAME target', value: <Copy text={project.target} label="Copy the CNAME" /> },
          { label: 'Project ID', value: <Copy text={project.projectId} label="Copy the project's id" /> },
        ]}
      />
    </Section>
  );
}

/** When the current deployment was published; its id, if it is not among the latest. */
function publishedText({ deploymentId }: Project, deployments: readonly Deployment[] | undefined): string {
  if (deploymentId === null) return 'nothing yet';
  const current = deployments?.find((deployment) => deployment.deploymentId === deploymentId);
  return current === undefined ? deploymentId : localTime(current.createdAt);
}
