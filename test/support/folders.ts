import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';

/** A new temporary folder, and a function that removes it with its contents. */
export function makeFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A new temporary folder for the running test, with an installation in it, as the service's first start makes one. */
export function testInstallation(): string {
  const folder = testFolder();
  openSqliteStores(folder).close();
  return folder;
}

/** A new temporary folder for the running test. */
export function testFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}
