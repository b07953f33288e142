// The keys that the hosts of one installation share.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IDENTITY_KEYS_FILE, ROOT_FILE, ROOT_KEY_FILE } from '../../adapters/files/data-folder.ts';
import { writeDurably } from '../../adapters/files/durable.ts';
import type { InstallationStore } from '../../core/ports.ts';

/** The files with keys, and how to create missing ones. The code for that is loaded only when needed, because most commands only read the folder. */
const KEYS = [
  {
    name: 'sign-in',
    files: [IDENTITY_KEYS_FILE],
    make: async (folder: string) => (await import('../../adapters/identity/provider-keys.ts')).openProviderKeys(folder),
  },
  {
    name: 'development authority',
    files: [ROOT_KEY_FILE, ROOT_FILE],
    make: async (folder: string, now: number) => (await import('../../adapters/certificates/development.ts')).openRoot(folder, now),
  },
];

/** Returns an installation's keys in the form in which they are shared, if it has them. */
export function sharedKeysOf(folder: string): readonly { readonly name: string; readonly content: string }[] {
  return KEYS.filter(({ files }) => files.every((file) => existsSync(join(folder, file)))).map(({ name, files }) => ({
    name,
    content: contentOf(folder, files),
  }));
}

function contentOf(folder: string, files: readonly string[]): string {
  return JSON.stringify(files.map((file) => readFileSync(join(folder, file), 'utf8')));
}

/** Copies the installation's keys to this host, or the first host's keys to the installation, so that all hosts accept what any of them signs. */
export async function shareKeys(folder: string, installation: Pick<InstallationStore, 'keys'>, now: number): Promise<void> {
  for (const { name, files, make } of KEYS) {
    let shared = await installation.keys(name);
    if (shared === undefined) {
      await make(folder, now);
      shared = await installation.keys(name, contentOf(folder, files));
    }
    const texts = JSON.parse(shared ?? '[]') as readonly string[];
    for (const [index, file] of files.entries()) {
      const [path, text = ''] = [join(folder, file), texts[index]];
      if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeDurably(path, text);
    }
  }
}
