// Examines an installation on one machine, whether or not its service is running. Nothing is changed.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { hasNoInstallation } from '../../../adapters/store/sqlite/database.ts';
import { runningService } from '../folder-lock.ts';
import type { Settings } from '../settings.ts';
import { accessProblem, examineModes } from './access.ts';
import { examineBackup } from './backup.ts';
import { examineDatabase, withDatabase } from './database.ts';
import { examineCertificates, examineEdge } from './edge.ts';
import { examineRemains, examineSites } from './files.ts';
import { examineAdapters, type Finding, ok, problem } from './finding.ts';
import { examineAttempts, examineAuthorityAccount, examineDevelopmentAuthority, examineIdentityKeys } from './keys.ts';
import { examineClock, examineDescriptors, examineNames, examinePorts, examineService, examineSpace } from './machine.ts';
import { examineRows } from './rows.ts';
import { examineStructure } from './structure.ts';

export interface ExaminationOptions {
  readonly settings: Settings;
  /** Whether indexes are compared with tables, and the files of sites with the last backup, which takes longer. */
  readonly full: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Id of the user who runs the command. @default the process's */
  readonly user?: number;
}

/** Examines the data folder, the machine and the service. @returns findings in a fixed order, at least one for each check */
export async function examine({ settings, full, clock, user = process.getuid?.() ?? 0 }: ExaminationOptions): Promise<readonly Finding[]> {
  const { dataFolder } = settings;
  const denied = accessProblem(dataFolder, user);
  if (denied !== undefined) return [denied];
  if (hasNoInstallation(dataFolder))
    return [
      problem(
        'data folder',
        `${dataFolder} has no database`,
        'set PETSTORE_DATA, restore a backup with petstore restore, or start the service for the first time',
      ),
    ];
  const now = clock();
  const { findings: backup, remedy } = await examineBackup(dataFolder, now, full);
  const bytes = statSync(join(dataFolder, DATABASE_FILE), { throwIfNoEntry: false })?.size;
  if (bytes === undefined || bytes === 0)
    return [
      problem('data folder', `${dataFolder} has files of an installation, but its database is ${bytes === 0 ? 'empty' : 'missing'}`, remedy.restore),
      ...backup,
    ];
  const { findings: adapters, providers } = await examineAdapters(settings);
  const service = runningService(dataFolder);
  return [
    ok('data folder', dataFolder),
    ...examineModes(dataFolder),
    ...backup,
    ...examineRemains(dataFolder),
    ...examineDatabase(dataFolder, full, remedy),
    ...withDatabase(dataFolder, remedy, (database) => [
      ...examineStructure(database, remedy),
      ...examineRows(database, providers.accounts !== undefined, remedy),
      ...examineSites(database, dataFolder, { now, full, remedy }),
      ...examineEdge(database, remedy),
      ...examineCertificates(database, now),
      ...examineAuthorityAccount(database, settings.acme?.directory),
      ...examineAttempts(database),
      ...examineClock(database, now),
    ]),
    ...(await examineIdentityKeys(dataFolder, remedy)),
    ...(await examineDevelopmentAuthority(dataFolder, settings.acme === undefined, now, remedy)),
    ...adapters,
    ...examineNames(settings),
    ...examineSpace(dataFolder),
    ...examineDescriptors(),
    ...(service === undefined ? await examinePorts(settings) : await examineService(service)),
  ];
}
