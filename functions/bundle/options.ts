// Bundling options for the functions, shared by the constructs, the package's build, the benchmarks and the tests.

import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** The functions, by the file names of their entries. Each exports `handler`. */
export const FUNCTION_NAMES = ['catalogue', 'control', 'domain-step', 'domain-sweep', 'edge-failover', 'notifier', 'probe'] as const;

export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** Returns the path of a function's entry. */
export function entryOf(name: FunctionName): string {
  return join(ROOT, `functions/${name}.ts`);
}

/** Where the package has the functions' bundles. */
export const BUNDLES_FOLDER = join(ROOT, 'functions/bundles');

/** Returns the folder of a function's bundle, `index.mjs`. @param folder of all bundles */
export function bundleFolder(folder: string, name: FunctionName): string {
  return join(folder, name);
}

/** esbuild's options. Everything is bundled, including the SDK; ES modules are preferred because only they can be tree-shaken. */
export const BUNDLE_OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  alias: { '@aws-sdk/credential-provider-node': join(ROOT, 'functions/bundle/lambda-credentials.ts') },
  // Remaining CommonJS modules load Node's built-in modules with `require`.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
};
