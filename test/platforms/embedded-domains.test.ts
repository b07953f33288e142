import { describe, expect, onTestFinished, test } from 'vitest';
import { startDomains } from '../../platforms/embedded/domains.ts';
import { type DataFolder, openDataFolder } from '../../platforms/embedded/folder.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { testFolder } from '../support/folders.ts';

describe('the ACME authority of the embedded service', () => {
  test("reports PETSTORE_ACME_CA_FILE if that file can't be read", async () => {
    const folder = openWith({ PETSTORE_ACME_CA_FILE: '/no/such/root.pem' });
    await expect(start(folder)).rejects.toThrow(/^PETSTORE_ACME_CA_FILE: can't read \/no\/such\/root\.pem: ENOENT/);
  });
});

function openWith(more: Readonly<Record<string, string>>): DataFolder {
  const parsed = parseSettings({ PETSTORE_DATA: testFolder(), PETSTORE_ACME_DIRECTORY: 'https://acme.example/directory', ...more });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const folder = openDataFolder(parsed.settings);
  onTestFinished(folder.close);
  return folder;
}

const start = (folder: DataFolder) =>
  startDomains(folder, { adopt: () => {}, warn: () => {}, onFault: () => {}, clock: Date.now, visitClock: Date.now });
