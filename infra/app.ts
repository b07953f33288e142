// The CDK application: `cdk synth`, `cdk deploy 'staging/*'`. Each stage has stacks of its own and shares nothing.
// Context: `stage` names the stages that are wanted, `need-account=true` refuses a stage without account and region.

import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { PetstoreStage } from './petstore-stage.ts';
import { readStages } from './stages.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const context = (name: string) => String(app.node.tryGetContext(name) ?? '');
const wanted = context('stage') === '' ? [] : context('stage').split(',');
const read = readStages(process.env, wanted, context('need-account') === 'true');
if (read.ok) {
  for (const stage of read.stages) new PetstoreStage(app, stage);
} else {
  console.error(`configuration is wrong:\n${read.problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = 1;
}
