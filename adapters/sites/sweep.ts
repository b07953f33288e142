// Removes deployments that a killed process or a full disk left incomplete, which no project references, so that they are never served; and compressed
// forms of deployments that are gone.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRemovalStore, ProjectStore } from '../../core/projects/ports.ts';
import { FORMS_FOLDER, SITES_FOLDER, UPLOADS_FOLDER } from '../files/data-folder.ts';

/** Younger folders may belong to a deployment in progress, which no project references yet, and younger files be arriving. */
const MIN_AGE_MS = 3_600_000;

/** Removes incomplete deployments older than one hour. @param now milliseconds since 1970 @returns the number removed */
export async function sweepDeployments(
  dataFolder: string,
  { projects, removals }: { readonly projects: Pick<ProjectStore, 'getDeployment'>; readonly removals: Pick<FileRemovalStore, 'ofProject'> },
  now: number,
): Promise<number> {
  const sites = join(dataFolder, SITES_FOLDER);
  let removed = 0;
  for (const projectId of await namesIn(sites)) {
    // Uploads have a day, and are removed by their own queue.
    const uploads = new Set((await removals.ofProject(projectId)).map(({ deploymentId }) => deploymentId));
    for (const id of await namesIn(join(sites, projectId))) {
      if (uploads.has(id) || (await projects.getDeployment({ projectId, id })) !== undefined) continue;
      const folder = join(sites, projectId, id);
      if ((await stat(folder)).mtimeMs > now - MIN_AGE_MS) continue;
      await rm(folder, { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}

/** Removes the compressed forms of deployments that have no files any more, and what killed processes have left of others. @param now milliseconds since 1970 */
export async function sweepForms(dataFolder: string, now: number): Promise<void> {
  const forms = join(dataFolder, FORMS_FOLDER);
  for (const projectId of await namesIn(forms))
    for (const id of await namesIn(join(forms, projectId))) {
      const folder = join(forms, projectId, id);
      const isThere = await stat(join(dataFolder, SITES_FOLDER, projectId, id)).catch(() => undefined);
      if (isThere === undefined) await rm(folder, { recursive: true, force: true });
      for (const name of await namesIn(folder)) {
        const partial = name.endsWith('.partial') ? await stat(join(folder, name)).catch(() => undefined) : undefined;
        if (partial !== undefined && partial.mtimeMs < now - MIN_AGE_MS) await rm(join(folder, name), { force: true });
      }
    }
}

/** Returns the names in a folder; none if it does not exist, or is no folder. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

// Removes what killed processes have left in the folder of uploads: files that were arriving, and manifests of uploads that were published or removed.

/** Removes files that are older than an hour and that no upload needs. @param now milliseconds since 1970 @returns the number removed */
export async function sweepUploads(
  dataFolder: string,
  { removals }: { readonly removals: Pick<FileRemovalStore, 'ofProject'> },
  now: number,
): Promise<number> {
  const uploads = join(dataFolder, UPLOADS_FOLDER);
  let removed = 0;
  for (const projectId of await namesIn(uploads)) {
    const open = new Set((await removals.ofProject(projectId)).map(({ deploymentId }) => `${deploymentId}.json`));
    for (const name of await namesIn(join(uploads, projectId))) {
      if (open.has(name)) continue;
      const file = join(uploads, projectId, name);
      const found = await stat(file).catch(() => undefined);
      if (found === undefined || found.mtimeMs > now - MIN_AGE_MS) continue;
      await rm(file, { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}
