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

  test.each([{}, { PETSTORE_ACME_CA_FILE: import.meta.filename }])('passes on a storage failure with the settings %j', async (more) => {
    const folder = openWith(more);
    // The account key can't be stored.
    folder.database.exec('PRAGMA query_only = ON');
    await expect(start(folder)).rejects.toMatchObject({ name: 'StoreFault', message: expect.not.stringContaining('PETSTORE_') });
  });
});

function openWith(more: Readonly<Record<string, string>>): DataFolder {
  const parsed = parseSettings({ PETSTORE_DATA: testFolder(), PETSTORE_ACME_DIRECTORY: 'https://acme.example/directory', ...more });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const folder = openDataFolder(parsed.settings);
  onTestFinished(folder.close);
  return folder;
}

const start = (folder: DataFolder) => startDomains(folder, { adopt: () => {}, warn: () => {}, onFault: () => {}, clock: Date.now });
