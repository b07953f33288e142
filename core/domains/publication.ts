// What the edge is to serve for a project, according to storage.

import { type Account, suspendedMessage } from '../access/account.ts';
import { PLANS_WITH_DOMAINS, planOf } from '../access/plans.ts';
import type { AccountStore } from '../access/ports.ts';
import type { ProjectStore } from '../projects/ports.ts';
import type { Project } from '../projects/project.ts';
import type { SuspensionReason } from './domain.ts';
import type { DomainStore, EdgeMap, MapEntry, ProjectRef, Publication } from './ports.ts';
import type { Redirect } from './redirects.ts';
import { type DomainStateName, isServed } from './states.ts';

/** The ports from which publicationOf reads what is to be served. */
export interface PublicationPorts {
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly projects: Pick<ProjectStore, 'getProject'>;
  readonly domains: Pick<DomainStore, 'listDomains'>;
}

/** Whether the edge serves a domain in this state, or is about to. */
export function isAtEdge(state: { readonly name: DomainStateName }): boolean {
  return isServed(state) || state.name === 'attaching';
}

/** Returns what is to be served for a project: nothing if the project is deleted, or while its account is suspended. */
export async function publicationOf({ accounts, projects, domains }: PublicationPorts, projectId: string): Promise<Publication | undefined> {
  const project = await projects.getProject(projectId);
  const account = project && (await accounts.getAccount(project.accountId));
  if (project === undefined || account === undefined || account.suspension !== undefined) return undefined;
  // If something that domains need is missing, no domain is served, even before the next check detects this.
  const served = guardFailure(account, project) === undefined ? await domains.listDomains(projectId) : [];
  return { project, hosts: served.filter(({ state }) => isAtEdge(state)).map(({ host }) => host) };
}

/**
 * Makes the edge serve what storage has for a project, even if this changes meanwhile. Must be called after each change to the project.
 *
 * @param hosts those that have changed, or may no longer be served. @default all that are to be served
 */
export async function publish(
  { edge, ...ports }: PublicationPorts & { readonly edge: Pick<EdgeMap, 'publish'> },
  project: ProjectRef,
  hosts?: readonly string[],
): Promise<void> {
  await edge.publish(project, () => publicationOf(ports, project.id), hosts);
}

/** Whether an edge map entry matches what is to be served. */
export function isAsPublished({ host, isTarget = false, content }: MapEntry, publication: Publication | undefined): boolean {
  if (publication === undefined) return false;
  const { project, hosts } = publication;
  if (host === undefined) return content === undefined || content.deploymentId === project.currentDeploymentId;
  if (isTarget) return true;
  if (!hosts.includes(host)) return false;
  const redirect = redirectOf(publication, host);
  return content === undefined || (content.redirect?.to === redirect?.to && content.redirect?.status === redirect?.status);
}

/** Returns where a project's host redirects; undefined if it shows the project's deployment. */
export function redirectOf({ project }: Pick<Publication, 'project'>, host: string): Redirect | undefined {
  return project.configuration.domains.redirects.find(({ from }) => from === host);
}

// What a domain needs besides its DNS: a plan with custom domains, and a deployment (specification, section 4). Checked when the domain is added, at
// Verify, and again before it is attached, because both can change while a domain waits for up to 48 hours.

export interface GuardFailure {
  readonly reason: SuspensionReason;
  /** Says what is missing. */
  readonly message: string;
}

/** @returns undefined if nothing is missing */
export function guardFailure(account: Account | undefined, project: Project | undefined): GuardFailure | undefined {
  if (account === undefined || project === undefined)
    return { reason: 'account', message: 'the account or the project of this domain no longer exists' };
  if (account.suspension !== undefined) return { reason: 'by_operator', message: suspendedMessage(account.id, account.suspension) };
  if (planOf(account.plan).domains === 0) {
    return { reason: 'plan', message: `custom domains need a paid plan: got plan ${account.plan}; allowed: ${PLANS_WITH_DOMAINS.join(', ')}` };
  }
  if (project.currentDeploymentId === undefined) {
    return { reason: 'no_deployment', message: `project ${project.id} has no deployment yet: deploy a folder first` };
  }
  return undefined;
}
