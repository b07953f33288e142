// The weekly check for manual changes (.github/workflows/drift.yml): its role may read every resource of a stage, in every region. `cdk drift` counts
// what CloudFormation can't read as unchanged.

import { afterAll, describe, expect, test } from 'vitest';
import { isAllowed } from '../../judge/rules.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { stacksIn } from '../commands/assembly.ts';
import { deployedStage, REGION } from './support/deployed-templates.ts';
import { arn, lambda, READS, SECURITY_AUDIT, WITHOUT_DETECTION } from './support/drift-reads.ts';
import { statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const app = makeApp(folder.path);
const stages = makeStages(app, everySetting(THREE_STAGES), THREE_STAGES).map((stage) => [stage.stageName, deployedStage(stage)] as const);
app.synth();
const CLOUDFRONT_REGION = 'us-east-1';

describe.each(stages)('%s', (name, stage) => {
  const roleOf = (role: string) => statementsOfRole(stage, `petstore-${name}-${role}`);

  test('the role for drift may read every resource', () => {
    const role = [...roleOf('drift'), ...SECURITY_AUDIT];
    const types = stage.types().filter((type) => !WITHOUT_DETECTION.includes(type));
    expect(types.filter((type) => !Object.hasOwn(READS, type))).toEqual([]);
    const refused = types.flatMap((type) =>
      stage.resources(type).flatMap(({ stack, id, properties }) =>
        (READS[type] ?? []).flatMap(([arnOf, property, ...actions]) => {
          const generated = `${stack}-${id}`.toLowerCase();
          const resource = arnOf((property !== undefined && properties?.[property]) || generated, properties ?? {});
          const inRegion = stack.endsWith('-EdgeAlarms') ? resource.replace(REGION, CLOUDFRONT_REGION) : resource;
          return actions.filter((action) => !isAllowed(role, { action, resource: inRegion })).map((action) => `${action} on ${inRegion}`);
        }),
      ),
    );
    expect(refused).toEqual([]);
  });

  test('the roles for drift and differences may use every stack, in its region', () => {
    const stacks = stacksIn(folder.path, name);
    expect(new Set(stacks.map(({ region }) => region))).toEqual(new Set([REGION, CLOUDFRONT_REGION]));
    const calls = {
      diff: ['DescribeStacks', 'GetTemplate'],
      drift: ['DetectStackDrift', 'DetectStackResourceDrift', 'DescribeStackResourceDrifts'],
    };
    const refused = Object.entries(calls).flatMap(([role, operations]) =>
      stacks.flatMap(({ name: stack, region }) =>
        operations
          .map((operation) => ({ action: `cloudformation:${operation}`, resource: arn('cloudformation', `stack/${stack}/0a1b`, region) }))
          .filter((each) => !isAllowed(roleOf(role), each)),
      ),
    );
    expect(refused).toEqual([]);
  });

  test("the role for drift reads no other stage's parameters, code and animals", () => {
    const role = [...roleOf('drift'), ...SECURITY_AUDIT];
    const calls = [
      { action: 'ssm:GetParameters', resource: arn('ssm', 'parameter/petstore/another/edge/map') },
      { action: 'lambda:GetFunction', resource: lambda('another-Api-Function') },
      { action: 'dynamodb:GetItem', resource: arn('dynamodb', `table/petstore-${name}-pets`) },
    ];
    expect(calls.filter((each) => isAllowed(role, each))).toEqual([]);
  });
});
