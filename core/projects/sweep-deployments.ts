// The sweep of old deployments: those that publishing left behind, and those of versions that did not remove them.

import type { EdgeMap } from '../domains/ports.ts';
import type { PublicationPorts } from '../domains/publication.ts';
import { published } from './actions.ts';
import { type DeploymentRemovals, removeSurplusDeployments, surplusOf } from './retention.ts';

/**
 * Removes the oldest deployments of a project that are not kept. First publishes the project to the edge, which may still serve an old deployment if
 * an earlier attempt failed.
 *
 * @param now milliseconds since 1970
 * @returns whether no more are left to remove
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
