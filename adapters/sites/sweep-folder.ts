// Deployments that a killed process or a full disk left half stored: no project knows of them, and nobody will ever serve them.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectStore } from '../../core/projects/ports.ts';

/** Younger ones may still be on their way: they are stored before their project knows of them. */
const YOUNGER_MS = 3_600_000;

/**
 * Removes them.
 *
 * @param now milliseconds since 1970
 * @returns how many
 */
export async function sweepDeployments(dataFolder: string, projects: Pick<ProjectStore, 'listDeployments'>, now: number): Promise<number> {
  const sites = join(dataFolder, 'sites');
  let removed = 0;
  for (const projectId of await namesIn(sites)) {
    const known = new Set((await projects.listDeployments(projectId)).map(({ id }) => id));
    for (const id of (await namesIn(join(sites, projectId))).filter((name) => !known.has(name))) {
      const folder = join(sites, projectId, id);
      if ((await stat(folder)).mtimeMs > now - YOUNGER_MS) continue;
      await rm(folder, { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}

/** Empty if there is no such folder. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
