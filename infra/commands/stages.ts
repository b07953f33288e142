// `npm run -s stages`: the stages that are deployed in the region AWS_REGION, one to a line, with their profile and table prefix.

import { parseArgs } from 'node:util';
import { deployedStages } from '../../platforms/aws/stage-stores.ts';
import { CommandFailed, runCommand } from './cdk.ts';
import { deployedRecord } from './deployed-record.ts';

const USAGE = `AWS_REGION=<region> npm run -s stages

Prints the name, the profile and the table prefix of each stage that is deployed in the region.`;

await runCommand(USAGE, readArguments, async () => {
  const region = process.env.AWS_REGION;
  if (!region) throw new CommandFailed('AWS_REGION: missing; allowed: a region, such as eu-central-1', 2);
  for (const stage of await deployedStages()) {
    const { PROFILE, TABLE_PREFIX } = (await deployedRecord(stage, region)) ?? {};
    console.log(`${stage} ${PROFILE} ${TABLE_PREFIX}`);
  }
});

/** There are none. */
function readArguments(): void {
  parseArgs({ options: {} });
}
