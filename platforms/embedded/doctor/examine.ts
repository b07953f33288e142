// Examines an installation on one machine, whether or not its service is running. Nothing is changed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { runningService } from '../folder-lock.ts';
import type { Settings } from '../settings.ts';
import { examineDatabase, withDatabase } from './database.ts';
import { examineModes, examineRemains, examineSites } from './files.ts';
import { examineAdapters, type Finding, ok, problem } from './finding.ts';
import { examineAttempts, examineAuthorityAccount, examineCertificates, examineDevelopmentAuthority, examineIdentityKeys } from './keys.ts';
import { examineClock, examineDescriptors, examineNames, examinePorts, examineService, examineSpace } from './machine.ts';

export interface ExaminationOptions {
  readonly settings: Settings;
  /** Whether the database's indexes are compared with its tables too, which takes longer. */
  readonly full: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Examines the data folder, the machine and the service. @returns findings in a fixed order, at least one for each check */
export async function examine({ settings, full, clock }: ExaminationOptions): Promise<readonly Finding[]> {
  const { dataFolder } = settings;
  if (!existsSync(join(dataFolder, DATABASE_FILE)))
    return [
      problem(
        'data folder',
        `${dataFolder} has no database`,
        'set PETSTORE_DATA, restore a backup with petstore restore, or start the service for the first time',
      ),
    ];
  const now = clock();
  const service = runningService(dataFolder);
  return [
    ok('data folder', dataFolder),
    ...examineModes(dataFolder),
    ...examineRemains(dataFolder),
    ...examineDatabase(dataFolder, full),
    ...withDatabase(dataFolder, (database) => [
      ...examineSites(database, dataFolder, now),
      ...examineCertificates(database, now),
      ...examineAuthorityAccount(database, settings.acme?.directory),
      ...examineAttempts(database),
      ...examineClock(database, now),
    ]),
    ...(await examineIdentityKeys(dataFolder)),
    ...(await examineDevelopmentAuthority(dataFolder, settings.acme === undefined, now)),
    ...(await examineAdapters(settings)),
    ...examineNames(settings),
    ...examineSpace(dataFolder),
    ...examineDescriptors(),
    ...(service === undefined ? await examinePorts(settings) : await examineService(service)),
  ];
}
