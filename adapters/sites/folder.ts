// Published files in the data folder: sites/<project>/<deployment>/<name>.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SiteStore } from '../../core/projects/ports.ts';
import { isSiteFile } from '../../core/projects/site-path.ts';
import { StoreFault } from '../../core/store-fault.ts';

/** What a file system says of a name that it has no file for: of one that is too long, or below a file, too. */
const NO_FILE = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

export function createFolderSiteStore(dataFolder: string): SiteStore {
  const fileOf = (projectId: string, deploymentId: string, name: string) => {
    if (!isSiteFile(name)) throw new Error(`not the name of a file of a deployment: ${JSON.stringify(name)}`);
    return join(dataFolder, 'sites', projectId, deploymentId, name);
  };
  return {
    put: async ({ projectId, id }, name, source) => {
      const file = fileOf(projectId, id, name);
      // Under its name only once it is whole.
      const partial = `${file}.partial`;
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await pipeline(source, createWriteStream(partial, { mode: 0o600, flush: true }));
        await rename(partial, file);
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
        // A deployment never changes, so its id and the size tell a file from every other at this path.
        etag: `"${id.slice(4)}-${found.size.toString(36)}"`,
        read: (range) => createReadStream(file, range),
      };
    },
  };
}
