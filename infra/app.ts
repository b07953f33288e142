// The CDK application: `cdk synth`, `cdk deploy 'staging/*'`. Context: `stage` selects stages, such as `staging,dev-1`; `need-account=true` refuses a
// stage without an account and a region; `sample-settings=true` gives unset settings sample values.

import { CDK_APP_MODE_CONTEXT } from 'aws-cdk-lib/cx-api';
import { createCheckedApp } from './checked-app.ts';
import { PetstorePlatform } from './petstore-platform.ts';
import { readStages } from './stages.ts';

// Runs in a separate process, so that findings are printed and determine its exit code.
const app = createCheckedApp({ postCliContext: { [CDK_APP_MODE_CONTEXT]: 'process' } });
const context = (name: string) => String(app.node.tryGetContext(name) ?? '');
const wanted = context('stage') === '' ? [] : context('stage').split(',');
const sampleSettings = context('sample-settings') === 'true';
const read = readStages(process.env, wanted, { needAccount: context('need-account') === 'true', sampleSettings });
if (read.ok) {
  for (const stage of read.stages) new PetstorePlatform(app, stage.name, stage);
  if (sampleSettings) console.error('Settings that are not set have sample values (infra/settings.ts): these templates are not for a deployment.');
} else {
  console.error(`invalid configuration:\n${read.problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = 1;
}
