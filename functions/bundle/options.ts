// Bundling options for the functions, shared by the constructs, the package's build, the benchmarks and the tests.

import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

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
