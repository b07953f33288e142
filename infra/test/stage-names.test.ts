// The names of a stage's resources: within AWS's limits for the longest stage, and different for any two stages in one account.

import { afterAll, describe, expect, test } from 'vitest';
import { defaultTablePrefix, MAX_BUCKET_NAME, MAX_STAGE_NAME, sitesBucketOf, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { makeFolder, testFolder } from '../../test/support/folders.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import { deployedStage, REGION } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

// biome-ignore lint/suspicious/noExplicitAny: properties of any resource
type Properties = any;

/** For each resource type that we name, the name and its maximum length in characters, from the service's API reference. */
const NAMED: Readonly<Record<string, readonly [name: (properties: Properties) => string, max: number]>> = {
  'AWS::Budgets::Budget': [({ Budget }) => Budget.BudgetName, 100],
  'AWS::CloudFront::DistributionTenant': [({ Name }) => Name, 128],
  'AWS::CloudFront::ConnectionGroup': [({ Name }) => Name, 64],
  'AWS::CloudFront::Function': [({ Name }) => Name, 64],
  'AWS::CloudFront::KeyValueStore': [({ Name }) => Name, 64],
  'AWS::CloudFront::OriginAccessControl': [({ OriginAccessControlConfig }) => OriginAccessControlConfig.Name, 64],
  'AWS::CloudFront::ResponseHeadersPolicy': [({ ResponseHeadersPolicyConfig }) => ResponseHeadersPolicyConfig.Name, 128],
  'AWS::CloudWatch::Alarm': [({ AlarmName }) => AlarmName, 255],
  'AWS::CloudWatch::Dashboard': [({ DashboardName }) => DashboardName, 255],
  'AWS::CodeDeploy::Application': [({ ApplicationName }) => ApplicationName, 100],
  'AWS::Cognito::UserPoolDomain': [({ Domain }) => Domain, 63],
  'AWS::DynamoDB::GlobalTable': [({ TableName }) => TableName, 255],
  'AWS::IAM::Role': [({ RoleName }) => RoleName, 64],
  'AWS::Logs::DeliveryDestination': [({ Name }) => Name, 60],
  'AWS::Logs::DeliverySource': [({ Name }) => Name, 60],
  'AWS::Logs::LogGroup': [({ LogGroupName }) => LogGroupName, 512],
  'AWS::S3::Bucket': [({ BucketName }) => BucketName, MAX_BUCKET_NAME],
  'AWS::SSM::Parameter': [({ Name }) => Name, 1_011],
  'AWS::StepFunctions::StateMachine': [({ StateMachineName }) => StateMachineName, 80],
};
/** Types whose names need not be unique; a delivery has none, and names its source. */
const NOT_UNIQUE = ['AWS::ApiGatewayV2::Api', 'AWS::Cognito::UserPool', 'AWS::Logs::Delivery', 'AWS::SNS::Topic'];

const folder = makeFolder();
afterAll(() => folder.remove());

/** The stage with every setting on, except its table prefix: the default one contains the stage's name. */
function stageNamed(name: string) {
  const settings = Object.entries(everySetting([name])).filter(([key]) => !key.endsWith('_TABLE_PREFIX'));
  const [stage] = makeStages(makeApp(folder.path), Object.fromEntries(settings), [name]);
  if (stage === undefined) throw new Error(`no stage ${name}`);
  return deployedStage(stage);
}

/** The names that we choose, with their types and limits. Names that CloudFormation or the CDK generates are unique. */
function namesOf(stage: ReturnType<typeof stageNamed>) {
  return Object.entries(NAMED).flatMap(([type, [nameIn, max]]) =>
    stage
      .resources(type)
      .map(({ properties }) => ({ type, name: nameIn(properties) ?? '', max }))
      .filter(({ name }) => name.includes('petstore')),
  );
}

const longest = 'x'.repeat(MAX_STAGE_NAME);

describe('names of the longest stage', () => {
  const stage = stageNamed(longest);

  test('every name is within its limit', () => {
    const names = namesOf(stage);
    expect(new Set(names.map(({ type }) => type))).toEqual(new Set(Object.keys(NAMED)));
    expect(names.filter(({ name, max }) => name.length > max)).toEqual([]);
  });

  test("the bucket's name is exactly as long as allowed in the region with the longest name", () => {
    const bucket = namesOf(stage).find(({ type }) => type === 'AWS::S3::Bucket')?.name;
    expect(bucket).toBe(sitesBucketOf(defaultTablePrefix(longest), '123456789012', REGION));
    expect(sitesBucketOf(defaultTablePrefix(longest), '123456789012', 'ap-southeast-2')).toHaveLength(MAX_BUCKET_NAME);
  });

  test('every named resource is checked here', () => {
    const unchecked = stage.types().filter((type) => {
      const names = stage.resources(type).flatMap(({ properties }) => Object.entries(properties).filter(([key]) => key.endsWith('Name')));
      return names.some(([, value]) => String(value).startsWith('petstore')) && !(type in NAMED) && !NOT_UNIQUE.includes(type);
    });
    expect(unchecked).toEqual([]);
  });
});

/** Types whose names all regions of an account share: their ARNs have no region (Service Authorization Reference), or all are in us-east-1. */
const GLOBAL = /^AWS::(Budgets|CloudFront|IAM|S3)::|^AWS::Logs::Delivery|^AWS::CloudWatch::Dashboard$/;

test('a stage in two regions has no global name twice, and each name within its limit', () => {
  const inRegion = (region: string) => {
    const settings = {
      ...everySetting([longest]),
      [`${longest.toUpperCase()}_REGION`]: region,
      [`${longest.toUpperCase()}_API_CERTIFICATE_ARN`]: '',
    };
    const own = Object.entries(settings).filter(([key]) => !/_(TABLE_PREFIX|API_\w+)$/.test(key));
    const [stage] = makeStages(makeApp(testFolder()), { ...Object.fromEntries(own), [`${longest.toUpperCase()}_HOME`]: REGION }, [longest]);
    if (stage === undefined) throw new Error('no stage');
    return namesOf(deployedStage(stage)).filter(({ type }) => GLOBAL.test(type));
  };
  const [home, other] = [inRegion(REGION), inRegion('ap-southeast-2')];
  expect(home.length).toBeGreaterThan(7);
  expect(other).toHaveLength(home.length);
  const used = home.map(({ type, name }) => `${type} ${name}`);
  expect(other.filter(({ type, name }) => type !== 'AWS::S3::Bucket' && used.includes(`${type} ${name}`))).toEqual([]);
  expect(other.filter(({ name, max }) => name.length > max)).toEqual([]);
});

test('no other stage has a name of this stage', () => {
  const STAGE = 'dev';
  const around = namesOf(stageNamed(STAGE)).map(({ type, name }) => {
    const [before = '', ...after] = name.split(/(?<=petstore[-/])dev\b/);
    return { kind: `${type} ${before}`, after: after.join(STAGE) };
  });
  expect(around.length).toBeGreaterThan(30);
  // `dev-release` + `-slow` is `dev` + `-release-slow`.
  const clashing = around.flatMap((one) =>
    around
      .filter((two) => two.kind === one.kind && one.after.endsWith(two.after) && one.after !== two.after)
      .map((two) => ({ ...one, other: STAGE + one.after.slice(0, one.after.length - two.after.length) })),
  );
  expect(clashing.map(({ other }) => other)).toContain('dev-release');
  expect(clashing.filter(({ other }) => stageNameProblem(other) === undefined)).toEqual([]);
});
