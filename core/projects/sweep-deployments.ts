// The sweep of old deployments: those that publishing left behind, and those that earlier program versions did not remove.

import type { EdgeMap } from '../domains/ports.ts';
import type { PublicationPorts } from '../domains/publication.ts';
import { published } from './actions.ts';
import { type DeploymentRemovals, removeSurplusDeployments, surplusOf } from './retention.ts';

/**
 * Removes a project's oldest deployments that are not kept. First publishes the project, because the edge may still serve one after a failed attempt.
 *
 * @param now milliseconds since 1970
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
