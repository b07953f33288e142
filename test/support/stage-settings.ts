// Stage settings for tests: all of them, and none.

import { STAGE_NAMES, variablesOf, withSamples } from '../../infra/stages.ts';
import type { StageName } from '../../platforms/aws/stage-name.ts';

/** Staging, production, and a stage with a name of its own. */
export const THREE_STAGES: readonly StageName[] = [...STAGE_NAMES, 'dev-1'];

type Environment = Record<string, string>;

/** Every setting of these stages, turned on. @throws Error for a setting without a sample */
export function everySetting(stages: readonly StageName[] = STAGE_NAMES): Environment {
  return settings(stages, (name, stage) => {
    const sample = withSamples(stage, {})[name];
    if (sample === undefined) throw new Error(`${name}: no sample of this setting in infra/settings.ts`);
    return sample;
  });
}

/** Every setting of these stages, set to an empty value, as an empty variable in a pipeline would leave it. */
export function emptySettings(stages: readonly StageName[] = STAGE_NAMES): Environment {
  return settings(stages, () => '');
}

function settings(stages: readonly StageName[], sampleOf: (name: string, stage: StageName) => string): Environment {
  return Object.fromEntries(stages.flatMap((stage) => variablesOf(stage).map((name) => [name, sampleOf(name, stage)])));
}
