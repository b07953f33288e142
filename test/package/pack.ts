// Packs the package before the tests run, and installs it as a user does who only runs it.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the platform's tarball. */
    tarball: string;
    /** A folder outside the repository with the platform as its only dependency. */
    runtimeFolder: string;
  }
}

/** @returns removes what was made */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-package-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    // The scripts that npm runs before packing have run (pretest:package).
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], ROOT);
    const [tarball = ''] = readdirSync(folder).map((name) => join(folder, name));
    const runtimeFolder = mkdtempSync(join(folder, 'runtime-'));
    writeFileSync(join(runtimeFolder, 'package.json'), '{"private":true,"type":"module"}\n');
    await run('npm', ['install', '--no-audit', '--no-fund', tarball], runtimeFolder);
    project.provide('tarball', tarball);
    project.provide('runtimeFolder', runtimeFolder);
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}
