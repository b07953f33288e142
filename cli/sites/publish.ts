// Publishes a folder as a new deployment. All files are stored before any is served.

import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { DeploymentLimits } from '../../core/access/plans.ts';
import { manifestProblems } from '../../core/projects/manifest.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import { CliError } from '../context.ts';

export interface FolderFile {
  /** Relative path with `/` as the separator. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

export interface FolderContent {
  readonly files: readonly FolderFile[];
  readonly bytes: number;
  /** Names of hidden files, which are not published. */
  readonly skipped: readonly string[];
}

/** Lists the files to publish. Refuses symbolic links, which may point anywhere. @throws CliError with all problems, including exceeded limits */
export async function readFolder(folder: string, limits: DeploymentLimits): Promise<FolderContent> {
  const files: FolderFile[] = [];
  const skipped: string[] = [];
  const problems: string[] = [];
  const walk = async (path: string): Promise<void> => {
    for (const entry of (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = join(path, entry.name);
      const name = relative(folder, full).split(sep).join('/');
      // Tools store secrets in hidden files; only .well-known is meant to be public (RFC 8615).
      if (entry.name.startsWith('.') && entry.name !== '.well-known') skipped.push(name);
      else if (entry.isSymbolicLink()) problems.push(`${name}: a symbolic link; allowed: files and folders; copy the target instead`);
      else if (entry.isDirectory()) await walk(full);
      else if (!entry.isFile()) problems.push(`${name}: not a file`);
      else files.push({ name, path: full, bytes: (await lstat(full)).size });
      if (files.length > limits.files) throw new CliError(`${folder}: more than ${limits.files} files; allowed: at most that many on this plan`);
    }
  };
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new CliError(`${folder}: no such folder`);
  await walk(folder);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  problems.push(...manifestProblems(files, limits));
  if (problems.length > 0) throw new CliError(`nothing was published:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), bytes, skipped };
}

/** Stores the files one after another. @param onFile called after each file */
export async function storeFiles(
  sites: SiteStore,
  deployment: { readonly id: string; readonly projectId: string },
  files: readonly FolderFile[],
  onFile: (file: FolderFile) => void,
): Promise<void> {
  for (const file of files) {
    await sites.put(deployment, file.name, createReadStream(file.path), file.bytes);
    onFile(file);
  }
}

/** Formats a count of something, such as `1 file` or `2 files`. */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
