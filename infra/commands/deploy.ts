// `npm run deploy -- --stage <stage>`: synthesizes a stage, compares its settings with the deployed ones, deploys it and uploads the dashboard.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { globalNameOf, type StageName, settingsPrefix } from '../../platforms/aws/stage-name.ts';
import { compareSettings } from '../recorded-settings.ts';
import { settingsIn } from '../settings.ts';
import { readStages } from '../stages.ts';
import { CommandFailed, cdk, petstore, ROOT, runCommand } from './cdk.ts';
import { deployedRecord, synthesizedRecord } from './deployed-record.ts';

const USAGE = `npm run deploy -- --stage <stage> [--unset <SETTING>]… [--assembly <folder>]

  --stage <stage>      which stage; its settings are in the environment (docs/operations.md)
  --unset <SETTING>    remove this setting, such as ALARM_EMAIL, from the deployed stage
  --assembly <folder>  deploy what \`npm run cdk -- synth --output <folder>\` has written, instead of synthesizing`;

await runCommand(async () => {
  const { stage, unset, assembly: given } = readArguments();
  const assembly = given ?? (await synthesize(stage));
  const next = synthesizedRecord(assembly, stage);
  const { REGION } = next;
  if (REGION === undefined)
    throw new CommandFailed(
      `--assembly: got templates without a region; set ${settingsPrefix(stage)}ACCOUNT and ${settingsPrefix(stage)}REGION for the synthesis`,
      2,
    );
  process.env.AWS_REGION = REGION;
  const deployed = await deployedRecord(stage, REGION);
  if (deployed === undefined) console.error(`${stage}: the first deployment in ${REGION}`);
  else {
    const { problems, changes } = compareSettings(stage, deployed, next, unset);
    for (const change of changes) console.error(`${stage}: ${change}`);
    if (problems.length > 0) throw new CommandFailed(`${stage} is not deployed:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, 2);
  }
  const outputs = `outputs-${globalNameOf(stage, REGION, next.HOME)}.json`;
  await cdk(['deploy', `${stage}/*`, '--app', assembly, '--require-approval', 'never', '--outputs-file', outputs]);
  await petstore(['--stage', stage, 'dashboard', 'publish', '--if-any']);
  if (given === undefined) rmSync(assembly, { recursive: true });
});

function readArguments() {
  try {
    const options = { stage: { type: 'string' }, unset: { type: 'string', multiple: true }, assembly: { type: 'string' } } as const;
    const { values } = parseArgs({ options });
    if (values.stage === undefined) throw new Error('--stage: missing');
    return { ...values, stage: values.stage };
  } catch (error) {
    throw new CommandFailed(`${(error as Error).message}\n\n${USAGE}`, 2);
  }
}

/** @returns the folder with the templates */
async function synthesize(stage: StageName): Promise<string> {
  // The application checks the settings too; here, they are reported without its stack trace.
  const read = readStages(settingsIn(process.env), [stage], { needAccount: true });
  if (!read.ok) throw new CommandFailed(`invalid configuration:\n${read.problems.map((problem) => `  ${problem}`).join('\n')}`, 2);
  const folder = join(ROOT, 'cdk.out', `deploy-${stage}`);
  await cdk(['synth', `${stage}/*`, '--quiet', '--output', folder, '--context', `stage=${stage}`, '--context', 'need-account=true']);
  return folder;
}
