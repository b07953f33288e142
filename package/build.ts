// Builds the package (`npm run build`): compiles its entries with their imports into `dist/`, which mirrors the repository, and adds files that are
// not TypeScript: the functions' bundles, the edge's functions, and the built dashboard and API reference.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFunctions } from '../functions/bundle/build.ts';
import { BUNDLES_FOLDER } from '../functions/bundle/bundles.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** Files that are read at run time, at the same paths as in the repository. */
const COPIED = [
  ...['adapters/edge/viewer-request.js', 'adapters/edge/one-page.js', 'adapters/identity/common-passwords.txt'],
  ...['adapters/identity/form.css', 'adapters/identity/pages.css', 'dashboard/dist', 'reference/dist'],
];

rmSync(DIST, { recursive: true, force: true });
const { status } = spawnSync('tsc', ['--project', join(import.meta.dirname, 'tsconfig.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
for (const file of globSync('**/*.d.ts', { cwd: DIST })) {
  // The compiler rewrites imports in JavaScript, but not in declarations.
  const path = join(DIST, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from|import\() ?['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'));
}
for (const each of COPIED) {
  if (!existsSync(join(ROOT, each))) throw new Error(`${each} is missing; run npm run build:pages first`);
  cpSync(join(ROOT, each), join(DIST, each), { recursive: true });
}
await buildFunctions(BUNDLES_FOLDER.replace(ROOT, DIST));
chmodSync(join(DIST, 'cli/petstore.js'), 0o755);
writeFileSync(join(DIST, 'petstore.1'), execFileSync(process.execPath, [join(DIST, 'cli/petstore.js'), 'man']));
