// The built dashboard (dashboard/dist), for whoever serves or uploads it, and what goes with its files.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../dashboard/dist');

export const START_PAGE = 'index.html';
/** What the dashboard must know of where it runs: written by whoever serves it, beside the files (dashboard/src/configuration.ts). */
export const CONFIGURATION_FILE = 'dashboard/config.json';

export interface BuiltFile {
  /** Relative, with `/` between parts. */
  readonly name: string;
  readonly content: Buffer;
}

/** @returns undefined if it has not been built */
export function readBuiltDashboard(): readonly BuiltFile[] | undefined {
  if (!existsSync(join(FOLDER, START_PAGE))) return undefined;
  return pathsBelow(FOLDER).map((path) => ({ name: relative(FOLDER, path).split(sep).join('/'), content: readFileSync(path) }));
}

/** Files with a hash in their names never change; of others a browser asks each time whether they have. */
export function cacheControlOf(name: string): string {
  return name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function pathsBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? pathsBelow(path) : [path];
  });
}
