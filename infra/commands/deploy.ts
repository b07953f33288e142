// `npm run deploy -- --stage <stage>`: synthesizes a stage, compares its settings with those deployed, checks what it needs, and deploys it.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { globalNameOf, type StageName, settingsPrefix } from '../../platforms/aws/stage-name.ts';
import { compareSettings } from '../recorded-settings.ts';
import { readStages } from '../stages.ts';
import { deployedRecord, synthesizedRecord } from './assembly.ts';
import { CommandFailed, cdk, cdkSynth, petstore, ROOT, runCommand } from './cdk.ts';
import { missingFor } from './readiness.ts';

const USAGE = `npm run deploy -- --stage <stage> [--unset <SETTING>]… [--assembly <folder>]

  --stage <stage>      which stage; its settings are in the environment (docs/reference/stage-settings.md)
  --unset <SETTING>    remove this setting, such as ALARM_EMAIL, from the deployed stage
  --assembly <folder>  deploy what \`npm run cdk -- synth --output <folder>\` has written, instead of synthesizing`;

await runCommand(USAGE, readArguments, async ({ stage, unset, assembly: given }) => {
  const REGION = given === undefined ? regionInEnvironment(stage) : regionOf(given, stage);
  process.env.AWS_REGION = REGION;
  // Called before the synthesis, so that missing credentials are reported before that long step.
  const deployed = await deployedRecord(stage, REGION);
  if (deployed === undefined) {
    if (unset !== undefined)
      throw new CommandFailed(`--unset: got ${JSON.stringify(unset[0])}; allowed: only for a stage that is deployed in ${REGION}`, 2);
    console.error(`${stage}: the first deployment in ${REGION}`);
  }
  const assembly = given ?? (await synthesize(stage));
  const next = synthesizedRecord(assembly, stage);
  const { problems: refused, changes } = deployed === undefined ? { problems: [], changes: [] } : compareSettings(stage, deployed, next, unset);
  for (const change of changes) console.error(`${stage}: ${change}`);
  const problems = [...refused, ...(await missingFor({ stage, assembly, region: REGION, deployed, next }))];
  if (problems.length > 0) throw new CommandFailed(`${stage} is not deployed:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, 2);
  const outputs = `outputs-${globalNameOf(stage, REGION, next.HOME)}.json`;
  await cdk(['deploy', `${stage}/*`, '--app', assembly, '--require-approval', 'never', '--outputs-file', outputs]);
  await petstore(['--stage', stage, 'dashboard', 'publish', '--if-any']);
  if (given === undefined) rmSync(assembly, { recursive: true });
});

function readArguments() {
  const options = { stage: { type: 'string' }, unset: { type: 'string', multiple: true }, assembly: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  if (values.stage === undefined) throw new Error('--stage: missing');
  return { ...values, stage: values.stage };
}

/** @throws CommandFailed if a setting is invalid. The application also checks the settings, but exits with its own codes */
function regionInEnvironment(stage: StageName): string {
  const read = readStages(process.env, [stage], { needAccount: true });
  const problems = read.ok ? [] : read.problems;
  const region = read.ok ? read.stages[0]?.record.REGION : undefined;
  if (region === undefined) throw new CommandFailed(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, 2);
  return region;
}

function regionOf(assembly: string, stage: StageName): string {
  const { REGION } = synthesizedRecord(assembly, stage);
  if (REGION !== undefined) return REGION;
  const prefix = settingsPrefix(stage);
  throw new CommandFailed(`--assembly: got templates without a region; set ${prefix}ACCOUNT and ${prefix}REGION for the synthesis`, 2);
}

/** @returns the folder with the templates */
async function synthesize(stage: StageName): Promise<string> {
  const folder = join(ROOT, 'cdk.out', `deploy-${stage}`);
  await cdkSynth([`${stage}/*`, '--quiet', '--output', folder, '--context', `stage=${stage}`, '--context', 'need-account=true']);
  return folder;
}
