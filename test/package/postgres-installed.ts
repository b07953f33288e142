// petstore-postgres as its users get it: compiled, packed and installed beside the packed platform.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  const { source, modules } = await packages(join(inject('runtimeFolder'), '../postgres'));
  const installed = mkdtempSync(join(tmpdir(), 'petstore-postgres-installed-'));
  const [configuration = ''] = examplesOf(join(PACKAGE, 'README.md'));
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(join(installed, 'petstore.config.ts'), configuration.replaceAll('postgresPlatform', adapter));
  // Hard links: nothing changes a package's files.
  await run('cp', ['-al', modules, installed], installed);
  return { source, installed, remove: () => rmSync(installed, { recursive: true, force: true }) };
}

/** Packs and installs both packages, which test files that run side by side share. @param folder of the run; pack.ts removes it */
async function packages(folder: string) {
  const [source, installed, done] = [join(folder, 'source'), join(folder, 'installed'), join(folder, 'done')];
  mkdirSync(folder, { recursive: true });
  if (isFirst(join(folder, 'claim'))) await packInto(source, installed).finally(() => writeFileSync(done, ''));
  while (!existsSync(done)) await new Promise((resolve) => setTimeout(resolve, 200));
  return { source, modules: join(installed, 'node_modules') };
}

async function packInto(source: string, installed: string): Promise<void> {
  cpSync(PACKAGE, source, { recursive: true, filter: (path) => !OWN.includes(basename(path)) });
  await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', inject('tarball')], source);
  mkdirSync(installed);
  await run('npm', ['pack', '--pack-destination', installed], source);
  const [packed = ''] = readdirSync(installed).map((name) => join(installed, name));
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}\n');
  await run('npm', ['install', '--no-audit', '--no-fund', inject('tarball'), packed], installed);
}

function isFirst(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch {
    return false;
  }
}
