// Operations on projects, shared by the command line and the control API. Storage is behind ports. Each `now` is in milliseconds since 1970.

import { Readable } from 'node:stream';
import { nameRefusal, suspensionRefusal } from '../access/account.ts';
import { type RandomBytes, randomBase62 } from '../access/base62.ts';
import { noAccount } from '../access/keys.ts';
import { planOf } from '../access/plans.ts';
import type { AccountStore, DeployTokenStore } from '../access/ports.ts';
import { dropIntendedRedirects } from '../domains/companion.ts';
import { parseConfiguration } from '../domains/configuration.ts';
import type { HostNamePolicy } from '../domains/host-name.ts';
import type { DomainStore, EdgeMap } from '../domains/ports.ts';
import { type PublicationPorts, publish } from '../domains/publication.ts';
import { newProjectToken, PROJECT_TOKEN_LENGTH } from '../domains/records.ts';
import { redirectProblems } from '../domains/redirects.ts';
import { isServed } from '../domains/states.ts';
import { type ActionRefusal, type ActionResult, changedMeanwhile, refused } from '../refusal.ts';
import { joinFaults } from '../text.ts';
import type { ProjectStore, SiteStore } from './ports.ts';
import { DEPLOYMENT_ID_PREFIX, type Deployment, EMPTY_CONFIGURATION, ID_LENGTH, PROJECT_ID_PREFIX, type Project } from './project.ts';
import { type DeploymentRemovals, removeSurplusDeployments, surplusOf } from './retention.ts';

export interface ProjectPorts {
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly projects: ProjectStore;
  readonly domains: Pick<DomainStore, 'listDomains' | 'getDomain' | 'saveDomain'>;
  readonly edge: Pick<EdgeMap, 'publish'>;
  readonly sites: Pick<SiteStore, 'put'>;
}

/** Maximum number of attempts to find a free id; a collision of 59-bit ids is very rare. */
const TRIES = 3;

/** Generates a deployment id. */
export function newDeploymentId(randomBytes: RandomBytes): string {
  return `${DEPLOYMENT_ID_PREFIX}${randomBase62(ID_LENGTH, randomBytes)}`;
}

/** The placeholder site of a new project: file contents by name. */
export type PlaceholderSite = (projectName: string) => ReadonlyMap<string, string>;

/** Creates a project. @param placeholderSite if undefined, the project serves nothing until its owner deploys something */
export async function createProject(
  ports: ProjectPorts,
  fields: { readonly accountId: string; readonly name: string },
  randomBytes: RandomBytes,
  now: number,
  placeholderSite: PlaceholderSite | undefined,
): Promise<ActionResult<{ project: Project }>> {
  const wrong = nameRefusal(fields.name);
  if (wrong !== undefined) return wrong;
  const account = await ports.accounts.getAccount(fields.accountId);
  if (account === undefined) return noAccount(fields.accountId);
  const suspended = suspensionRefusal(account);
  if (suspended !== undefined) return suspended;
  const { projects: most } = planOf(account.plan);
  // Concurrent creations may exceed the limit, because it only bounds storage; it is not an exact quota.
  if ((await ports.projects.listProjects(account.id)).length >= most)
    return refused('conflict', `account ${account.id} has ${most} projects, the maximum on plan ${account.plan}; a larger plan allows more`);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const project: Project = {
      ...fields,
      id: `${PROJECT_ID_PREFIX}${randomBase62(ID_LENGTH, randomBytes)}`,
      token: newProjectToken(randomBytes(PROJECT_TOKEN_LENGTH)),
      createdAt: now,
      currentDeploymentId: undefined,
      configuration: EMPTY_CONFIGURATION,
    };
    if (!(await ports.projects.createProject(project))) continue;
    return placeholderSite === undefined ? { ok: true, project } : deploySite(ports, project, placeholderSite(project.name), randomBytes, now);
  }
  return refused('unavailable', 'could not find a free project id; try again');
}

async function deploySite(
  ports: ProjectPorts,
  project: Project,
  site: ReadonlyMap<string, string>,
  randomBytes: RandomBytes,
  now: number,
): Promise<ActionResult<{ project: Project }>> {
  const deployment = { id: newDeploymentId(randomBytes), projectId: project.id };
  let bytes = 0;
  for (const [name, content] of site) {
    const buffer = Buffer.from(content);
    bytes += buffer.byteLength;
    await ports.sites.put(deployment, name, Readable.from([buffer]), buffer.byteLength);
  }
  return serveDeployment(ports, { ...deployment, createdAt: now, files: site.size, bytes });
}

/** Makes a deployment current, from the next request on. Its files must already be stored. */
export async function serveDeployment(ports: ProjectPorts, deployment: Deployment): Promise<ActionResult<{ project: Project }>> {
  if (!(await ports.projects.deploy(deployment))) return refused('not_found', `no project ${JSON.stringify(deployment.projectId)}`);
  return publishedLast(ports, deployment.projectId, deployment.createdAt);
}

/** Maximum number of deployments that a refusal names. */
const DEPLOYMENTS_NAMED = 10;

/** Makes an earlier deployment the current one. @param to @default the previous one */
export async function rollBack(
  ports: ProjectPorts,
  project: Project,
  to: string | undefined,
  now: number,
): Promise<ActionResult<{ project: Project }>> {
  const deployments = await ports.projects.listDeployments(project.id);
  const current = deployments.findIndex(({ id }) => id === project.currentDeploymentId);
  const chosen = to ?? (current < 0 ? undefined : deployments[current + 1]?.id);
  if (chosen === undefined) return refused('conflict', `project ${project.id} has no deployment before the current one`);
  if (!(await ports.projects.setCurrentDeployment(project.id, chosen, now))) {
    const known = deployments
      .slice(0, DEPLOYMENTS_NAMED)
      .map(({ id }) => id)
      .join(', ');
    return refused(
      'not_found',
      `project ${project.id} has no deployment ${JSON.stringify(chosen)}; allowed: one of its deployments, such as ${known}`,
    );
  }
  return published(ports, project.id);
}

/**
 * Replaces a project's configuration, if all its names are domains of this project and the rules are met. Drops intended redirects.
 *
 * @param read the project as it was read; refused if its configuration has changed since. @default any
 */
export async function configureProject(
  ports: ProjectPorts,
  projectId: string,
  value: unknown,
  policy: HostNamePolicy,
  read?: Project,
): Promise<ActionResult<{ project: Project }>> {
  const parsed = parseConfiguration(value, policy);
  if (!parsed.ok) return refused('invalid_request', joinFaults(parsed.problems));
  const [domains, stored] = await Promise.all([ports.domains.listDomains(projectId), ports.projects.getProject(projectId)]);
  const before = (stored?.configuration ?? EMPTY_CONFIGURATION).domains;
  const live = new Set(domains.filter(({ state }) => isServed(state)).map(({ host }) => host));
  const { primary, redirects } = parsed.configuration.domains;
  const problems = [
    ...(primary === undefined || primary === before.primary || live.has(primary)
      ? []
      : [`domains.primary: got ${primary}; allowed: a live domain of this project`]),
    ...redirectProblems(redirects, new Set(domains.map(({ host }) => host)), live, before.redirects),
  ];
  if (problems.length > 0) return refused('invalid_request', joinFaults(problems));
  // Done first, so that earlier intentions don't change what the owner sets now.
  await dropIntendedRedirects(ports.domains, domains);
  if (!(await ports.projects.putConfiguration(projectId, parsed.configuration, read?.configuration)))
    return changedOrGone(ports.projects, projectId, read && 'the configuration');
  return published(ports, projectId);
}

/** Deletes a deployment that is neither current nor pinned. Its files are removed soon after. */
export async function deleteDeployment(
  { projects }: Pick<ProjectPorts, 'projects'>,
  project: Project,
  deploymentId: string,
  now: number,
): Promise<ActionResult<object>> {
  if (project.currentDeploymentId === deploymentId)
    return refused('conflict', `${deploymentId} is the current deployment of project ${project.id}; make another one current first`);
  const name = { projectId: project.id, id: deploymentId };
  if (await projects.deleteDeployment(name, now)) return { ok: true };
  return (await projects.getDeployment(name))?.pinned
    ? refused('conflict', `${deploymentId} is pinned; unpin it first`)
    : refused('not_found', `project ${project.id} has no deployment ${JSON.stringify(deploymentId)} that is not current`);
}

/** Returns the refusal for a change whose project is gone or has changed since it was read. @param what names the part that has changed */
async function changedOrGone(projects: Pick<ProjectStore, 'getProject'>, projectId: string, what: string | undefined): Promise<ActionRefusal> {
  const isThere = what !== undefined && (await projects.getProject(projectId)) !== undefined;
  return isThere ? changedMeanwhile(what) : refused('not_found', `no project ${JSON.stringify(projectId)}`);
}

/** Changes a project's display name. @param read the project as it was read; refused if it has changed since. @default any */
export async function renameProject(
  { projects }: Pick<ProjectPorts, 'projects'>,
  project: Project,
  name: string,
  read?: Project,
): Promise<ActionResult<{ project: Project }>> {
  const wrong = nameRefusal(name);
  if (wrong !== undefined) return wrong;
  if (!(await projects.rename(project.id, name, read))) return changedOrGone(projects, project.id, read && 'the project');
  return { ok: true, project: { ...project, name } };
}

/** Maximum number of domains that a refusal names. */
const DOMAINS_NAMED = 10;

/**
 * Deletes a project that has no domains, with its deployments and deploy tokens. Its files are removed soon after.
 *
 * @param read the project as it was read; refused if it has changed since. @default any
 */
export async function deleteProject(
  {
    deployTokens,
    ...ports
  }: Pick<ProjectPorts, 'accounts' | 'projects' | 'domains' | 'edge'> & {
    readonly deployTokens: Pick<DeployTokenStore, 'listTokens' | 'removeToken'>;
  },
  project: Project,
  now: number,
  read?: Project,
): Promise<ActionResult<object>> {
  const left = await ports.domains.listDomains(project.id);
  if (left.length > 0) {
    const named = left.slice(0, DOMAINS_NAMED).map(({ host, state }) => (state.name === 'removing' ? `${host} (being removed)` : host));
    return refused(
      'conflict',
      `project ${project.id} has ${left.length === 1 ? 'a domain' : `${left.length} domains`}, ${named.join(', ')}: remove them first, and wait until they are gone`,
    );
  }
  if (!(await ports.projects.deleteProject(project, now, read))) return changedOrGone(ports.projects, project.id, read && 'the project');
  await publish(ports, project);
  for (const { id } of await deployTokens.listTokens(project.id)) await deployTokens.removeToken(id);
  return { ok: true };
}

/** Publishes the project's current state to the edge after a deployment, and then removes old deployments. */
export async function publishedLast(ports: ProjectPorts, projectId: string, now: number): Promise<ActionResult<{ project: Project }>> {
  const result = await published(ports, projectId);
  // The publication has succeeded even if this fails; the sweep will repeat the removal.
  await removeSurplusDeployments(ports.projects, projectId, now).catch(() => {});
  return result;
}

/** Publishes the project's current state to the edge. */
export async function published(
  ports: PublicationPorts & Pick<ProjectPorts, 'edge'>,
  projectId: string,
): Promise<ActionResult<{ project: Project }>> {
  const project = await ports.projects.getProject(projectId);
  if (project === undefined) return refused('not_found', `no project ${JSON.stringify(projectId)}`);
  await publish(ports, project);
  return { ok: true, project };
}

/**
 * Removes a project's oldest deployments that are not kept. First publishes the project, because the edge may still serve one after a failed attempt.
 *
 * @returns whether none are left to remove
 */
export async function sweepOldDeployments(
  ports: PublicationPorts & { readonly projects: DeploymentRemovals; readonly edge: Pick<EdgeMap, 'publish'> },
  projectId: string,
  now: number,
): Promise<boolean> {
  if ((await surplusOf(ports.projects, projectId)).length === 0) return true;
  await published(ports, projectId);
  return removeSurplusDeployments(ports.projects, projectId, now);
}
