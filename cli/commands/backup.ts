// petstore backup, petstore restore

import { type Command, InvalidArgumentError } from 'commander';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { restoreBackup } from '../../platforms/embedded/backup/restore-backup.ts';
import { loadConfigured } from '../../platforms/embedded/configuration.ts';
import { VERSION } from '../../platforms/version.ts';
import { CliError, type CommandContext, isoTime, type JsonOption, print, size, subcommand } from '../context.ts';

/** Adds `petstore backup`. */
export function addBackupCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'backup <folder>', 'back up the data folder to a new folder in <folder>, while the service runs')
    .option('--keep <n>', 'remove all but the newest n backups of this installation in the folder, counting this one', parseKeep)
    .action(async (target: string, { keep, json }: JsonOption & { keep?: number }) => {
      const { dataFolder, configurationFile } = context.settings();
      const elsewhere = (await loadConfigured(configurationFile))?.adapters.find(({ provides }) => provides.includes('installation'));
      if (elsewhere !== undefined)
        throw new CliError(`${elsewhere.name} stores this installation, and the data folder has only copies; back up the original database instead`);
      const backup = await createBackup({ dataFolder, target, keep, version: VERSION, clock: context.clock });
      for (const sentence of backup.incomplete) context.err(`petstore: ${sentence}`);
      if (backup.incomplete.length > 0) {
        context.err('petstore: the backup is incomplete, so no older one was removed; petstore doctor says what to do');
        context.endWith('unfinished');
      }
      if (backup.unrecorded !== undefined)
        context.err(
          `petstore: the backup was made, but last-backup.json in ${dataFolder} can't be written (${backup.unrecorded}); until that is corrected, petstore doctor does not know of it, and the alert PetstoreBackupOld will fire`,
        );
      if (keep !== undefined && backup.others.length > 0 && backup.incomplete.length === 0)
        context.err(`petstore: ${notRemoved(dataFolder, backup.others)}`);
      print(context, json, { ...backup, createdAt: isoTime(backup.createdAt) }, () =>
        [
          `Backup ${backup.folder}: ${backup.files} files, ${size(backup.bytes)}, of which ${size(backup.sharedBytes)} are shared with the previous backup`,
          ...backup.removed.map((folder) => `Removed ${folder}`),
        ].join('\n'),
      );
    });
}

/** Adds `petstore restore`. */
export function addRestoreCommand(program: Command, context: CommandContext): void {
  subcommand(
    program,
    'restore <backup>',
    'restore a backup to the data folder, while the service is stopped; a single database file replaces only the database',
  )
    .option('--replace', 'move the current content to the folder replaced-… in the data folder')
    .action(async (backup: string, { replace = false, json }: JsonOption & { replace?: boolean }) => {
      const { dataFolder } = context.settings();
      const restored = await restoreBackup({ backup, dataFolder, replace, clock: context.clock });
      const { files, bytes, createdAt, replacedTo = '', replacedKeys } = restored;
      for (const key of replacedKeys) {
        context.err(
          `petstore: the backup lacks ${key}; before the next start, put the previous one back; run: cp -p ${replacedTo}/${key} ${dataFolder}/`,
        );
        context.endWith('unfinished');
      }
      print(context, json, { ...restored, createdAt: createdAt === undefined ? undefined : isoTime(createdAt) }, () =>
        [
          `Restored ${dataFolder}: ${files} files, ${size(bytes)}${createdAt === undefined ? '' : `, as it was at ${isoTime(createdAt)}`}`,
          ...(replacedTo === '' ? [] : [`The previous content is in ${replacedTo}; delete it when you no longer need it`]),
        ].join('\n'),
      );
    });
}

/** Returns a warning about these backups: nothing else would reveal that a new installation was created while the disk was missing. */
function notRemoved(dataFolder: string, others: readonly string[]): string {
  return `not known to be backups of this installation, so --keep leaves them: ${others.join(', ')}; is ${dataFolder} the right folder, and its disk mounted?`;
}

function parseKeep(text: string): number {
  const value = Number(text);
  if (!/^\d{1,4}$/.test(text) || value < 1) throw new InvalidArgumentError('allowed: an integer from 1 to 9999');
  return value;
}
