// The settings with which a stage was last deployed are recorded in the stage. A deployment with different settings could remove resources that a missing
// setting had added, or replace resources that must be kept, so it is refused before anything changes.

import { type StageName, settingsPrefix } from '../platforms/aws/stage-name.ts';
import { FIXED, isProfileName } from './settings.ts';

/** A stage's settings that are in effect, without the stage's prefix: `{ TABLE_PREFIX: 'petstore-staging', ALARM_EMAIL: … }`. */
export type SettingsRecord = Readonly<Record<string, string>>;

/** The settings that locate a stage, and so decide which record is compared. */
const PLACE = ['ACCOUNT', 'REGION'];
/** Settings that have a value even if they are not set. */
const WITH_DEFAULT = ['HOME', 'PROFILE', 'TABLE_PREFIX'];

/** Returns the environment variables that give a stage these settings. */
export function environmentOf(stage: StageName, record: SettingsRecord): Readonly<Record<string, string>> {
  const settings = Object.entries(record).filter(([name]) => name !== 'PROFILE' || !isProfileName(stage));
  return Object.fromEntries(settings.map(([name, value]) => [`${settingsPrefix(stage)}${name}`, value]));
}

export interface SettingsComparison {
  /** One line for each difference that is not allowed; empty if the deployment may begin. */
  readonly problems: readonly string[];
  /** One line for each other difference. */
  readonly changes: readonly string[];
}

/**
 * Compares a deployment's settings with those of the deployed stage. New settings and new values are changes; a missing setting is a problem unless
 * `unset` has its name, without the stage's prefix.
 */
export function compareSettings(stage: StageName, deployed: SettingsRecord, next: SettingsRecord, unset: readonly string[] = []): SettingsComparison {
  const problems: string[] = [];
  const changes: string[] = [];
  const prefix = settingsPrefix(stage);
  for (const name of unset) {
    const refused = `--unset: got ${JSON.stringify(name)}`;
    if (PLACE.includes(name) || WITH_DEFAULT.includes(name)) problems.push(`${refused}; allowed: ${removable(deployed)}; ${name} always has a value`);
    else if (deployed[name] === undefined) problems.push(`${refused}; allowed: ${removable(deployed)}`);
    else if (name in FIXED) problems.push(`${refused}; allowed: ${removable(deployed)}; ${name} can't be removed`);
    else if (next[name] !== undefined) problems.push(`${refused}, but ${prefix}${name} is set; allowed: one or the other`);
  }
  for (const name of new Set([...Object.keys(deployed), ...Object.keys(next)])) {
    const [before, after] = [deployed[name], next[name]];
    if (before === after || PLACE.includes(name)) continue;
    const fixed = name === 'PROFILE' && before === 'production' ? 'its data would no longer be protected' : FIXED[name];
    if (before !== undefined && fixed !== undefined) {
      problems.push(`${prefix}${name}: got ${JSON.stringify(after ?? '')}; allowed: ${JSON.stringify(before)}, as deployed, because ${fixed}`);
    } else if (before !== undefined && after === undefined && !unset.includes(name)) {
      problems.push(`${prefix}${name}: missing; the deployed stage has ${JSON.stringify(before)}; set it, or remove it with --unset ${name}`);
    } else changes.push(`${prefix}${name}: ${before ?? 'not set'} → ${after ?? 'not set'}`);
  }
  return { problems, changes };
}

/** Returns the settings that `--unset` may name. */
function removable(deployed: SettingsRecord): string {
  const names = Object.keys(deployed).filter((name) => !PLACE.includes(name) && !WITH_DEFAULT.includes(name) && !(name in FIXED));
  return names.length > 0 ? names.join(', ') : 'none, because the deployed stage has no setting that can be removed';
}
