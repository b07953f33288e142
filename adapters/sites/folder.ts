// Deployed files in the data folder: sites/<project>/<deployment>/<name>.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isSiteFile, type Manifest, type ManifestFile } from '../../core/projects/manifest.ts';
import type { DeploymentName, SiteStore, UploadStore } from '../../core/projects/ports.ts';
import { uploadPath } from '../../core/projects/uploads.ts';
import { StoreFault } from '../../core/refusal.ts';
import { SITES_FOLDER, UPLOADS_FOLDER } from '../files/data-folder.ts';
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
      const found = await stat(file).catch(unlessMissing(`${name} can't be read`));
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

// Uploads to the data folder. Manifests and files in transit are in uploads/<project>/; a complete file is moved to the site store's folder.

/** Number of targets per page. */
const PAGE = 500;

/** Maximum number of manifests in memory; each has up to 4 MB. */
const MOST_KNOWN = 8;
/** Maximum number of a deployment's files that may arrive at the same time; each takes space until it is checked. */
const AT_ONCE = 16;

export type FolderUploads = Required<UploadStore>;

/** Creates the uploads to a data folder. */
export function createFolderUploads(dataFolder: string): FolderUploads {
  const manifestOf = ({ projectId, id }: DeploymentName) => join(dataFolder, UPLOADS_FOLDER, projectId, `${id}.json`);
  const siteFile = ({ projectId, id }: DeploymentName, name: string) => join(dataFolder, SITES_FOLDER, projectId, id, name);
  /** Manifests of uploads in progress, which are needed for each of their files. */
  const known = new Map<string, Manifest>();
  const keyOf = ({ projectId, id }: DeploymentName) => `${projectId}/${id}`;
  /** Increases whenever an upload ends, because a manifest being read at that moment may be gone. */
  let ended = 0;
  const receiving = new Map<string, number>();
  let partials = 0;

  async function manifest(deployment: DeploymentName): Promise<Manifest | undefined> {
    return known.get(keyOf(deployment)) ?? readManifest(deployment);
  }

  async function readManifest(deployment: DeploymentName): Promise<Manifest | undefined> {
    const endedBefore = ended;
    const text = await readFile(manifestOf(deployment), 'utf8').catch(unlessMissing('the upload manifest can not be read'));
    if (text === undefined) return undefined;
    const read = parseManifest(text, manifestOf(deployment));
    if (ended !== endedBefore) return read;
    known.set(keyOf(deployment), read);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    return read;
  }

  /** Forgets manifests. Call it after their files are deleted. */
  function forget(isGone: (key: string) => boolean): void {
    ended += 1;
    for (const key of known.keys()) if (isGone(key)) known.delete(key);
  }

  async function isStored(deployment: DeploymentName, { name, bytes }: ManifestFile): Promise<boolean> {
    const found = await stat(siteFile(deployment, name)).catch(unlessMissing(`${name} can't be read`));
    return found?.isFile() === true && found.size === bytes;
  }

  return {
    targetsValidMs: 0,

    begin: async (deployment, files) => {
      const file = manifestOf(deployment);
      await guarded('the upload manifest', async () => {
        await createFolderDurably(dirname(file));
        await writeFile(`${file}.partial`, JSON.stringify(files), { mode: 0o600, flush: true });
        await renameDurably(`${file}.partial`, file);
      });
    },

    manifest,

    targets: async (deployment, files, after) => {
      const start = Number(after ?? 0);
      const items = [];
      for (const [index, file] of files.slice(start, start + PAGE).entries()) {
        const at = start + index;
        if (!(await isStored(deployment, file))) items.push({ name: file.name, url: uploadPath({ deployment, at }), headers: {} });
      }
      return { items, next: start + PAGE < files.length ? String(start + PAGE) : undefined };
    },

    receive: async (deployment, at, source, confirm) => {
      const file = (await manifest(deployment))?.[at];
      if (file === undefined) return undefined;
      if (await isStored(deployment, file)) return 'stored';
      const arriving = receiving.get(keyOf(deployment)) ?? 0;
      if (arriving >= AT_ONCE) return 'busy';
      receiving.set(keyOf(deployment), arriving + 1);
      partials += 1;
      const partial = join(dirname(manifestOf(deployment)), `${deployment.id}-${at}-${partials}.partial`);
      try {
        const isRight = await guarded(file.name, () => writeChecked(source, partial, file));
        if (!isRight) return 'wrong';
        await confirm?.();
        // The upload was removed meanwhile; a file stored now would never be removed.
        if ((await manifest(deployment)) === undefined) return undefined;
        await guarded(file.name, async () => {
          await createFolderDurably(dirname(siteFile(deployment, file.name)));
          await renameDurably(partial, siteFile(deployment, file.name));
        });
        return 'stored';
      } finally {
        const left = (receiving.get(keyOf(deployment)) ?? 1) - 1;
        if (left === 0) receiving.delete(keyOf(deployment));
        else receiving.set(keyOf(deployment), left);
        await rm(partial, { force: true }).catch(() => {});
      }
    },

    missing: async (deployment, files, limit) => {
      const names: string[] = [];
      for (const file of files) {
        if (names.length === limit) break;
        if (!(await isStored(deployment, file))) names.push(file.name);
      }
      return names;
    },

    end: async (deployment) => {
      await guarded('the upload manifest', () => rm(manifestOf(deployment), { force: true }));
      forget((key) => key === keyOf(deployment));
    },

    remove: async ({ projectId, deploymentId }) => {
      // The manifest is removed first, so that no more files are accepted.
      const manifests = join(dataFolder, UPLOADS_FOLDER, projectId, deploymentId === undefined ? '' : `${deploymentId}.json`);
      await guarded('uploaded files', () => rm(manifests, { recursive: true, force: true }));
      forget((key) => (deploymentId === undefined ? key.startsWith(`${projectId}/`) : key === `${projectId}/${deploymentId}`));
      await guarded('uploaded files', () => rm(join(dataFolder, SITES_FOLDER, projectId, deploymentId ?? ''), { recursive: true, force: true }));
      return true;
    },
  };
}

function parseManifest(text: string, file: string): Manifest {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreFault('unavailable', `${file} is damaged; delete it, and upload the deployment again`, { cause: error });
  }
}

/** @returns whether the content has the announced size and digest */
async function writeChecked(source: Readable, partial: string, { bytes, sha256 }: ManifestFile): Promise<boolean> {
  const digest = createHash('sha256');
  let size = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      // Bytes beyond the announced size are not written.
      if (size > bytes) return;
      digest.update(chunk);
      yield chunk;
    }
  };
  await pipeline(source, counted, createWriteStream(partial, { mode: 0o600, flush: true }));
  return size === bytes && digest.digest('hex') === sha256;
}

/** Turns a failure of the file system into a StoreFault; failures of the source are passed on unchanged. */
async function guarded<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new StoreFault('unavailable', `${what} can't be stored: ${code === 'ENOSPC' ? 'no space is left on the disk' : message}`, { cause: error });
  }
}

function unlessMissing(what: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (NO_FILE.includes(error.code ?? '')) return undefined;
    throw new StoreFault('unavailable', `${what}: ${error.message}`, { cause: error });
  };
}
