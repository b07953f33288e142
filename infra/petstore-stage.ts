// Everything of one stage: its stacks, and the tags that tell its bill apart.

import { Stage, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ApiStack } from './stacks/api.ts';
import { DataStack } from './stacks/data.ts';
import { ObservabilityStack } from './stacks/observability.ts';
import { PipelineStack } from './stacks/pipeline.ts';
import type { StageSettings } from './stages.ts';

export class PetstoreStage extends Stage {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly observability: ObservabilityStack;
  /** @default none, if no repository deploys the stage */
  readonly pipeline: PipelineStack | undefined;

  constructor(scope: Construct, stage: StageSettings) {
    const { account, region } = stage;
    super(scope, stage.name, { ...(account !== undefined && region !== undefined && { env: { account, region } }) });
    this.data = new DataStack(this, 'Data', { stage, terminationProtection: stage.retainData });
    this.api = new ApiStack(this, 'Api', { stage, tables: this.data.tables });
    const { api, apiFunction, accessLogs } = this.api;
    this.observability = new ObservabilityStack(this, 'Observability', { stage, tables: this.data.tables, api, apiFunction, accessLogs });
    const { repository } = stage;
    this.pipeline = repository === undefined ? undefined : new PipelineStack(this, 'Pipeline', { stage, tables: this.data.tables, repository });
    Tags.of(this).add('service', 'petstore');
    Tags.of(this).add('stage', stage.name);
  }
}
