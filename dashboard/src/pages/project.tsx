// A project: publishing, domains and deployments.

import { usePages } from '../pages-of.ts';
import { Deployments } from '../parts/deployments.tsx';
import { DomainTable } from '../parts/domain-table.tsx';
import { OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { DeleteProject, RenameProject } from '../parts/project-dialogs.tsx';
import { PublishSite } from '../parts/publish-site.tsx';
import { Ago, Copy } from '../parts/text.tsx';
import { useAddressOf, useConfiguration, useDomains } from '../queries.ts';
import { filesText, isPlaceholder, type Project, sizeText } from '../shapes.ts';
import { addressesOf } from '../stages.ts';
import { Facts, Section } from '../ui/blocks.tsx';
import { Button, ExternalLink } from '../ui/button.tsx';

/** A project's overview. */
export function ProjectPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title={project.name} breadcrumbs={breadcrumbsOf(project).slice(0, 1)} actions={<Actions project={project} />}>
          <div className="stack large">
            <Served project={project} />
            <PublishSite key={project.projectId} project={project} />
            <DomainTable projectId={project.projectId} actions={<Button href={`/projects/${project.projectId}/domains`}>Manage domains</Button>} />
            <Deployments project={project} />
            <Identity project={project} />
            <DeleteProject project={project} />
          </div>
        </Page>
      )}
    </OfProject>
  );
}

/** A project's actions. Visit opens the primary domain, or the project's own address. */
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
      <Button dialog={<RenameProject project={project} />}>Rename</Button>
    </div>
  );
}

/** What visitors are served. The line keeps its height while loading. */
function Served({ project }: { readonly project: Project }) {
  const { projectId, url } = project;
  const current = usePages('/projects/{projectId}/deployments', { projectId }).data?.find((each) => each.current);
  const what =
    current &&
    (isPlaceholder(current, project) ? 'A placeholder page, until you publish' : `${filesText(current.files)}, ${sizeText(current.bytes)}`);
  return (
    <Section title="Live now">
      <div className="row">
        <span>
          {what ?? '\u00a0'}
          {current && !isPlaceholder(current, project) && (
            <>
              , published <Ago at={current.createdAt} />
            </>
          )}
        </span>
        {url !== null && <ExternalLink href={url}>Open</ExternalLink>}
      </div>
    </Section>
  );
}

function Identity({ project: { projectId, target, url } }: { readonly project: Project }) {
  return (
    <Section title="IDs">
      <Facts
        items={[
          { label: url === null ? 'CNAME target' : 'Default address (CNAME target)', value: <Copy text={target} label="Copy the CNAME" /> },
          { label: 'Project ID', value: <Copy text={projectId} label="Copy the project's id" /> },
        ]}
      />
    </Section>
  );
}
