// A data folder of another user: what the superuser creates there, the service could not use.

import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { restoreBackup } from '../../platforms/embedded/backup/restore-backup.ts';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import { openConfigured, openForService } from '../../platforms/embedded/folder.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder, testInstallation } from '../support/folders.ts';
import { STRANGER } from '../support/stranger.ts';

const isRoot = process.getuid?.() === 0;
const clock = () => NOON;
const actor = () => ({ kind: 'operator', id: 'ann@host' }) as const;

/** Gives a folder another owner; only the superuser can do that, so others become another user. */
function giveAway(folder: string): void {
  if (isRoot) for (const name of ['', ...readdirSync(folder)]) chownSync(join(folder, name), STRANGER, STRANGER);
  else vi.spyOn(process, 'geteuid').mockReturnValue(STRANGER);
  onTestFinished(() => void vi.restoreAllMocks());
}

function settingsOf(folder: string) {
  const free = { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
  const parsed = parseSettings({ ...free, PETSTORE_DATA: folder });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.settings;
}

async function backedUp(): Promise<{ readonly folder: string; readonly backup: string }> {
  const folder = testInstallation();
  const { folder: backup } = await createBackup({ dataFolder: folder, target: testFolder(), version: '1.2.3', clock });
  return { folder, backup };
}

test.each([
  ['a command', ({ folder }) => openConfigured(settingsOf(folder), clock, actor)],
  ['the service', ({ folder }) => openForService(settingsOf(folder), clock, actor)],
  ['a host of the API', async ({ folder }) => lockFolder(folder, 'shared')],
  ['a restore', ({ folder, backup }) => restoreBackup({ backup, dataFolder: folder, replace: true, clock })],
] satisfies [string, (at: Awaited<ReturnType<typeof backedUp>>) => Promise<unknown>][])(
  '%s is refused there, and creates nothing',
  async (_, work) => {
    const at = await backedUp();
    giveAway(at.folder);
    const before = readdirSync(at.folder);
    await expect(work(at)).rejects.toThrow(
      new RegExp(`^PETSTORE_DATA: can't use ${at.folder}: ${at.folder} belongs to another user \\(\\d+\\); run the command as that user$`),
    );
    expect(readdirSync(at.folder)).toEqual(before);
  },
);

test('doctor examines it', async () => {
  const { folder } = await backedUp();
  giveAway(folder);
  const findings = await examine({ settings: settingsOf(folder), full: false, clock });
  expect(findings.filter(({ state, check }) => state === 'problem' && ['data folder', 'owner', 'database'].includes(check))).toEqual([]);
  expect(findings).toContainEqual(expect.objectContaining({ check: 'database', state: 'ok' }));
});

test.runIf(isRoot)("a backup that the superuser makes leaves nothing that is not the owner's", async () => {
  const { folder } = await backedUp();
  giveAway(folder);
  await createBackup({ dataFolder: folder, target: testFolder(), version: '1.2.3', clock });
  expect(readdirSync(folder).filter((name) => lstatSync(join(folder, name)).uid !== STRANGER)).toEqual([]);
});

test.runIf(isRoot)("a folder of the superuser's, such as a mounted volume, is for the user who may write to it", async () => {
  const folder = testFolder();
  chownSync(folder, 0, STRANGER);
  vi.spyOn(process, 'geteuid').mockReturnValue(STRANGER);
  onTestFinished(() => void vi.restoreAllMocks());
  lockFolder(folder, 'main').release();
});
