// Everything of one stage: its stacks, and the tags that tell its bill apart.

import { Stage, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiStack } from './stacks/api.ts';
import { DataStack } from './stacks/data.ts';
import type { StageSettings } from './stages.ts';

export class PetstoreStage extends Stage {
  readonly data: DataStack;
  readonly api: ApiStack;

  constructor(scope: Construct, stage: StageSettings) {
    const { account, region } = stage;
    super(scope, stage.name, { ...(account !== undefined && region !== undefined && { env: { account, region } }) });
    this.data = new DataStack(this, 'Data', { stage, terminationProtection: stage.retainData });
    this.api = new ApiStack(this, 'Api', { stage, tables: this.data.tables });
    Tags.of(this).add('service', 'petstore');
    Tags.of(this).add('stage', stage.name);
  }
}
