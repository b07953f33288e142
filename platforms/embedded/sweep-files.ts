// The sweep of a data folder's deployments and files.

import { setImmediate as rest } from 'node:timers/promises';
import type { FolderUploads } from '../../adapters/sites/folder.ts';
import { sweepDeployments, sweepForms, sweepUploads } from '../../adapters/sites/sweep.ts';
import type { SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { EdgeMap } from '../../core/domains/ports.ts';
import type { Page } from '../../core/page.ts';
import { sweepOldDeployments } from '../../core/projects/actions.ts';
import { removeFiles } from '../../core/projects/uploads.ts';

/** What the sweep works on. */
export interface SweptFolder extends Pick<SqliteStores, 'accounts' | 'projects' | 'removals' | 'domains'> {
  readonly dataFolder: string;
  readonly uploads: FolderUploads;
  readonly edge: Pick<EdgeMap, 'publish'>;
  /** Returns the projects with more deployments than are kept. */
  readonly crowdedProjects: (after?: string) => Promise<Page<string>>;
}

/** Removes old deployments, and files that no project needs. @throws AggregateError, once all parts have been tried */
export async function sweepFiles(folder: SweptFolder, now: number, isTimeLeft: () => boolean): Promise<void> {
  const parts = [
    () => removeOldDeployments(folder, now, isTimeLeft),
    () => removeFiles(folder, now, isTimeLeft),
    () => sweepDeployments(folder.dataFolder, folder, now),
    () => sweepForms(folder.dataFolder, now),
    () => sweepUploads(folder.dataFolder, folder, now),
  ];
  const faults: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, 'errors in the file sweep');
}

async function removeOldDeployments(folder: SweptFolder, now: number, isTimeLeft: () => boolean): Promise<void> {
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const { items, next } = await folder.crowdedProjects(after);
    for (const projectId of items) {
      for (let isDone = false; !isDone && isTimeLeft(); ) {
        isDone = await sweepOldDeployments(folder, projectId, now);
        // Gives way to requests that arrived meanwhile.
        await rest();
      }
    }
    after = next;
    isLast = next === undefined || !isTimeLeft();
  }
}
