// A release as its operators had it: the synthesized templates with their bundled functions, and the command line. `npm run test:deploy` deploys the
// last release before it deploys this version.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The last release; CHANGELOG.md has its commit. */
export const RELEASE = '0.2.0';

const ARCHIVE = join(import.meta.dirname, `${RELEASE}.tar.br`);

/** Folder of the synthesized templates in the archive, for `cdk deploy --app`. */
export const ASSEMBLY = 'assembly';
/** The command line in the archive, one file. */
export const CLI = 'petstore.mjs';

/** Values in the templates that are known only when the account exists. */
export const PLACEHOLDERS = {
  zoneId: 'ZRELEASEZONE',
  certificate: 'ce1fca7e-0000-0000-0000-000000000000',
  dnsPort: '65001',
} as const;

/** Writes the archive. @param folder with ASSEMBLY and CLI */
export function packRelease(folder: string): { readonly bytes: number } {
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const tar = execFileSync('tar', ['-c', ...options, '-C', folder, ASSEMBLY, CLI], { maxBuffer: 1e9 });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: tar.length };
  const compressed = brotliCompressSync(tar, { params });
  writeFileSync(ARCHIVE, compressed);
  return { bytes: compressed.length };
}

/** Extracts the archive. */
export function unpackRelease(folder: string): void {
  execFileSync('tar', ['-x', '-C', folder], { input: brotliDecompressSync(readFileSync(ARCHIVE)) });
}
