// `npm run lint:templates`: cfn-lint checks the templates against AWS's resource schemas and rules, with the options in cfnlintrc.yaml. Three stages
// with every setting on and with every setting empty, the stage with the longest name, and apps of others with our constructs.

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_STAGE_NAME, type StageName } from '../../../platforms/aws/stage-name.ts';
import { makeFolder } from '../../../test/support/folders.ts';
import { preparePython } from '../../../test/support/python.ts';
import { emptySettings, everySetting, THREE_STAGES } from '../../../test/support/stage-settings.ts';
import { makeEveryConstruct } from '../support/every-construct.ts';
import { synthesizeOwnCdkApp } from '../support/own-cdk-app.ts';
import { makeApp, makeStages } from '../support/synthesis.ts';

const LONGEST_STAGE = 'x'.repeat(MAX_STAGE_NAME);

const VARIANTS: readonly { readonly name: string; readonly stages: readonly StageName[]; readonly settings: Readonly<Record<string, string>> }[] = [
  { name: 'every-setting-on', stages: THREE_STAGES, settings: everySetting(THREE_STAGES) },
  { name: 'every-setting-empty', stages: THREE_STAGES, settings: emptySettings(THREE_STAGES) },
  { name: 'longest-name', stages: [LONGEST_STAGE], settings: everySetting([LONGEST_STAGE]) },
];

const programs = preparePython({
  folder: join(import.meta.dirname, '../../../.cfn-lint'),
  requirements: join(import.meta.dirname, 'requirements.txt'),
  command: 'npm run lint:templates',
});
// The CDK's own rules check less.
process.env.CDK_VALIDATION = 'false';
const folder = makeFolder();
try {
  for (const { name, stages, settings } of VARIANTS) {
    const app = makeApp(join(folder.path, name));
    makeStages(app, settings, stages);
    app.synth();
  }
  const constructs = makeApp(join(folder.path, 'every-construct'));
  makeEveryConstruct(constructs);
  constructs.synth();
  synthesizeOwnCdkApp(join(folder.path, 'own-cdk-app'));
  const templates = globSync('{*,*/assembly-*}/*.template.json', { cwd: folder.path });
  const options = ['--config-file', join(import.meta.dirname, 'cfnlintrc.yaml'), '--format', 'pretty'];
  const { status } = spawnSync(join(programs, 'cfn-lint'), [...options, '--', ...templates], { cwd: folder.path, stdio: 'inherit' });
  console.log(
    `${templates.length} templates of ${VARIANTS.length} sets of stages and 2 other apps: ${status === 0 ? 'no findings' : 'findings, or cfn-lint failed'}`,
  );
  process.exitCode = status === 0 && templates.length > 0 ? 0 : 1;
} finally {
  folder.remove();
}
