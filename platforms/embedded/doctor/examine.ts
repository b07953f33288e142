// Examines an installation on one machine, whether or not its service is running. Nothing is changed.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { hasNoInstallation } from '../../../adapters/store/sqlite/database.ts';
import { orNone } from '../../platform.ts';
import { runningService } from '../folder-lock.ts';
import type { Settings } from '../settings.ts';
import { accessProblems, examineModes, examineOwner } from './access.ts';
import { examineBackup } from './backup.ts';
import { examineDatabase, examineRows, withDatabase } from './database.ts';
import { examineCertificates, examineEdge } from './edge.ts';
import { examineChanges, examineRemains, examineSites } from './files.ts';
import { attempt, type Check, examineAdapters, type Finding, ok, problem } from './finding.ts';
import { examineAttempts, examineAuthorityAccount, examineDevelopmentAuthority, examineIdentityKeys, examineSecrets } from './keys.ts';
import { examineClock, examineDescriptors, examineNames, examinePorts, examineService, examineSpace } from './machine.ts';
import { examineStructure } from './structure.ts';

export interface ExaminationOptions {
  readonly settings: Settings;
  /** Whether to compare indexes with tables, and the files of sites with the last backup, which takes longer. */
  readonly full: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Id of the user who runs the command. @default the process's user */
  readonly user?: number;
}

/** Examines the data folder, the machine and the service. @returns findings in a fixed order, at least one for each check */
export async function examine({ settings, full, clock, user = process.getuid?.() ?? 0 }: ExaminationOptions): Promise<readonly Finding[]> {
  const { dataFolder } = settings;
  const denied = accessProblems(dataFolder, user);
  if (denied.length > 0) return denied;
  const begin = 'set PETSTORE_DATA, restore a backup with petstore restore, or start the service for the first time';
  if (hasNoInstallation(dataFolder)) return [problem('data folder', `${dataFolder} has no database`, begin)];
  const now = clock();
  const { findings: backup, remedy } = await examineBackup(dataFolder, now, full);
  const bytes = statSync(join(dataFolder, DATABASE_FILE), { throwIfNoEntry: false })?.size;
  const empty = `${dataFolder} has files of an installation, but its database is ${bytes === 0 ? 'empty' : 'missing'}`;
  if (bytes === undefined || bytes === 0) return [problem('data folder', empty, remedy.restore), ...backup];
  const { findings: adapters, providers } = await examineAdapters(settings);
  const elsewhere = providers.installation;
  const copies = `${elsewhere} stores this installation, and the data folder has only copies; back up the original database`;
  const circumstances = { dataFolder, restore: remedy.restore, service: orNone(() => runningService(dataFolder)) };
  const afterDatabase = `first correct what is reported about the database, also with --full; if that is not enough, ${remedy.restore}`;
  const inDatabase = (database: DatabaseSync): readonly Check[] => [
    ['tables', () => examineStructure(database, remedy)],
    ['rows', () => examineRows(database, providers.accounts !== undefined, remedy)],
    // If an adapter stores deployments, the files here are copies.
    ['sites', () => (elsewhere === undefined ? examineSites(database, dataFolder, { now, full, remedy }) : [])],
    ['edge', () => examineEdge(database, remedy)],
    ['certificates', () => examineCertificates(database, now)],
    ['certificate authority', () => examineAuthorityAccount(database, settings.acme?.directory)],
    ['attempts at certificates', () => examineAttempts(database)],
    ['sign-in', () => examineSecrets(database, dataFolder, remedy)],
    ['clock', () => examineClock(database, now)],
  ];
  return attempt(
    [
      ['data folder', () => [ok('data folder', dataFolder)]],
      ['modes', () => examineModes(dataFolder)],
      ['owner', () => examineOwner(dataFolder)],
      ['backup', () => (elsewhere === undefined ? backup : [ok('backup', copies)])],
      ['restore', () => examineRemains(dataFolder)],
      ['changes', () => (elsewhere === undefined ? examineChanges(dataFolder) : [])],
      ['database', () => examineDatabase(dataFolder, full, remedy)],
      ['content', () => withDatabase(dataFolder, (database) => attempt(inDatabase(database), { ...circumstances, restore: afterDatabase }))],
      ['sign-in', () => examineIdentityKeys(dataFolder, remedy)],
      ['development authority', () => examineDevelopmentAuthority(dataFolder, settings.acme === undefined, now, remedy)],
      ['adapters', () => adapters],
      ['names', () => examineNames(settings)],
      ['space', () => examineSpace(dataFolder)],
      ['open files', examineDescriptors],
      ['service', () => examineUse(settings)],
    ],
    circumstances,
  );
}

function examineUse(settings: Settings): Promise<readonly Finding[]> {
  const service = runningService(settings.dataFolder);
  return service === undefined ? examinePorts(settings) : examineService(service);
}
