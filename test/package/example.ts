// An example of examples/ as its author has it: copied out of the repository, installed with the packed platform.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { run } from './run.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface InstalledExample {
  readonly folder: string;
  remove(): void;
}

/** Copies an example and installs what it needs. @param name its folder */
export async function installExample(name: string): Promise<InstalledExample> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-example-'));
  cpSync(join(EXAMPLES, name), folder, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist|cdk\.out)(\/|$)/.test(path.slice(EXAMPLES.length)),
  });
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  // The version in the repository may not be published yet.
  const { 'petstore-platform': peer, ...peerDependencies } = manifest.peerDependencies ?? {};
  const ofTarball = { 'petstore-platform': `file:${inject('tarball')}` };
  const changed: Manifest =
    peer === undefined
      ? { ...manifest, dependencies: { ...manifest.dependencies, ...ofTarball } }
      : { ...manifest, peerDependencies, devDependencies: { ...manifest.devDependencies, ...ofTarball } };
  writeFileSync(file, JSON.stringify(changed));
  await run('npm', ['install', '--no-audit', '--no-fund'], folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
