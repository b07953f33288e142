// `npm run -s move:name -- --stage <stage> --name <name> --certificate <arn>`: moves a name from another distribution in the AWS account to its domain here.

import { parseArgs } from 'node:util';
import { moveNameToStage } from '../../platforms/aws/name-move.ts';
import { type StageName, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { runCommand } from './cdk.ts';

const USAGE = `AWS_REGION=<region> npm run -s move:name -- --stage <stage> --name <name> --certificate <arn>

  --stage <stage>      the stage with the domain, in this region
  --name <name>        the domain's name, such as www.shop.dev; another distribution in this AWS account has it
  --certificate <arn>  an ACM certificate in us-east-1 that covers the name and a second one`;

interface Arguments {
  readonly stage: StageName;
  readonly name: string;
  readonly certificate: string;
}

/** CloudFront takes certificates from this region only. */
const CERTIFICATE = /^arn:[^:]+:acm:us-east-1:\d{12}:certificate\/[^/]+$/;

await runCommand(USAGE, readArguments, ({ stage, name, certificate }) => moveNameToStage(stage, name, certificate, (line) => console.log(line)));

function readArguments(): Arguments {
  const { values } = parseArgs({ options: { stage: { type: 'string' }, name: { type: 'string' }, certificate: { type: 'string' } } });
  const { stage, name, certificate } = values;
  if (stage === undefined) throw new Error('--stage: missing');
  const problem = stageNameProblem(stage);
  if (problem !== undefined) throw new Error(`--stage: got ${JSON.stringify(stage)}; allowed: ${problem}`);
  if (name === undefined) throw new Error('--name: missing');
  if (certificate === undefined || !CERTIFICATE.test(certificate))
    throw new Error(`--certificate: got ${JSON.stringify(certificate)}; allowed: the ARN of a certificate in us-east-1`);
  return { stage, name: name.toLowerCase(), certificate };
}
