// Opens the platform that a command works on: the embedded service's data folder, or a stage on AWS.

import type { KeyMode } from '../core/access/api-key.ts';
import type { StageName } from './aws/stage-name.ts';
import { type DataFolder, openDataFolder } from './embedded/folder.ts';
import { parseSettings } from './embedded/settings.ts';
import { type Platform, PlatformError, type StorePlatform } from './platform.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What commands that need no edge work on. */
export interface CommandStores extends StorePlatform, Partial<Pick<DataFolder, 'users'>> {
  /** The mode of new keys: that of the stage's profile; `test` on one machine. */
  readonly keyMode: KeyMode;
}

/** Opens a stage's stores or, without a stage, those in the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<CommandStores> {
  if (stage === undefined) return { ...openFolder(environment), keyMode: 'test' };
  // Loaded only for a stage: the SDK takes as long to load as everything else together.
  const { openStage } = await import('./aws/stage-stores.ts');
  return openStage(stage);
}

/** Opens everything that projects and domains need, in a stage or the data folder. */
export async function openPlatform(environment: Environment, stage: StageName | undefined): Promise<Platform> {
  if (stage === undefined) return openFolder(environment);
  const { openStagePlatform } = await import('./aws/stage-platform.ts');
  return openStagePlatform(stage);
}

/** Opens the data folder that the environment names. */
export function openFolder(environment: Environment): DataFolder {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new PlatformError(`invalid settings:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  return openDataFolder(parsed.settings);
}
