// Which store the command line works on: the data folder of the embedded service, or the tables of a stage on AWS.

import { openSqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { Stores } from '../core/ports.ts';
import { parseSettings } from '../local/settings.ts';
import { CliError } from './context.ts';

export const STAGES = ['staging', 'production'] as const;

export type StageName = (typeof STAGES)[number];

export interface OpenedStores extends Stores {
  close(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the store of the stage, or without one that of the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<OpenedStores> {
  if (stage === undefined) return openDataFolder(environment);
  const { openStage } = await import('./stage-stores.ts');
  return openStage(stage);
}

function openDataFolder(environment: Environment): OpenedStores {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new CliError(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { dataFolder } = parsed.settings;
  try {
    return openSqliteStores(dataFolder);
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
