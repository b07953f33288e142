// The platform in apps of others: without our feature flags, bootstrapped in their way, and with their rules for roles and tags.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps, CfnOutput, DefaultStackSynthesizer, type IReusableStackSynthesizer, Stack, Stage, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { PetstorePlatform } from '../petstore-platform.ts';
import type { PetstorePlatformProps } from '../platform-props.ts';
import { templatesOf } from './support/stage-summary.ts';

const { context: ours } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as { context: Record<string, unknown> };
const opposite = Object.fromEntries(Object.entries(ours).map(([flag, value]) => [flag, typeof value === 'boolean' ? !value : 'strong']));
const ENV = { account: '222222222222', region: 'eu-central-1' };
const PROPS: PetstorePlatformProps = {
  env: ENV,
  alarmEmail: 'ops@example.com',
  customDomains: { edgeName: 'edge.example.com', certificateArn: `arn:aws:acm:us-east-1:${ENV.account}:certificate/0a1b2c3d` },
  pipeline: { repository: 'acme/shop' },
};

const appWith = ({ context, ...props }: AppProps = {}) => new App({ ...props, outdir: testFolder(), context: { ...context, [BUNDLING_STACKS]: [] } });
const textOf = (platform: PetstorePlatform) => JSON.stringify([...templatesOf(platform).values()]);
// biome-ignore lint/suspicious/noExplicitAny: resources of any type
const resourcesOf = (platform: PetstorePlatform): any[] => [...templatesOf(platform).values()].flatMap(({ Resources }) => Object.values(Resources));

describe('feature flags', () => {
  test.each([
    ['without flags', {}],
    ['with the opposite of each of our flags', { ...opposite, '@aws-cdk/core:target-partitions': ['aws'] }],
  ])('an app %s has the same templates: no exports, and no custom resources', (_what, context) => {
    const theirs = textOf(new PetstorePlatform(appWith({ context }), 'shop', PROPS));
    expect(theirs).not.toMatch(/Fn::ImportValue|Custom::/);
    expect(theirs).toBe(textOf(new PetstorePlatform(appWith({ context: ours }), 'shop', PROPS)));
  });

  test("the app's other stacks keep the app's flags", () => {
    const app = appWith();
    new PetstorePlatform(app, 'shop');
    const [producer, consumer] = ['Producer', 'Consumer'].map((id) => new Stack(app, id)) as [Stack, Stack];
    new CfnOutput(consumer, 'Topic', { value: new Topic(producer, 'Topic').topicArn });
    expect(JSON.stringify(app.synth().getStackByName('Consumer').template)).toContain('Fn::ImportValue');
  });
});

describe("an app's own bootstrap", () => {
  const assumableIn = (platform: PetstorePlatform) =>
    JSON.stringify(templatesOf(platform).get('Pipeline'))
      .replaceAll('",{"Ref":"AWS::Region"}', ENV.region)
      .match(/role\/cdk-[\w-]+/g);
  const expected = ['us-east-1', ENV.region].flatMap((region) =>
    ['deploy', 'file-publishing'].map((role) => `role/cdk-acme-${role}-role-${ENV.account}-${region}`),
  );

  test.each<[string, AppProps]>([
    ['its context', { context: { '@aws-cdk/core:bootstrapQualifier': 'acme' } }],
    ['its synthesizer', { defaultStackSynthesizer: new DefaultStackSynthesizer({ qualifier: 'acme' }) as IReusableStackSynthesizer }],
  ])("the pipeline assumes the roles with the qualifier from %s, in the platform's account and regions", (_where, props) => {
    expect(assumableIn(new PetstorePlatform(appWith(props), 'shop', PROPS))).toEqual(expected);
  });
});

test.each<[string, (platform: PetstorePlatform) => void, AppProps]>([
  [
    'PermissionsBoundary.of',
    (platform) => PermissionsBoundary.of(platform).apply(ManagedPolicy.fromManagedPolicyArn(platform.data, 'Boundary', 'arn:aws:iam::1:policy/acme')),
    {},
  ],
  ['its context', () => undefined, { context: { '@aws-cdk/core:permissionsBoundary': { name: 'acme' } } }],
])('each role has the permissions boundary that the app sets with %s', (_how, apply, props) => {
  const platform = new PetstorePlatform(appWith(props), 'shop', PROPS);
  apply(platform);
  const roles = resourcesOf(platform).filter(({ Type }) => Type === 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(10);
  expect(roles.filter(({ Properties }) => !JSON.stringify(Properties.PermissionsBoundary ?? '').includes('policy/acme'))).toEqual([]);
});

test("each resource with the platform's tags has the app's too", () => {
  const platform = new PetstorePlatform(appWith(), 'shop', PROPS);
  Tags.of(platform).add('team', 'pets');
  const counted = (tag: RegExp) => textOf(platform).match(tag)?.length;
  expect(counted(/"service","Value":"petstore"|"service":"petstore"/g)).toBeGreaterThan(50);
  expect(counted(/"team","Value":"pets"|"team":"pets"/g)).toBe(counted(/"service","Value":"petstore"|"service":"petstore"/g));
});

test('in a stage of the app, the account, the region and the names of the stacks are those of that stage', () => {
  const { env, ...props } = PROPS;
  const platform = new PetstorePlatform(new Stage(appWith(), 'prod', { env: ENV }), 'shop', props);
  expect([platform.edgeAlarms?.region, platform.edgeAlarms?.stackName, platform.data.stackName]).toEqual([
    'us-east-1',
    'prod-shop-EdgeAlarms',
    'prod-shop-Data',
  ]);
  const pipeline = JSON.stringify(templatesOf(platform).get('Pipeline'));
  expect(pipeline).toContain(':stack/prod-shop-*/*');
  expect(pipeline).not.toMatch(/:(stack\/|function:)shop-/);
});
