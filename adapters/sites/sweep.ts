// Removes compressed forms of deleted deployments, and incomplete deployments left by a killed process or a full disk, which are never served.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRemovalStore, ProjectStore } from '../../core/projects/ports.ts';
import { FORMS_FOLDER, SITES_FOLDER, UPLOADS_FOLDER } from '../files/data-folder.ts';

/** Younger folders may belong to a deployment in progress, which no project references yet, and younger files may still be arriving. */
const MIN_AGE_MS = 3_600_000;

interface Removals {
  readonly removals: Pick<FileRemovalStore, 'ofProject'>;
}

/** Removes incomplete deployments older than one hour. @param now milliseconds since 1970 @returns the number removed */
export function sweepDeployments(
  dataFolder: string,
  { projects, removals }: Removals & { readonly projects: Pick<ProjectStore, 'getDeployment'> },
  now: number,
): Promise<number> {
  // Uploads may take a day, and have their own queue for removals.
  return sweep(join(dataFolder, SITES_FOLDER), removals, now, async (projectId, id, uploads) => {
    return uploads.includes(id) || (await projects.getDeployment({ projectId, id })) !== undefined;
  });
}

/** Removes files older than an hour that no upload needs any more. @param now milliseconds since 1970 @returns the number removed */
export function sweepUploads(dataFolder: string, { removals }: Removals, now: number): Promise<number> {
  return sweep(join(dataFolder, UPLOADS_FOLDER), removals, now, async (_, name, uploads) => uploads.some((id) => name === `${id}.json`));
}

/** Removes old entries of projects from a folder. @param isKept whether to keep an entry. @param uploads the project's uploads in progress */
async function sweep(
  folder: string,
  removals: Removals['removals'],
  now: number,
  isKept: (projectId: string, name: string, uploads: readonly (string | undefined)[]) => Promise<boolean>,
): Promise<number> {
  let removed = 0;
  for (const projectId of await namesIn(folder)) {
    const uploads = (await removals.ofProject(projectId)).map(({ deploymentId }) => deploymentId);
    for (const name of await namesIn(join(folder, projectId))) {
      if (await isKept(projectId, name, uploads)) continue;
      const path = join(folder, projectId, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs > now - MIN_AGE_MS) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}

/** Removes compressed forms of deleted deployments, and partial forms left by killed processes. @param now milliseconds since 1970 */
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

/** Returns the names in a folder; none if it does not exist, or is not a folder. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
