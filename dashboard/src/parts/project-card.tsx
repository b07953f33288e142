// A project in a list: where it is served, and what is left to do.

import { useAddressOf, useAllDomains, useConfiguration, useRead } from '../queries.ts';
import { type Domain, isPlaceholder, type Project } from '../shapes.ts';
import { inGroups } from '../stages.ts';
import { Status } from '../ui/blocks.tsx';
import { ExternalLink } from '../ui/button.tsx';
import { DomainState } from './domain-state.tsx';
import { Ago, Breakable } from './text.tsx';

/** Maximum number of domains shown for each project. */
const DOMAINS_SHOWN = 3;

/** A card with a project. */
export function ProjectCard({ project }: { readonly project: Project }) {
  const { projectId, name, target, url, deploymentId } = project;
  const domains = useAllDomains(projectId).data;
  const latest = useRead('/projects/{projectId}/deployments', { projectId }, { query: { limit: 1 } }).data?.[0];
  return (
    <article className="card project">
      <h2>
        <a href={`/projects/${projectId}`}>
          <Breakable text={name} />
        </a>
      </h2>
      {deploymentId === null || (latest && isPlaceholder(latest, project)) ? (
        <Status kind="pending">Nothing published yet</Status>
      ) : (
        <small className="muted">
          {latest && 'Published '}
          {latest && <Ago at={latest.createdAt} />} 
        </small>
      )}
      <ul>
        {domains === undefined ? (
          <li> </li>
        ) : domains.length > 0 ? (
          <Domains projectId={projectId} domains={domains} />
        ) : (
          <li>
            {url === null ? (
              <a href={`/projects/${projectId}/domains`}>Add a domain</a>
            ) : (
              <ExternalLink href={url}>{<Breakable text={target} />}</ExternalLink>
            )}
          </li>
        )}
      </ul>
    </article>
  );
}

function Domains({ projectId, domains }: { readonly projectId: string; readonly domains: readonly Domain[] }) {
  const redirects = useConfiguration(projectId).data?.domains.redirects;
  const rest = domains.length - DOMAINS_SHOWN;
  const shown = inGroups(domains, redirects).slice(0, DOMAINS_SHOWN);
  return (
    <>
      {shown.map((domain) => (
        <Line key={domain.domainId} domain={domain} />
      ))}
      {rest > 0 && (
        <li>
          <a href={`/projects/${projectId}/domains`}>+{rest} more</a>
        </li>
      )}
    </>
  );
}

function Line({ domain }: { readonly domain: Domain }) {
  const addressOf = useAddressOf();
  const { projectId, domainId, host, displayHost, served } = domain;
  const name = <Breakable text={displayHost} />;
  return (
    <li>
      {served ? <ExternalLink href={addressOf(host)}>{name}</ExternalLink> : <a href={`/projects/${projectId}/domains/${domainId}`}>{name}</a>}
      <DomainState domain={domain} />
    </li>
  );
}
