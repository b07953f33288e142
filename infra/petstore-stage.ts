// A stage of this project: the platform with the stage's settings.

import type { Construct } from 'constructs';
import { PetstorePlatform } from './petstore-platform.ts';
import { propsOfSettings } from './platform-props.ts';
import type { StageSettings } from './stages.ts';

/** Creates the stacks that the stage's settings require. */
export class PetstoreStage extends PetstorePlatform {
  constructor(scope: Construct, stage: StageSettings) {
    super(scope, stage.name, { ...propsOfSettings(stage), homeRegion: stage.record.HOME });
  }
}
