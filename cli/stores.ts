// Which store the command line works on: the data folder of the embedded service, or the tables of a stage on AWS.

import { createSandboxPublisher } from '../adapters/dns/sandbox-publisher.ts';
import { createSqliteEdgeMap } from '../adapters/edge/sqlite-map.ts';
import { createFolderSiteStore } from '../adapters/sites/folder.ts';
import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { NameRules } from '../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, MemberStore, ProjectStore, RecordPublisher, SiteStore, Stores } from '../core/ports.ts';
import { nameRules, parseSettings, type Settings } from '../local/settings.ts';
import { CliError } from './context.ts';

export const STAGES = ['staging', 'production'] as const;

export type StageName = (typeof STAGES)[number];

export interface OpenedStores extends Stores {
  readonly members: MemberStore;
  close(): void;
}

/** What projects and domains need beside accounts. */
export interface OpenedPlatform extends OpenedStores {
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly sites: SiteStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: RecordPublisher;
  readonly rules: NameRules;
}

/** With what only the data folder has: the sandbox. */
export interface OpenedFolder extends OpenedPlatform, Pick<SqliteStores, 'database'> {
  readonly settings: Settings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the store of the stage, or without one that of the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<OpenedStores> {
  if (stage === undefined) return openDataFolder(environment);
  const { openStage } = await import('./stage-stores.ts');
  return openStage(stage);
}

/** Opens what projects and domains need, of the stage or of the data folder. */
export async function openPlatform(environment: Environment, stage: StageName | undefined): Promise<OpenedPlatform> {
  if (stage === undefined) return openDataFolder(environment);
  const { openStagePlatform } = await import('./stage-platform.ts');
  return openStagePlatform(stage);
}

/** Opens the data folder that the environment names. */
export function openDataFolder(environment: Environment): OpenedFolder {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new CliError(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { settings } = parsed;
  const { dataFolder } = settings;
  try {
    const stores = openSqliteStores(dataFolder);
    return {
      ...stores,
      settings,
      sites: createFolderSiteStore(dataFolder),
      edge: createSqliteEdgeMap(stores.database),
      // The service finds what is due in the database.
      workflow: { start: async () => {} },
      publisher: createSandboxPublisher(stores.database, settings.dns.kind === 'sandbox' ? settings.dns.suffix : undefined),
      rules: nameRules(settings),
    };
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
