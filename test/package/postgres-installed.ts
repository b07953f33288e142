// petstore-postgres as its users get it: compiled, packed and installed beside the packed platform.

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inject } from 'vitest';
import { run } from './run.ts';
import { examplesOf } from './walkthrough.ts';

const PACKAGE = join(import.meta.dirname, '../../postgres');
/** Not what the repository needs to check it. */
const OWN = ['node_modules', 'dist', 'tsconfig.json'];

/**
 * Installs it.
 *
 * @param adapter what the configuration of a host names
 * @returns `source`: a copy of its folder, with what its tests need; `installed`: a folder with both packages and the README's configuration, as on each host
 */
export async function installPostgres(adapter: 'postgresStores' | 'postgresPlatform') {
  const source = mkdtempSync(join(tmpdir(), 'petstore-postgres-package-'));
  cpSync(PACKAGE, source, { recursive: true, filter: (path) => !OWN.includes(basename(path)) });
  await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', inject('tarball')], source);
  const installed = mkdtempSync(join(tmpdir(), 'petstore-postgres-installed-'));
  await run('npm', ['pack', '--pack-destination', installed], source);
  const [packed = ''] = readdirSync(installed).map((name) => join(installed, name));
  const [configuration = ''] = examplesOf(join(PACKAGE, 'README.md'));
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(join(installed, 'petstore.config.ts'), configuration.replaceAll('postgresPlatform', adapter));
  await run('npm', ['install', '--no-audit', '--no-fund', inject('tarball'), packed], installed);
  const remove = () => {
    for (const folder of [source, installed]) rmSync(folder, { recursive: true, force: true });
  };
  return { source, installed, remove };
}
