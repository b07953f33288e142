// Which of a project's deployments are kept: the current one and the one before, pinned ones, and those served last, for a rollback.

/** How many of the deployments that a project served last are kept, besides pinned ones. */
export const DEPLOYMENTS_KEPT = 10;
/** Maximum number of a project's deployments that are pinned. */
export const MOST_PINNED = 10;

/** The properties that decide whether a deployment is kept. Times are in milliseconds since 1970. */
interface Kept {
  readonly id: string;
  readonly createdAt: number;
  /** When it was last made current again. @default never: made current only when published */
  readonly servedAt?: number;
  readonly pinned?: boolean;
}

/** Returns the deployments that are not kept, the oldest first. @param newestFirst by `createdAt` @param currentId the current deployment */
export function surplusDeployments<D extends Kept>(newestFirst: readonly D[], currentId: string | undefined): readonly D[] {
  const current = newestFirst.findIndex(({ id }) => id === currentId);
  const kept = new Set([currentId, newestFirst[current + 1]?.id]);
  // A deployment made current again counts from that time: some servers may still serve it, and it may be needed for a rollback.
  const lastServed = newestFirst.toSorted((a, b) => (b.servedAt ?? b.createdAt) - (a.servedAt ?? a.createdAt));
  for (const { id } of lastServed.slice(0, DEPLOYMENTS_KEPT)) kept.add(id);
  return newestFirst.filter(({ id, pinned = false }) => !pinned && !kept.has(id)).toReversed();
}
