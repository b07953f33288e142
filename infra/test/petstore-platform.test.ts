// The whole platform in another CDK app.

import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { PetstorePlatform } from '../petstore-platform.ts';
import type { PetstorePlatformProps } from '../platform-props.ts';
import { templatesOf } from './support/stage-summary.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const platformWith = (props?: PetstorePlatformProps, id = 'shop') => new PetstorePlatform(makeApp(testFolder()), id, props);
const stacksOf = (platform: PetstorePlatform) => platform.node.children.filter(Stack.isStack).map((stack) => stack.stackName);

describe('PetstorePlatform', () => {
  test('needs no properties: a catalogue whose data is retained', () => {
    const platform = platformWith();
    expect(stacksOf(platform)).toEqual(['shop-Data', 'shop-Api', 'shop-Observability', 'shop-Operator']);
    Template.fromStack(platform.data).allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'RetainExceptOnCreate' });
    expect(platform.data.terminationProtection).toBe(true);
    Template.fromStack(platform.data).hasResourceProperties('AWS::SSM::Parameter', { Name: '/petstore/shop/tables/key-mode', Value: 'live' });
    Template.fromStack(platform.api).resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 1);
  });

  test('is what a stage with the same settings is', () => {
    const env = { account: '123456789012', region: 'eu-central-1' };
    const settings = { SHOP_ACCOUNT: env.account, SHOP_REGION: env.region, SHOP_PROFILE: 'production', SHOP_EDGE_NAME: 'edge.petshop.dev' };
    const [stage] = makeStages(makeApp(testFolder()), settings, ['shop']);
    const record = {
      ACCOUNT: env.account,
      REGION: env.region,
      PROFILE: 'production',
      EDGE_NAME: 'edge.petshop.dev',
      TABLE_PREFIX: 'petstore-shop',
      HOME: env.region,
    };
    const platform = platformWith({
      env,
      throttle: { rate: 5_000, burst: 5_000 },
      reserveConcurrency: true,
      customDomains: { edgeName: 'edge.petshop.dev' },
      record,
    });
    if (stage === undefined) throw new Error('no stage');
    const [ours, theirs] = [templatesOf(stage), templatesOf(platform)];
    expect([...theirs.keys()]).toEqual([...ours.keys()]);
    for (const [stack, template] of ours) expect(sorted(theirs.get(stack)), stack).toEqual(sorted(template));
  });

  test('has a pipeline, alarms by email and a budget if it is set so', () => {
    const platform = platformWith({ pipeline: { repository: 'acme/shop' }, alarmEmail: 'ops@example.com', budget: 100, canary: false });
    expect(stacksOf(platform)).toContain('shop-Pipeline');
    Template.fromStack(platform.observability).resourceCountIs('AWS::Budgets::Budget', 1);
    Template.fromStack(platform.api).resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
  });

  test("sets owners' records in the zones that are named, in its functions and for its operators", () => {
    const platform = platformWith({ customDomains: { edgeName: 'edge.petshop.dev', zoneIds: ['Z1', 'Z2'] } });
    const zonesIn = (stack: string) => JSON.stringify(templatesOf(platform).get(stack)).match(/(?<=hostedzone\/)[^"]+/g) ?? [];
    expect([...new Set(zonesIn('Domains')), ...new Set(zonesIn('Operator'))]).toEqual(['Z1', 'Z2', 'Z1', 'Z2']);
    expect(() => platformWith({ customDomains: { edgeName: 'edge.petshop.dev', zoneIds: ['petshop.dev'] } })).toThrow(
      'zoneIds[0]: got "petshop.dev"',
    );
  });

  test('reports everything that is not allowed at once, with what was given', () => {
    const props = () => ({
      env: { account: '123456789012' },
      tablePrefix: 'P',
      budget: 1.5,
      pipeline: { repository: 'shop' },
      customDomains: { edgeName: 'Edge', dnsPort: 0 },
    });
    const lines = ['env: got {"account":"123456789012"}', 'tablePrefix: got "P"', 'budget: got 1.5', 'alarmEmail: got undefined'];
    for (const line of [...lines, 'pipeline.repository: got "shop"', 'edgeName: got "Edge"', 'dnsPort: got 0', 'name: got "Shop"'])
      expect(() => platformWith(props(), 'Shop')).toThrow(line);
  });
});

/** The recorded settings in the order of their names. */
function sorted(template: unknown): unknown {
  return JSON.parse(
    JSON.stringify(template, (_key, value) =>
      typeof value === 'string' && value.startsWith('{"') && value.includes('"TABLE_PREFIX"')
        ? JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(value)).sort()))
        : value,
    ),
  );
}
