// A project in a list: where it is served, and what is missing.

import { unwrap } from '../api.ts';
import { useAddressOf, useRead } from '../queries.ts';
import type { Domain, Project } from '../shapes.ts';
import { Status } from '../ui/blocks.tsx';
import { ExternalLink } from '../ui/button.tsx';
import { DomainState } from './domain-state.tsx';
import { Breakable, localMinute } from './text.tsx';

/** Domains shown of each project. */
const DOMAINS_SHOWN = 3;

/** A card with a project. */
export function ProjectCard({ project }: { readonly project: Project }) {
  const { projectId, name, target, url, deploymentId } = project;
  const path = { projectId };
  const domains = useRead(['domains', projectId, 'first'], (api) =>
    unwrap(api.GET('/projects/{projectId}/domains', { params: { path, query: { limit: DOMAINS_SHOWN } } })),
  );
  const latest = useRead(['deployments', projectId, 'latest'], (api) =>
    unwrap(api.GET('/projects/{projectId}/deployments', { params: { path, query: { limit: 1 } } })),
  ).data?.[0];
  return (
    <article className="card project">
      <h2>
        <a href={`/projects/${projectId}`}>
          <Breakable text={name} />
        </a>
      </h2>
      {deploymentId === null ? (
        <Status kind="pending">Nothing published yet</Status>
      ) : (
        <small className="muted">{latest === undefined ? ' ' : `Published ${localMinute(latest.createdAt)}`}</small>
      )}
      <ul>
        {domains.data?.map((domain) => (
          <Line key={domain.domainId} domain={domain} />
        ))}
        {domains.data?.length === 0 && (
          <li>
            {url === null ? (
              <a href={`/projects/${projectId}/domains`}>Add a domain</a>
            ) : (
              <ExternalLink href={url}>{<Breakable text={target} />}</ExternalLink>
            )}
          </li>
        )}
        {domains.data === undefined && <li> </li>}
      </ul>
    </article>
  );
}

function Line({ domain }: { readonly domain: Domain }) {
  const addressOf = useAddressOf();
  const { projectId, domainId, host, displayHost, served } = domain;
  return (
    <li>
      {served ? (
        <ExternalLink href={addressOf(host)}>
          <Breakable text={displayHost} />
        </ExternalLink>
      ) : (
        <a href={`/projects/${projectId}/domains/${domainId}`}>
          <Breakable text={displayHost} />
        </a>
      )}
      <DomainState domain={domain} />
    </li>
  );
}
