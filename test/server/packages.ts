// Both packages, as npm packs them.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const POSTGRES = join(ROOT, 'postgres');

/** Packs the platform, which is built. @returns the name of its tarball in the folder */
export async function packPlatform(folder: string): Promise<string> {
  return pack(ROOT, folder);
}

/** Packs petstore-postgres. @param platform an installed petstore-platform, whose types it needs @returns the name of its tarball in the folder */
export async function packPostgres(folder: string, platform: string): Promise<string> {
  const [source, modules] = [join(folder, 'petstore-postgres'), join(folder, 'petstore-postgres/node_modules')];
  mkdirSync(modules, { recursive: true });
  for (const name of ['package.json', 'src', 'tsconfig.build.json']) cpSync(join(POSTGRES, name), join(source, name), { recursive: true });
  for (const name of readdirSync(join(POSTGRES, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(POSTGRES, 'node_modules', name), join(modules, name));
  symlinkSync(platform, join(modules, 'petstore-platform'));
  await run(join(POSTGRES, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: source });
  return pack(source, folder);
}

async function pack(source: string, folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: source, maxBuffer: 2 ** 26 });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  return filename;
}
