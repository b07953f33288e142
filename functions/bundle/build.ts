// Bundling options for the functions, shared by the constructs, the package's build, the benchmarks and the tests.

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleFolder, entryOf, FUNCTION_NAMES, type FunctionName } from './bundles.ts';
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

// Bundles the functions, for the package and for the stacks: node functions/bundle/build.ts NAME FOLDER

const BUNDLE = 'index.mjs';
/** esbuild, which adds its own functions to bundles. */
const BUNDLER = join(import.meta.dirname, '../../node_modules/esbuild/package.json');

/** Writes `<name>/index.mjs` and its notices for each function. @param folder created if it does not exist */
export async function buildFunctions(folder: string): Promise<void> {
  for (const name of FUNCTION_NAMES) await buildFunction(name, bundleFolder(folder, name));
}

/** Writes a function's `index.mjs`, and its notices beside it. */
async function buildFunction(name: FunctionName, folder: string): Promise<void> {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [entryOf(name)],
    outfile: join(folder, BUNDLE),
    logLevel: 'warning',
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const modules = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(path));
  writeFileSync(join(folder, NOTICES_FILE), noticesFor(new Map([[BUNDLE, [...modules, BUNDLER]]])));
}

if (import.meta.main) {
  const [given, folder, ...rest] = process.argv.slice(2);
  const name = FUNCTION_NAMES.find((each) => each === given);
  if (name === undefined || folder === undefined || rest.length > 0) {
    console.error(`build.ts: got ${process.argv.slice(2).join(' ')}; allowed: one of ${FUNCTION_NAMES.join(', ')}, and the folder for its bundle`);
    process.exitCode = 1;
  } else await buildFunction(name, resolve(folder));
}
