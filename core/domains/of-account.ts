// An account's projects and domains, which count towards its plan's limits.

import type { ProjectStore } from '../projects/ports.ts';
import type { Project } from '../projects/project.ts';
import type { Domain } from './domain.ts';
import type { DomainStore } from './ports.ts';

/** Returns an account's projects, and the domains of all of them, except removed ones. */
export async function projectsAndDomainsOf(
  { projects, domains }: { readonly projects: Pick<ProjectStore, 'listProjects'>; readonly domains: Pick<DomainStore, 'listDomains'> },
  accountId: string,
): Promise<{ readonly projects: readonly Project[]; readonly domains: readonly Domain[] }> {
  const all = await projects.listProjects(accountId);
  return { projects: all, domains: (await Promise.all(all.map(({ id }) => domains.listDomains(id)))).flat() };
}
