import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';

/** A new temporary folder, and a function that removes it with its contents. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A new temporary folder with an installation in it, as the service's first start makes one: a copy, which takes half as long as creating it. */
export function makeInstallation(): { path: string; remove: () => void } {
  const folder = makeFolder();
  writeFileSync(join(folder.path, DATABASE_FILE), emptyDatabase(), { mode: 0o600 });
  return folder;
}

let empty: Buffer | undefined;

function emptyDatabase(): Buffer {
  if (empty === undefined) {
    const { path, remove } = makeFolder();
    openSqliteStores(path).close();
    empty = readFileSync(join(path, DATABASE_FILE));
    remove();
  }
  return empty;
}

/** A new temporary folder for the running test, with an installation in it. */
export function testInstallation(): string {
  const { path, remove } = makeInstallation();
  onTestFinished(remove);
  return path;
}

/** A new temporary folder for the running test. */
export function testFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}
