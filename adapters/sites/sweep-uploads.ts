// Removes what killed processes have left in the folder of uploads: files that were arriving, and manifests of uploads that were published or removed.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRemovalStore } from '../../core/projects/ports.ts';
import { UPLOADS_FOLDER } from '../files/data-folder.ts';

/** Younger files may still be arriving. A file that is arriving changes at least once a minute. */
const MIN_AGE_MS = 3_600_000;

/**
 * Removes files that are older than an hour and that no upload needs.
 *
 * @param now milliseconds since 1970
 * @returns the number removed
 */
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

/** Returns the names in a folder; none if it does not exist, or is no folder. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
