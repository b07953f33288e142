// The parts of the metrics about the data folder.

import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { PLATFORM } from '../../../adapters/edge/own-addresses.ts';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import type { CertificateVault } from '../../../core/domains/certificate-ports.ts';
import type { OwnAddressStore } from '../../../core/domains/served.ts';
import { DOMAIN_STATE_NAMES } from '../../../core/domains/states.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import type { InstallationState } from '../../../core/ports.ts';
import { readLastBackup } from '../backup/check-backup.ts';
import { FAMILIES, type Part } from './families.ts';

const SECOND_MS = 1_000;

/** Creates the part with file sizes and disk space. */
export function filesPart(dataFolder: string): Part {
  const file = join(dataFolder, DATABASE_FILE);
  return {
    name: 'files',
    families: [FAMILIES.databaseBytes, FAMILIES.walBytes, FAMILIES.freeBytes, FAMILIES.diskBytes],
    collect: async (registry) => {
      const [{ size }, wal, { bavail, blocks, bsize }] = await Promise.all([stat(file), sizeOf(`${file}-wal`), statfs(dataFolder)]);
      registry.cell(FAMILIES.databaseBytes).value = size;
      registry.cell(FAMILIES.walBytes).value = wal;
      registry.cell(FAMILIES.freeBytes).value = bavail * bsize;
      registry.cell(FAMILIES.diskBytes).value = blocks * bsize;
    },
  };
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(unlessMissing))?.size ?? 0;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Creates the part with the time of the last backup. */
export function backupPart(dataFolder: string): Part {
  return {
    name: 'backup',
    families: [FAMILIES.lastBackup],
    collect: (registry) => {
      const createdAt = readLastBackup(dataFolder)?.createdAt;
      if (createdAt !== undefined) registry.cell(FAMILIES.lastBackup).value = createdAt / SECOND_MS;
    },
  };
}

/** The label's values, each with the upper bound on the number of days until the certificate expires. */
const DAYS_LEFT = [
  ['expired', 0],
  ['under_3', 3],
  ['under_7', 7],
  ['under_14', 14],
  ['under_30', 30],
  ['30_or_more', Number.POSITIVE_INFINITY],
] as const;

/** Creates the part about domains and certificates. @param ownExpiry when the installation's own certificate expires, in milliseconds since 1970 */
export function domainsPart(state: Pick<InstallationState, 'domainCounts'>, ownExpiry: () => Promise<number | undefined>, clock: () => number): Part {
  return {
    name: 'domains',
    families: [FAMILIES.domains, FAMILIES.certificates, FAMILIES.firstExpiry],
    collect: async (registry) => {
      const [{ byState, byExpiry }, own] = await Promise.all([state.domainCounts(), ownExpiry()]);
      for (const state of DOMAIN_STATE_NAMES) registry.cell(FAMILIES.domains, state).value = byState.get(state) ?? 0;
      for (const [label] of DAYS_LEFT) registry.cell(FAMILIES.certificates, label);
      for (const { at, domains } of byExpiry) {
        const days = (at - clock()) / DAY_MS;
        const [label = 'expired'] = DAYS_LEFT.find(([, below]) => days < below) ?? [];
        registry.cell(FAMILIES.certificates, label).value += domains;
      }
      const first = [byExpiry[0]?.at, own].filter((at) => at !== undefined);
      if (first.length > 0) registry.cell(FAMILIES.firstExpiry).value = Math.min(...first) / SECOND_MS;
    },
  };
}

/** Returns the time (milliseconds since 1970) at which the certificate of the installation's own name expires; undefined if it has none. */
export async function ownExpiry(
  {
    ownAddresses,
    certificates,
  }: { readonly ownAddresses: Pick<OwnAddressStore, 'certificateOf'>; readonly certificates: Pick<CertificateVault, 'get'> },
  host: string | undefined,
): Promise<number | undefined> {
  const reference = await ownAddresses.certificateOf(PLATFORM);
  const certificate = reference === undefined ? undefined : await certificates.get(reference);
  return certificate?.host === host ? certificate?.notAfter : undefined;
}

/** Creates the part with the requests that wait for the operator. */
export function planRequestsPart(state: Pick<InstallationState, 'openPlanRequests'>): Part {
  return {
    name: 'plan_requests',
    families: [FAMILIES.planRequests],
    collect: async (registry) => {
      registry.cell(FAMILIES.planRequests).value = await state.openPlanRequests();
    },
  };
}

/** Creates the part with the number of due items and how late they are. @param clock milliseconds since 1970 */
export function queuesPart(state: Pick<InstallationState, 'dueItems'>, clock: () => number): Part {
  return {
    name: 'queues',
    families: [FAMILIES.queued, FAMILIES.lateness],
    collect: async (registry) => {
      const now = clock();
      for (const [queue, { count, since = now }] of Object.entries(await state.dueItems(now))) {
        registry.cell(FAMILIES.queued, queue).value = count;
        registry.cell(FAMILIES.lateness, queue).value = (now - since) / SECOND_MS;
      }
    },
  };
}
