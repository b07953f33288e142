// What the metrics of a service with a data folder consist of.

import type { Readiness } from '../../core/health.ts';
import type { DataFolder } from '../../platforms/embedded/folder.ts';
import type { Part } from '../../platforms/embedded/metrics/collection.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';
import { backupPart, domainsPart, filesPart, planRequestsPart, queuesPart } from '../../platforms/embedded/metrics/storage.ts';
import { platformHost } from '../../platforms/embedded/settings.ts';

const STATES = ['ok', 'warning', 'failed'] as const;

/** Whether the service is ready, as `/readyz` says it. */
export function readinessPart(readiness: () => Promise<Readiness>): Part {
  return {
    name: 'readiness',
    families: [FAMILIES.ready, FAMILIES.checks],
    collect: async (registry) => {
      const { isReady, checks } = await readiness();
      registry.cell(FAMILIES.ready).value = isReady ? 1 : 0;
      for (const { name, state } of checks) for (const each of STATES) registry.cell(FAMILIES.checks, name, each).value = each === state ? 1 : 0;
    },
  };
}

/** What a data folder says of its files. */
export function folderParts({ settings: { dataFolder } }: Pick<DataFolder, 'settings'>): readonly Part[] {
  return [filesPart(dataFolder), backupPart(dataFolder)];
}

/** What it says of domains and of work that is due, which one host of several does. @param clock milliseconds since 1970 */
export function workParts({ database, settings }: Pick<DataFolder, 'database' | 'settings'>, clock: () => number): readonly Part[] {
  return [domainsPart(database, platformHost(settings), clock), queuesPart(database, clock), planRequestsPart(database)];
}
