// Opens a command's platform: the embedded service's data folder, or a stage on AWS.

import type { Actor } from '../core/audit/entry.ts';
import type { StageName } from './aws/stage-name.ts';
import { areStopped, stopText } from './embedded/changes.ts';
import { type DataFolder, openConfigured } from './embedded/folder.ts';
import { isServed } from './embedded/folder-lock.ts';
import { parseSettings, type Settings } from './embedded/settings.ts';
import { type CommandStores, loadOptional, type Platform, PlatformError, STAGE_PACKAGES } from './platform.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a stage's stores or, without a stage, those in the environment's data folder. @param actor who makes the changes, for the audit log */
export async function openStores(environment: Environment, stage: StageName | undefined, actor: () => Actor): Promise<CommandStores> {
  if (stage === undefined) return { ...(await openFolder(environment, actor)), keyMode: 'test' };
  const { openStage } = await onStage(() => import('./aws/stage-stores.ts'));
  return openStage(stage, actor);
}

/** Opens everything that projects and domains need, in a stage or the data folder. @param actor who makes the changes, for the audit log */
export async function openPlatform(environment: Environment, stage: StageName | undefined, actor: () => Actor): Promise<Platform> {
  if (stage === undefined) return openFolder(environment, actor);
  const { openStagePlatform } = await onStage(() => import('./aws/stage-platform.ts'));
  return openStagePlatform(stage, actor);
}

/** Opens the data folder that the environment names, with its adapters. @throws PlatformError if there is no installation in it */
export function openFolder(environment: Environment, actor: () => Actor): Promise<DataFolder> {
  return openConfigured(readSettings(environment), Date.now, actor);
}

/** Returns the settings of the service on this machine. @throws PlatformError that names every invalid setting */
export function readSettings(environment: Environment): Settings {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new PlatformError(`invalid settings:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  return parsed.settings;
}

/** Whether the service of the data folder is running. */
export function isServiceRunning(environment: Environment): boolean {
  return isServed(readSettings(environment).dataFolder);
}

/** Returns why the data folder accepts no changes; undefined if it accepts them. */
export function stopOfChanges(environment: Environment): string | undefined {
  const { dataFolder } = readSettings(environment);
  return areStopped(dataFolder) ? stopText(dataFolder) : undefined;
}

/** Loads code that works on a stage only when needed: AWS's SDK is optional and loads slowly. @throws PlatformError if it is not installed */
export function onStage<T>(load: () => Promise<T>): Promise<T> {
  return loadOptional(
    load,
    (missing) => new PlatformError(`--stage needs the package ${missing}, which is not installed; run: npm install ${STAGE_PACKAGES.join(' ')}`),
  );
}
