// Bundling options for the functions, shared by the constructs, the package's build, the benchmarks and the tests.

import { writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { entryOf, FUNCTION_NAMES } from './bundles.ts';
import { NOTICES_FILE, noticesFor } from './notices.ts';

const file = (name: string) => join(import.meta.dirname, name);

/** esbuild's options. Everything is bundled, including the SDK; ES modules are preferred because only they can be tree-shaken. */
export const BUNDLE_OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  alias: {
    '@aws-sdk/credential-provider-node': file('lambda-credentials.ts'),
    '@smithy/core/event-streams': file('no-event-streams.ts'),
    'node:http': file('http.cjs'),
    http: file('http.cjs'),
  },
  // Remaining CommonJS modules load Node's built-in modules with `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
};

// Bundles the functions, for the package and for the stacks: node functions/bundle/build.ts FOLDER

/** esbuild, which adds its own functions to bundles. */
const BUNDLER = join(import.meta.dirname, '../../node_modules/esbuild/package.json');

/** Writes `<name>/index.mjs` and its notices for each function. @param folder created if it does not exist */
export async function buildFunctions(folder: string): Promise<void> {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: FUNCTION_NAMES.map((name) => ({ in: entryOf(name), out: `${name}/index` })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
    metafile: true,
  });
  for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
    const modules = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [resolve(path)] : []));
    writeFileSync(join(dirname(file), NOTICES_FILE), noticesFor(new Map([[basename(file), [...modules, BUNDLER]]])));
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('build.ts: the folder for the bundles is missing');
  await buildFunctions(resolve(folder));
}
