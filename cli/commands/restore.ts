// petstore restore

import type { Command } from 'commander';
import { restoreBackup } from '../../platforms/embedded/backup/restore-backup.ts';
import { type CommandContext, isoTime, type JsonOption, print, size, subcommand } from '../context.ts';

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
      const { files, bytes, createdAt, replacedTo } = restored;
      print(context, json, { ...restored, createdAt: createdAt === undefined ? undefined : isoTime(createdAt) }, () =>
        [
          `Restored ${dataFolder}: ${files} files, ${size(bytes)}${createdAt === undefined ? '' : `, as it was at ${isoTime(createdAt)}`}`,
          ...(replacedTo === undefined ? [] : [`The previous content is in ${replacedTo}; delete it when you no longer need it`]),
        ].join('\n'),
      );
    });
}
