// Bundles all functions into a folder, for the package: node functions/bundle/build.ts FOLDER

import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleFolder, entryOf, FUNCTION_NAMES } from './bundles.ts';
import { BUNDLE_OPTIONS } from './options.ts';

/** Writes `<name>/index.mjs` for each function. @param folder is created if it does not exist */
export async function buildFunctions(folder: string): Promise<void> {
  for (const name of FUNCTION_NAMES)
    await build({ ...BUNDLE_OPTIONS, entryPoints: [entryOf(name)], outfile: join(bundleFolder(folder, name), 'index.mjs'), logLevel: 'warning' });
}

if (import.meta.main) {
  const [folder, ...rest] = process.argv.slice(2);
  if (folder === undefined || rest.length > 0) {
    console.error(`build.ts: got ${process.argv.length - 2} arguments; allowed: one, the folder for the bundles`);
    process.exitCode = 1;
  } else await buildFunctions(resolve(folder));
}
