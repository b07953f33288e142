// Deployed files in the data folder: sites/<project>/<deployment>/<name>.

import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isSiteFile } from '../../core/projects/manifest.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { SITES_FOLDER } from '../files/data-folder.ts';
import { createFolderDurably, renameDurably } from '../files/durable.ts';

/** Error codes for a file that does not exist, including names that are too long or below another file. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** Creates the site store in a data folder. */
export function createFolderSiteStore(dataFolder: string): SiteStore {
  const fileOf = (projectId: string, deploymentId: string, name: string) => {
    if (!isSiteFile(name)) throw new Error(`not a valid file name in a deployment: ${JSON.stringify(name)}`);
    return join(dataFolder, SITES_FOLDER, projectId, deploymentId, name);
  };
  return {
    put: async ({ projectId, id }, name, source) => {
      const file = fileOf(projectId, id, name);
      // The file gets its name only when it is complete.
      const partial = `${file}.partial`;
      try {
        await createFolderDurably(dirname(file));
        await pipeline(source, createWriteStream(partial, { mode: 0o600, flush: true }));
        await renameDurably(partial, file);
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {});
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        throw new StoreFault('unavailable', `${name} can't be stored: ${code === 'ENOSPC' ? 'no space is left on the disk' : message}`, {
          cause: error,
        });
      }
    },
    get: async ({ projectId, id }, name) => {
      const file = fileOf(projectId, id, name);
      const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
        if (NO_FILE.includes(error.code ?? '')) return undefined;
        throw new StoreFault('unavailable', `${name} can't be read: ${error.message}`, { cause: error });
      });
      if (!found?.isFile()) return undefined;
      return {
        bytes: found.size,
        // A deployment never changes, so its id and the file's size identify the content at this path.
        etag: `"${id.slice(4)}-${found.size.toString(36)}"`,
        read: (range) => createReadStream(file, range),
      };
    },
  };
}
