// A project: publishing, its current deployment, addresses and domains.

import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
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

/** A project may have hundreds of domains. */
const ADDRESSES_SHOWN = 5;

/** A project's overview. */
export function ProjectPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title={project.name} breadcrumbs={breadcrumbsOf(project).slice(0, 1)} actions={<Actions project={project} />}>
          <SpaceBetween size="l">
            <PublishSite key={project.projectId} project={project} />
            <Overview project={project} />
            <Domains projectId={project.projectId} />
            <Deployments projectId={project.projectId} />
          </SpaceBetween>
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
    <SpaceBetween direction="horizontal" size="xs">
      {url !== null && project.deploymentId !== null && (
        <Button href={url} target="_blank" iconName="external" iconAlign="right" ariaLabel="Visit the site, in a new tab">
          Visit
        </Button>
      )}
      <ProjectActions project={project} />
    </SpaceBetween>
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
    <Container header={<Header variant="h2">Overview</Header>}>
      <KeyValuePairs
        columns={4}
        items={[
          {
            label: 'Address',
            value:
              hosts.length === 0 && project.url === null ? (
                'none yet: add a domain'
              ) : (
                <SpaceBetween size="xxs">
                  {hosts.slice(0, ADDRESSES_SHOWN).map((host) => (
                    <Link key={host} external href={addressOf(host)}>
                      <Breakable text={host} />
                    </Link>
                  ))}
                  {hosts.length > ADDRESSES_SHOWN && <Link href={`/projects/${project.projectId}/domains`}>All domains</Link>}
                  {project.url !== null && (
                    <Link external href={project.url}>
                      <Breakable text={project.target} />
                    </Link>
                  )}
                </SpaceBetween>
              ),
          },
          { label: 'Published', value: publishedText(project, deployments.data) },
          { label: 'CNAME target', value: <Copy text={project.target} label="Copy the CNAME" /> },
          { label: 'Project id', value: <Copy text={project.projectId} label="Copy the project's id" /> },
        ]}
      />
    </Container>
  );
}

/** When the current deployment was published; its id, if it is not among the latest. */
function publishedText({ deploymentId }: Project, deployments: readonly Deployment[] | undefined): string {
  if (deploymentId === null) return 'nothing yet';
  const current = deployments?.find((deployment) => deployment.deploymentId === deploymentId);
  return current === undefined ? deploymentId : localTime(current.createdAt);
}
