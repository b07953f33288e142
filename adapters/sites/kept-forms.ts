// Compressed forms of large files, in the data folder: compressed/<project>/<deployment>/<digest of the name>.<encoding>. A form is made once for all
// visitors, when the first accepts its encoding, and survives restarts. It can be made again, so it is neither backed up nor counted toward limits.

import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { ContentEncoding } from '../../core/http/negotiation.ts';
import type { DeploymentName, SiteFile } from '../../core/projects/ports.ts';
import { FORMS_FOLDER } from '../files/data-folder.ts';
import { createFolderDurably, renameDurably } from '../files/durable.ts';

/** Maximum total size of all forms. Beyond it, the oldest are removed until a quarter is free. */
const KEPT_BYTES = 2 ** 30;
/** Free disk space that is reserved for the database. */
const LEAST_FREE_BYTES = 256 * 2 ** 20;
/** Maximum number of forms being made or waiting, so that a visitor waits for only a few. If there are more, the file is sent uncompressed. */
const MOST_MAKING = 4;
/** How long no form is made after a failure, or after space was lacking, in milliseconds. */
const PAUSE_MS = 60_000;

/** A visitor waits for the compression. Higher qualities take several times longer and save about one percent. */
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const COMPRESSORS = { br: () => createBrotliCompress(BROTLI_OPTIONS), gzip: () => createGzip() };

/** Must be read exactly once: the file stays open until then. */
export type KeptForm = Pick<SiteFile, 'bytes' | 'read'>;

export interface KeptForms {
  /** Opens a file's compressed form. If there is none, makes it: one form at a time, on one core. @returns undefined if it can't be made now */
  open(deployment: DeploymentName, name: string, file: Pick<SiteFile, 'read'>, encoding: ContentEncoding): Promise<KeptForm | undefined>;
}

export interface KeptFormsOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with the reason why a form could not be made. */
  readonly onFault: (error: unknown) => void;
  /** Maximum total size of all forms, in bytes. @default 1 GiB */
  readonly most?: number;
  /** Free disk space, in bytes, below which no form is made. @default 256 MiB */
  readonly leastFree?: number;
}

/** Creates the forms in a data folder. */
export function createKeptForms(
  dataFolder: string,
  { clock, onFault, most = KEPT_BYTES, leastFree = LEAST_FREE_BYTES }: KeptFormsOptions,
): KeptForms {
  const making = new Map<string, Promise<boolean>>();
  let last: Promise<unknown> = Promise.resolve();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** The bytes of all forms; unknown until the first one is made. */
  let total: number | undefined;

  function begin(path: string, file: Pick<SiteFile, 'read'>, encoding: ContentEncoding): Promise<boolean> | undefined {
    if (making.size >= MOST_MAKING || clock() < pausedUntil) return undefined;
    const made = last
      .then(() => make(path, file, encoding))
      .catch((error: unknown) => {
        onFault(new Error(`${path} can't be created; files are sent uncompressed for a minute`, { cause: error }));
        return false;
      })
      .then((isMade) => {
        if (!isMade) pausedUntil = clock() + PAUSE_MS;
        return isMade;
      })
      .finally(() => making.delete(path));
    making.set(path, made);
    last = made;
    return made;
  }

  async function make(path: string, file: Pick<SiteFile, 'read'>, encoding: ContentEncoding): Promise<boolean> {
    // The form may have been made in the meantime.
    if ((await stat(path).catch(() => undefined)) !== undefined) return true;
    const { bavail, bsize } = await statfs(dataFolder);
    if (bavail * bsize < leastFree) return false;
    if (total === undefined || total > most) total = await makeRoom(join(dataFolder, FORMS_FOLDER), most);
    await createFolderDurably(dirname(path));
    const partial = `${path}.partial`;
    try {
      await pipeline(file.read(), COMPRESSORS[encoding](), createWriteStream(partial, { mode: 0o600, flush: true }));
      total += (await stat(partial)).size;
      await renameDurably(partial, path);
      return true;
    } finally {
      await rm(partial, { force: true }).catch(() => {});
    }
  }

  return {
    open: async ({ projectId, id }, name, file, encoding) => {
      const path = join(dataFolder, FORMS_FOLDER, projectId, id, `${hash('sha256', name)}.${encoding}`);
      const found = await openForm(path);
      if (found !== undefined) return found;
      return (await (making.get(path) ?? begin(path, file, encoding))) ? openForm(path) : undefined;
    },
  };
}

/** Opens a form. @returns undefined if there is none, or if it can't be read */
async function openForm(path: string): Promise<KeptForm | undefined> {
  const handle = await open(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  return { bytes: (await handle.stat()).size, read: () => handle.createReadStream() };
}

/** Removes the oldest forms if there are too many. @returns the total size of the others, in bytes */
async function makeRoom(forms: string, most: number): Promise<number> {
  const files = [];
  for (const entry of await readdir(forms, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) files.push({ path, bytes: found.size, madeAt: found.mtimeMs });
  }
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const wanted = total > most ? (most * 3) / 4 : most;
  for (const { path, bytes } of files.toSorted((one, other) => one.madeAt - other.madeAt)) {
    if (total <= wanted) break;
    await rm(path, { force: true });
    total -= bytes;
  }
  return total;
}
