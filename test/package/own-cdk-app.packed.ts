// CDK apps of others, with the packed constructs and the functions that they bring: examples/own-cdk-app, and whole platforms, which are deployed.

import { copyFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preparePython } from '../support/python.ts';
import { ACCOUNT, type EmulatedAws, REGION, startEmulatedAws } from './emulated-aws.ts';
import { type InstalledExample, installExample } from './example.ts';
import { run, tryRun, userEnvironment } from './run.ts';
import { examplesOf } from './walkthrough.ts';

const TSC = join(import.meta.dirname, 'node_modules/.bin/tsc');

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>>;
}

let example: InstalledExample;
let template: Template;

beforeAll(async () => {
  example = await installExample('own-cdk-app');
  copyFileSync(join(import.meta.dirname, 'platform-app.ts'), join(example.folder, 'platform-app.ts'));
  await run('npm', ['run', 'synth'], example.folder);
  const [file = ''] = globSync('cdk.out/*.template.json', { cwd: example.folder });
  template = JSON.parse(readFileSync(join(example.folder, file), 'utf8')) as Template;
});
afterAll(() => example?.remove());

const ofType = (type: string) => Object.values(template.Resources).filter((resource) => resource.Type === type);

test('has at most 40 lines', () => {
  expect(readFileSync(join(example.folder, 'app.ts'), 'utf8').split('\n').length).toBeLessThanOrEqual(40);
});

test('synthesizes an API with keys in front of its own function, and custom domains', () => {
  expect(ofType('AWS::ApiGatewayV2::Api')).toHaveLength(1);
  expect(ofType('AWS::DynamoDB::GlobalTable').length + ofType('AWS::DynamoDB::Table').length).toBe(3);
  expect(ofType('AWS::StepFunctions::StateMachine')).toHaveLength(1);
  const environments = ofType('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties?.Environment ?? {}));
  expect(environments.filter((text) => text.includes('TARGET_FUNCTION'))).toHaveLength(1);
});

test("deploys the package's own bundles, which nothing has to be installed for", () => {
  const bundles = globSync('cdk.out/asset.*/index.mjs', { cwd: example.folder }).map((file) => readFileSync(join(example.folder, file), 'utf8'));
  const packaged = globSync('node_modules/petstore-platform/dist/functions/bundles/*/index.mjs', { cwd: example.folder }).map((file) =>
    readFileSync(join(example.folder, file), 'utf8'),
  );
  expect(bundles.filter((code) => packaged.includes(code)).length).toBeGreaterThanOrEqual(4);
  expect(existsSync(join(example.folder, 'node_modules/@aws-sdk/client-dynamodb'))).toBe(false);
});

test('every function can be loaded', async () => {
  for (const file of globSync('node_modules/petstore-platform/dist/functions/bundles/*/index.mjs', { cwd: example.folder })) {
    // Without its settings, a function refuses to start with a sentence that names them; anything else is a fault of the bundle.
    const script = `import(${JSON.stringify(join(example.folder, file))}).then((it) => console.log(typeof it.handler), (error) => console.log(error.message))`;
    expect(await run('node', ['-e', script], example.folder), file).toMatch(/^function$|_TABLE|SERVICE_NAME|setting|missing/m);
  }
});

test('types: the apps, and the example of docs/package.md', async () => {
  const [documented = ''] = examplesOf(join(import.meta.dirname, '../../docs/package.md')).filter((code) => code.includes('aws-cdk-lib'));
  writeFileSync(join(example.folder, 'documented.ts'), documented);
  // Without skipLibCheck, which only checks less.
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const { code, stdout } = await tryRun(TSC, [...options, 'app.ts', 'platform-app.ts', 'documented.ts'], example.folder);
  expect([code, stdout]).toEqual([0, '']);
});

test('synthesizes the example of docs/package.md', async () => {
  await run('npx', ['cdk', 'synth', '--quiet', '--app', 'node documented.ts', '--output', 'documented.out'], example.folder);
  const stacks = globSync('documented.out/**/*.template.json', { cwd: example.folder });
  expect(stacks.length).toBeGreaterThanOrEqual(4);
});

describe('platforms in apps without our feature flags', () => {
  const VARIANTS = { plain: ['plain/*'], bounded: ['bounded/*'], delivery: ['Delivery/delivery/*', 'Shared'] };
  const CFN_LINT = join(import.meta.dirname, '../../infra/test/cfn-lint');
  // Without the CDK's own rules, since cfn-lint checks more.
  const settings = { CDK_DISABLE_CLI_TELEMETRY: 'true', CDK_VALIDATION: 'false' };
  const cdk = (args: readonly string[], more: Readonly<Record<string, string>>) =>
    run('npx', ['cdk', ...args], example.folder, userEnvironment({ ...settings, ...more }));
  let aws: EmulatedAws;
  let templates: readonly string[] = [];

  beforeAll(async () => {
    const synthesize = (VARIANT: string) => cdk(['synth', '--quiet', '--app', 'node platform-app.ts', '--output', `${VARIANT}.out`], { VARIANT });
    await Promise.all(Object.keys(VARIANTS).map(synthesize));
    templates = Object.keys(VARIANTS).flatMap((variant) => globSync(`${variant}.out/**/*.template.json`, { cwd: example.folder }));
    aws = await startEmulatedAws();
    const bootstrap = ['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', 'plain.out'];
    await cdk(bootstrap, aws.environment);
    await cdk([...bootstrap, '--qualifier', 'acme', '--toolkit-stack-name', 'Acme'], aws.environment);
  });
  afterAll(() => aws?.stop());

  test('import nothing from each other', () => {
    expect(templates.length).toBeGreaterThan(30);
    expect(templates.filter((file) => /Fn::ImportValue|"Custom::/.test(readFileSync(join(example.folder, file), 'utf8')))).toEqual([]);
  });

  test('have no findings of cfn-lint', async () => {
    const python = {
      folder: join(CFN_LINT, '../../../.cfn-lint'),
      requirements: join(CFN_LINT, 'requirements.txt'),
      command: 'npm run test:package',
    };
    await run(join(preparePython(python), 'cfn-lint'), ['--config-file', join(CFN_LINT, 'cfnlintrc.yaml'), '--', ...templates], example.folder);
  });

  test.each(Object.entries(VARIANTS))('%s is deployed, and AWS would refuse nothing', async (variant, stacks) => {
    await cdk(['deploy', ...stacks, '--app', `${variant}.out`, '--require-approval', 'never'], aws.environment);
    expect(aws.problems()).toEqual([]);
  });
});
