// Which store the command line works on: the data folder of the embedded service, or the tables of a stage on AWS.

import { createSqliteUserStore } from '../adapters/identity/sqlite-users.ts';
import { createEmbeddedPlatform } from '../adapters/platform/embedded.ts';
import type { Platform } from '../adapters/platform/platform.ts';
import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { DomainStore, MemberStore, ProjectStore, Stores } from '../core/ports.ts';
import { nameRules, parseSettings, type Settings, sandboxSuffix } from '../local/settings.ts';
import { CliError } from './context.ts';

export const STAGES = ['staging', 'production'] as const;

export type StageName = (typeof STAGES)[number];

export interface OpenedStores extends Stores {
  readonly members: MemberStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  /** Where users are kept here: the id of the one with this id or e-mail address. */
  readonly findUser?: (idOrEmail: string) => string | undefined;
  close(): void;
}

/** What projects and domains need beside accounts. */
export interface OpenedPlatform extends Platform {
  close(): void;
}

/** With what only the data folder has: the sandbox. */
export interface OpenedFolder extends OpenedPlatform, Pick<SqliteStores, 'database'> {
  readonly settings: Settings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the store of the stage, or without one that of the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<OpenedStores> {
  if (stage === undefined) {
    const folder = openDataFolder(environment);
    const users = createSqliteUserStore(folder.database);
    return { ...folder, findUser: (idOrEmail) => (users.get(idOrEmail) ?? users.byEmail(idOrEmail.toLowerCase()))?.id };
  }
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
    const stores = { ...openSqliteStores(dataFolder), settings };
    return createEmbeddedPlatform({ stores, dataFolder, sandboxSuffix: sandboxSuffix(settings), rules: nameRules(settings) });
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
