// The built pages of a package, the dashboard or the API reference (`<package>/dist`), for callers that serve or upload them.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ContentEncoding } from '../../core/http/negotiation.ts';
import { SIGN_IN_SETTINGS_PATH } from '../../core/identity/sign-in-settings.ts';

export const START_PAGE = 'index.html';
/** The dashboard's settings for this installation, written next to its files by the server or the upload (dashboard/src/session.ts). */
export const CONFIGURATION_FILE = SIGN_IN_SETTINGS_PATH.slice(1);

export interface BuiltFile {
  /** Relative path with `/` as separator. */
  readonly name: string;
  readonly content: Buffer;
  /** The compressed content from the build, by encoding. Empty if there is none. */
  readonly compressed: Readonly<Partial<Record<ContentEncoding, Buffer>>>;
}

/** The file name extensions of the build's compressed copies. */
const ENDINGS: readonly (readonly [ContentEncoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** Reads the output of `npm run build` for a package. @returns undefined if it has not been built */
export function readBuiltSite(name: 'dashboard' | 'reference'): readonly BuiltFile[] | undefined {
  const folder = join(import.meta.dirname, '../..', name, 'dist');
  if (!existsSync(join(folder, START_PAGE))) return undefined;
  const paths = pathsBelow(folder);
  return paths
    .filter((path) => !ENDINGS.some(([, ending]) => path.endsWith(ending)))
    .map((path) => ({
      name: relative(folder, path).split(sep).join('/'),
      content: readFileSync(path),
      compressed: Object.fromEntries(
        ENDINGS.filter(([, ending]) => paths.includes(path + ending)).map(([encoding, ending]) => [encoding, readFileSync(path + ending)]),
      ),
    }));
}

/** Returns the Cache-Control of a file: files with a hash in their name never change, and browsers revalidate all others each time. */
export function cacheControlOf(name: string): string {
  return name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function pathsBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? pathsBelow(path) : [path];
  });
}
