// The files of a site as the user chose them: a folder, single files, or the contents of a zip.

import { isHiddenFile, manifestProblems } from '../../../core/projects/manifest.ts';
import type { LocalFile } from '../../../core/publishing/progress.ts';

/** The limits of the account's plan. */
export type DeploymentLimits = Parameters<typeof manifestProblems>[1];

export interface Selection {
  readonly files: readonly LocalFile[];
  readonly bytes: number;
  /** The folder that all files share, which is not part of their names. */
  readonly folder: string | undefined;
  /** The number of files that are not published, because they are hidden, or were added by the tool that made the zip. */
  readonly skipped: number;
}

/** Maximum number of files listed in a folder or a zip, including hidden ones: far above what any plan allows. */
export const MOST_FILES = 100_000;

/** The folder in a zip where macOS stores file attributes. */
const MAC_ATTRIBUTES = '__MACOSX';
const WELL_KNOWN = '.well-known';

/** Selects the files to publish. @param found all files, with the paths at which they were found */
export function selectionOf(found: readonly LocalFile[]): Selection {
  const own = found.filter(({ name }) => !name.split('/').includes(MAC_ATTRIBUTES));
  const visible = own.filter(({ name }) => !isHidden(name));
  // A folder such as .output is hidden, but here it was chosen.
  const chosen = visible.length > 0 ? visible : own;
  const folder = commonFolder(chosen);
  const named = folder === undefined ? chosen : chosen.map((file) => ({ ...file, name: file.name.slice(folder.length + 1) }));
  const files = named.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, bytes: sizeOf(files), folder: files.length === 0 ? undefined : folder, skipped: found.length - files.length };
}

export interface Check {
  /** Why the files can't be published, one line each. */
  readonly problems: readonly string[];
  /** What the user should know before publishing. */
  readonly warning: string | undefined;
}

/** Checks a selection as the service does. */
export function checkSelection({ files, skipped }: Selection, limits: DeploymentLimits): Check {
  if (files.length === 0 && skipped > 0) return { problems: ['only hidden files were found'], warning: undefined };
  const problems = manifestProblems(files, limits);
  const hasPage = files.some(({ name }) => name === 'index.html');
  return {
    problems,
    warning: problems.length === 0 && !hasPage ? 'There is no index.html, so the address without a path shows no page.' : undefined,
  };
}

/** Returns the total size of the files, in bytes. */
export function sizeOf(files: readonly Pick<LocalFile, 'bytes'>[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Whether a file is hidden. A path with `..` is not hidden but invalid, because the user should know about it. */
function isHidden(name: string): boolean {
  return isHiddenFile(name) && !name.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Returns the first segment that all names share, if it is a folder. `..` is not removed, because such names are invalid. */
function commonFolder(files: readonly LocalFile[]): string | undefined {
  const [first, ...deeper] = files[0]?.name.split('/') ?? [];
  if (deeper.length === 0 || first === undefined || ['', '.', '..', WELL_KNOWN].includes(first)) return undefined;
  return files.every(({ name }) => name.startsWith(`${first}/`)) ? first : undefined;
}
