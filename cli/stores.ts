// Which store the command line works on: the data folder of the embedded service, or the tables of a stage on AWS.

import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { Stores } from '../core/ports.ts';
import { parseSettings, type Settings } from '../local/settings.ts';
import { CliError } from './context.ts';

export const STAGES = ['staging', 'production'] as const;

export type StageName = (typeof STAGES)[number];

export interface OpenedStores extends Stores {
  close(): void;
}

/** What only the data folder has so far: projects, domains and the sandbox. */
export interface OpenedFolder extends SqliteStores {
  readonly settings: Settings;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the store of the stage, or without one that of the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<OpenedStores> {
  if (stage === undefined) return openDataFolder(environment);
  const { openStage } = await import('./stage-stores.ts');
  return openStage(stage);
}

/** Opens the data folder that the environment names. */
export function openDataFolder(environment: Environment): OpenedFolder {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new CliError(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { dataFolder } = parsed.settings;
  try {
    return { ...openSqliteStores(dataFolder), settings: parsed.settings };
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
