// Removes old deployments: publishing removes those that are not kept, and a sweep removes those that publishing left behind.

import { DEPLOYMENTS_KEPT, MOST_PINNED, surplusDeployments } from '../publishing/kept-deployments.ts';
import { type ActionRefusal, type ActionResult, refused } from '../refusal.ts';
import type { DeploymentName, ProjectStore } from './ports.ts';
import type { Deployment } from './project.ts';

const MOST_AT_ONCE = 10;

export type DeploymentRemovals = Pick<ProjectStore, 'getProject' | 'listDeployments' | 'deleteDeployment'>;

/**
 * Removes a project's oldest deployments that are not kept; their files are removed soon after. Can be repeated, and run during publications and
 * rollbacks: deployments that are made current or pinned meanwhile stay.
 *
 * @param now milliseconds since 1970
 * @returns whether none are left to remove
 */
export async function removeSurplusDeployments(projects: DeploymentRemovals, projectId: string, now: number): Promise<boolean> {
  const surplus = await surplusOf(projects, projectId);
  for (const { id } of surplus.slice(0, MOST_AT_ONCE)) await projects.deleteDeployment({ projectId, id }, now);
  return surplus.length <= MOST_AT_ONCE;
}

/** Returns a project's deployments that are not kept, the oldest first. */
export async function surplusOf(projects: DeploymentRemovals, projectId: string): Promise<readonly Deployment[]> {
  const deployments = await projects.listDeployments(projectId);
  if (deployments.length <= DEPLOYMENTS_KEPT) return [];
  const project = await projects.getProject(projectId);
  return project === undefined ? [] : surplusDeployments(deployments, project.currentDeploymentId);
}

/** Keeps a deployment until it is unpinned: it is not removed with old ones, and can't be deleted. Refuses more than MOST_PINNED per project. */
export async function pinDeployment(
  { projects }: { readonly projects: Pick<ProjectStore, 'getDeployment' | 'listDeployments' | 'setPinned'> },
  name: DeploymentName,
): Promise<ActionResult<{ deployment: Deployment }>> {
  const deployment = await projects.getDeployment(name);
  if (deployment === undefined) return noDeployment(name);
  if (deployment.pinned) return { ok: true, deployment };
  const others = (await projects.listDeployments(name.projectId)).filter(({ id, pinned }) => pinned && id !== name.id);
  // Deployments pinned at the same moment may exceed the maximum by a few, which does no harm, because it only bounds storage.
  if (others.length >= MOST_PINNED)
    return refused(
      'conflict',
      `project ${name.projectId} has ${MOST_PINNED} pinned deployments, the maximum; unpin one first, such as ${others[0]?.id}`,
    );
  return (await projects.setPinned(name, true)) ? { ok: true, deployment: { ...deployment, pinned: true } } : noDeployment(name);
}

/** Unpins a deployment, which is then removed if it is not among those that are kept. */
export async function unpinDeployment(
  { projects }: { readonly projects: Pick<ProjectStore, 'getDeployment' | 'setPinned'> },
  name: DeploymentName,
): Promise<ActionResult<{ deployment: Deployment }>> {
  const deployment = await projects.getDeployment(name);
  if (deployment === undefined || (deployment.pinned && !(await projects.setPinned(name, false)))) return noDeployment(name);
  const { pinned: _, ...unpinned } = deployment;
  return { ok: true, deployment: unpinned };
}

function noDeployment({ id, projectId }: DeploymentName): ActionRefusal {
  return refused('not_found', `project ${projectId} has no deployment ${JSON.stringify(id)}`);
}
