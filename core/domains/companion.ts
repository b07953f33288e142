// A name with and without www, because visitors try both. The two can be added in one step; as soon as one is served, the other redirects to it. The
// intention is stored with the domain that redirects, so it survives restarts, and is dropped when the owner sets the project's configuration.

import type { ProjectStore } from '../projects/ports.ts';
import type { Project } from '../projects/project.ts';
import type { DomainConfiguration } from './configuration.ts';
import type { Domain } from './domain.ts';
import type { HostName } from './host-name.ts';
import type { DomainStore, EdgeMap } from './ports.ts';
import { type PublicationPorts, publish } from './publication.ts';
import { redirectProblems } from './redirects.ts';
import { isServed } from './states.ts';

/** A permanent redirect, because both names belong to the same owner. */
const STATUS = 301;

/** Returns the other name that visitors try: with www for a registered domain, without www for its www name; undefined for other names. */
export function companionOf({ host, registrable, apex }: Pick<HostName, 'host' | 'registrable' | 'apex'>): string | undefined {
  if (apex) return `www.${host}`;
  return host === `www.${registrable}` ? registrable : undefined;
}

/** Changes a stored domain, even if a worker changes it at the same time. @param change returns undefined to leave the domain as it is */
async function changeDomain(
  domains: Pick<DomainStore, 'getDomain' | 'saveDomain'>,
  id: string,
  change: (domain: Domain) => Domain | undefined,
): Promise<void> {
  const read = await domains.getDomain(id);
  const next = read && change(read);
  if (read !== undefined && next !== undefined && (await domains.saveDomain(next, read)) === 'changed') await changeDomain(domains, id, change);
}

/** Drops the intentions of a project's domains to redirect, because the owner has decided otherwise. */
export async function dropIntendedRedirects(
  domains: Pick<DomainStore, 'getDomain' | 'saveDomain'>,
  ofProject: readonly Pick<Domain, 'id' | 'redirectTo'>[],
): Promise<void> {
  for (const { id, redirectTo } of ofProject) if (redirectTo !== undefined) await changeDomain(domains, id, withoutRedirect);
}

/** Removes the link to a removed domain from the domain that was added with it. */
export async function partFromCompanion(domains: Pick<DomainStore, 'getDomain' | 'saveDomain'>, removed: Domain): Promise<void> {
  if (removed.companion === undefined) return;
  await changeDomain(domains, removed.companion.id, (other) => {
    if (other.companion?.id !== removed.id) return undefined;
    const { companion: _, redirectTo: __, ...rest } = other;
    return rest;
  });
}

export interface RedirectPorts extends PublicationPorts {
  readonly domains: Pick<DomainStore, 'listDomains' | 'getDomain' | 'saveDomain'>;
  readonly projects: Pick<ProjectStore, 'getProject' | 'putConfiguration'>;
  readonly edge: Pick<EdgeMap, 'publish'>;
}

/**
 * Now that the edge serves this domain, redirects to it the domains that are intended to redirect there, except those that the configuration already
 * redirects, and those that would form a loop. Idempotent; can be repeated after a crash, because the intention is dropped last.
 */
export async function applyIntendedRedirects(
  { domains, projects, ...ports }: RedirectPorts,
  target: Pick<Domain, 'host' | 'projectId'>,
): Promise<void> {
  const ofProject = await domains.listDomains(target.projectId);
  const waiting = ofProject.filter(({ redirectTo }) => redirectTo === target.host);
  if (waiting.length === 0) return;
  const served = new Set([target.host, ...ofProject.filter(({ state }) => isServed(state)).map(({ host }) => host)]);
  const names = new Set(ofProject.map(({ host }) => host));
  const changed = await changeConfiguration(projects, target.projectId, (configuration) => {
    const { primary, redirects } = configuration.domains;
    const added = waiting
      .map(({ host }) => ({ from: host, to: target.host, status: STATUS }) as const)
      .filter((redirect) => redirect.from !== primary && redirectProblems([...redirects, redirect], names, served, redirects).length === 0);
    if (added.length === 0) return undefined;
    return { ...configuration, domains: { ...configuration.domains, redirects: [...redirects, ...added] } };
  });
  if (changed !== undefined) await publish({ domains, projects, ...ports }, changed);
  await dropIntendedRedirects(domains, waiting);
}

function withoutRedirect({ redirectTo, ...domain }: Domain): Domain | undefined {
  return redirectTo === undefined ? undefined : domain;
}

/**
 * Changes a project's configuration, even if it changes concurrently.
 *
 * @param change called again if it has changed since; returns undefined to leave it as it is
 * @returns the project as it was before; undefined if nothing was changed, or if there is no such project
 */
export async function changeConfiguration(
  projects: Pick<ProjectStore, 'getProject' | 'putConfiguration'>,
  projectId: string,
  change: (configuration: DomainConfiguration) => DomainConfiguration | undefined,
): Promise<Project | undefined> {
  const project = await projects.getProject(projectId);
  const next = project && change(project.configuration);
  if (project === undefined || next === undefined) return undefined;
  const stored = await projects.putConfiguration(projectId, next, project.configuration);
  return stored ? project : changeConfiguration(projects, projectId, change);
}
