// Checks whether there is a backup, and whether the last one could be restored.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HOUR_MS } from '../../../core/limits/windows.ts';
import { messageOf, quoted } from '../../platform.ts';
import { type BackupFault, backupFault, type LastBackup, readLastBackup } from '../backup/check-backup.ts';
import { backupsOf, closingAdvice } from '../backup/manifest.ts';
import { type Finding, ok, problem, type Remedy, warning } from './finding.ts';

/** Age, in milliseconds, above which a daily backup must have failed; the alert PetstoreBackupOld uses the same limit. */
const OLD_MS = 36 * HOUR_MS;
const ANYWHERE = 'make one every day with petstore backup FOLDER, on another disk';
const NO_REMEDY: Remedy = {
  backup: undefined,
  backups: [],
  restore:
    'stop the service and its sockets, and restore a backup from before the damage with petstore restore BACKUP --replace; all changes since are lost',
};

interface Examined {
  readonly findings: readonly Finding[];
  readonly remedy: Remedy;
}

/** Examines the last backup. @param now milliseconds since 1970 @param full whether to read the content of sites as well */
export async function examineBackup(dataFolder: string, now: number, full: boolean): Promise<Examined> {
  let last: LastBackup | undefined;
  try {
    last = readLastBackup(dataFolder);
  } catch (error) {
    return { findings: [problem('backup', `it is unknown when the last one was made: ${messageOf(error)}`, ANYWHERE)], remedy: NO_REMEDY };
  }
  if (last === undefined) return { findings: [warning('backup', 'none was made', ANYWHERE)], remedy: NO_REMEDY };
  try {
    return await examineLast(last, { dataFolder, now, full });
  } catch (error) {
    const action = `correct the owner and the modes of the backup folder, or ${ANYWHERE}`;
    return { findings: [problem('backup', `can't be examined: ${messageOf(error)}`, action)], remedy: NO_REMEDY };
  }
}

async function examineLast(
  { createdAt, folder }: LastBackup,
  { dataFolder, now, full }: { readonly dataFolder: string; readonly now: number; readonly full: boolean },
): Promise<Examined> {
  const isOld = now - createdAt > OLD_MS;
  const age = `the last one is ${Math.max(0, Math.floor((now - createdAt) / HOUR_MS))} hours old`;
  // The backup was made by an earlier version, which did not record where.
  if (folder === undefined) return { findings: [isOld ? warning('backup', age, ANYWHERE) : ok('backup', age)], remedy: NO_REMEDY };
  const fault = await backupFault(folder, { full, createdAt });
  const target = dirname(folder);
  const again = `run: petstore backup ${quoted(target)}`;
  const found =
    fault !== undefined
      ? faultFinding(folder, fault, again)
      : isOld
        ? warning(
            'backup',
            `${age}: ${folder}`,
            `find out why there has been none since (systemctl status petstore-backup); to make one now, ${again}`,
          )
        : ok('backup', `${age}, and not damaged: ${folder}${full ? '' : '; --full also reads the files of its sites'}`);
  const restore = `stop the service and its sockets, and restore the last backup, or an older one if the damage happened before it; all changes since are lost; run: petstore restore ${quoted(folder)} --replace`;
  const remedy = { ...(fault === undefined ? { backup: folder, restore } : NO_REMEDY), backups: backupsOf(dataFolder, target) };
  return { findings: [...targetProblem(dataFolder, target), found], remedy };
}

function faultFinding(folder: string, { kind, found }: BackupFault, again: string): Finding {
  switch (kind) {
    case 'gone':
      return warning('backup', `the last one, ${folder}, is gone`, `check whether its disk is mounted; if the backup was deleted, ${ANYWHERE}`);
    case 'unreadable':
      return warning('backup', `it is unknown whether the last one is damaged: ${found}`, 'run petstore doctor as that user, or as root');
    case 'damaged':
      return problem('backup', `${folder} can't be restored: ${found}`, `to make another one, ${again}`);
  }
}

/** Returns what keeps the service's user from making the next backup. */
function targetProblem(dataFolder: string, target: string): readonly Finding[] {
  if (!existsSync(target)) return [];
  const { uid } = statSync(target);
  const owner = statSync(dataFolder).uid;
  // The superuser can make a backup for the service's user.
  const own = `as root, run: chown ${owner} ${quoted(target)} && chown -R ${owner} ${quoted(target)}/20*`;
  if (uid !== owner && uid !== 0) return [problem('backup folder', `${target} belongs to user ${uid}, not to user ${owner}`, own)];
  const advice = closingAdvice(target);
  if (advice === undefined) return [];
  return [problem('backup folder', `other users can write to ${target}`, `until this is corrected, no backup is made there; ${advice}`)];
}
