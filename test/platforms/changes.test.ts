import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { CHANGES_LOCK_FILE, CHANGES_STOPPED_FILE } from '../../adapters/files/data-folder.ts';
import { takeLock } from '../../adapters/files/lock.ts';
import { allowChanges, beginChanges, changeStop, expectChanges, markMoved, stopChanges } from '../../platforms/embedded/changes.ts';
import { examineChanges } from '../../platforms/embedded/doctor/files.ts';
import { openConfigured } from '../../platforms/embedded/folder.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { lockMove } from '../../platforms/embedded/move.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { testInstallation } from '../support/folders.ts';

const WHERE = 'PostgreSQL at 10.0.0.5:5432, database petstore';

function begun(folder: string, kind: 'main' | 'shared'): () => void {
  const end = beginChanges(folder, kind);
  if (end === undefined) throw new Error('changes are stopped');
  onTestFinished(end);
  return end;
}

test('are stopped at once if no one can change anything, and stay so until they are allowed', async () => {
  const folder = testInstallation();
  const before = Date.now();
  await stopChanges(folder, WHERE);
  expect(changeStop(folder)).toEqual({
    where: WHERE,
    isMoved: false,
    since: expect.toSatisfy((since: number) => since >= before && since <= Date.now()),
  });
  expect(beginChanges(folder, 'main')).toBeUndefined();
  const says = (text: string) =>
    expect(() => expectChanges(folder)).toThrow(new RegExp(`^${folder} has accepted no changes since 20\\S+Z: ${text}$`));
  says(`its move to ${WHERE} did not finish; run petstore move again, or petstore move --undo --yes`);
  const release = lockMove(folder);
  says(`its installation is still being moved to ${WHERE}`);
  release();
  allowChanges(folder);
  expect(changeStop(folder)).toBeUndefined();
  begun(folder, 'main');
  // As often as a caller likes.
  allowChanges(folder);
});

test.each(['main', 'shared'] as const)('are stopped only once those that had begun have ended: %s', async (kind) => {
  const folder = testInstallation();
  const end = begun(folder, kind);
  let isStopped = false;
  const stop = stopChanges(folder, WHERE).then(() => {
    isStopped = true;
  });
  // What comes later no longer begins.
  await expect.poll(() => beginChanges(folder, 'shared')).toBeUndefined();
  expect(isStopped).toBe(false);
  end();
  await stop;
});

test('are allowed again if those that had begun do not end in time', async () => {
  const folder = testInstallation();
  begun(folder, 'shared');
  await expect(stopChanges(folder, WHERE, 10)).rejects.toThrow(
    `${folder}: a command, or a host that serves only the API, has not finished its changes within 0.01 s; changes are allowed again; try again`,
  );
  expect(existsSync(join(folder, CHANGES_STOPPED_FILE))).toBe(false);
  begun(folder, 'shared');
});

test('are not stopped while a service uses the folder that does not know of it', async () => {
  const folder = testInstallation();
  const { release, announce } = lockFolder(folder, 'main');
  announce({ pid: 7, url: 'http://127.0.0.1:1', startedAt: 0 });
  await expect(stopChanges(folder, WHERE)).rejects.toThrow(`${folder}: a service of an earlier version is using it; restart it with this version`);
  expect(changeStop(folder)).toBeUndefined();
  begun(folder, 'main');
  await expect(stopChanges(folder, WHERE, 10)).rejects.toThrow('the service (process 7, http://127.0.0.1:1) has not finished its changes');
  release();
});

test('stay stopped after a move that is complete, whatever a later one does', async () => {
  const folder = testInstallation();
  await stopChanges(folder, WHERE);
  markMoved(folder);
  await stopChanges(folder, 'elsewhere');
  expect(changeStop(folder)).toMatchObject({ where: 'elsewhere', isMoved: true });
  const release = takeLock(join(folder, CHANGES_LOCK_FILE), 'shared');
  await expect(stopChanges(folder, WHERE, 10)).rejects.toThrow('changes are still stopped');
  release?.();
});

test('are stopped whatever the file says, and doctor says what to do', async () => {
  const folder = testInstallation();
  expect(examineChanges(folder)).toEqual([]);
  writeFileSync(join(folder, CHANGES_STOPPED_FILE), JSON.stringify({ where: WHERE, since: Date.UTC(2026, 10, 26) }));
  const found = `the installation has accepted no changes since 2026-11-26T00:00:00.000Z, because of its move to ${WHERE}`;
  const says = (state: string, more: string, action: string) =>
    expect(examineChanges(folder)).toEqual([{ check: 'changes', state, found: found + more, action }]);
  says('problem', ', which did not finish', 'run petstore move again, or petstore move --undo --yes');
  const release = lockMove(folder);
  says('warning', '', 'wait until the move ends');
  release();
  markMoved(folder);
  says('warning', '', 'once everything works there, stop the service of this folder; to undo the move, run: petstore move --undo --yes');
  expect(() => expectChanges(folder)).toThrow(`was moved to ${WHERE}; to undo the move, run petstore move --undo --yes`);
  writeFileSync(join(folder, CHANGES_STOPPED_FILE), '{');
  expect(beginChanges(folder, 'main')).toBeUndefined();
  expect(changeStop(folder)).toMatchObject({ where: 'an unknown place' });
});

test('wait for a command that has the folder open, and later ones only read', async () => {
  const folder = testInstallation();
  const parsed = parseSettings({ PETSTORE_DATA: folder });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const open = () => openConfigured(parsed.settings, Date.now, () => ({ kind: 'operator', id: 'test' }));
  const account = { id: 'acc_1', name: 'Shop', plan: 'free', limits: { perMinute: 1, perDay: 1 }, createdAt: 0 } as const;
  const first = await open();
  await expect(stopChanges(folder, WHERE, 10)).rejects.toThrow('a command');
  await first.accounts.createAccount(account);
  await first.close();
  await stopChanges(folder, WHERE);
  const second = await open();
  onTestFinished(second.close);
  expect((await second.accounts.getAccount('acc_1'))?.name).toBe('Shop');
  await expect(second.accounts.rename('acc_1', 'Store')).rejects.toThrow('readonly');
  await expect(second.sites.put({ projectId: 'prj_1', id: 'dpl_1' }, 'index.html', Readable.from([]), 0)).rejects.toThrow('has accepted no changes');
});
