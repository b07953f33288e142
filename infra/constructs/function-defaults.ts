// What all our functions have in common: how they are bundled, where they run, and where their logs go.

import { join } from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type NodejsFunctionProps, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BUNDLE_OPTIONS } from '../../functions/bundle/options.ts';
import type { StageSettings } from '../stages.ts';

const ROOT = join(import.meta.dirname, '../..');

export const FUNCTION_DEFAULTS = {
  handler: 'handler',
  projectRoot: ROOT,
  depsLockFilePath: join(ROOT, 'package-lock.json'),
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  tracing: Tracing.ACTIVE,
  bundling: {
    bundleAwsSDK: true,
    format: OutputFormat.ESM,
    minify: true,
    sourceMap: false,
    target: String(BUNDLE_OPTIONS.target),
    mainFields: [...(BUNDLE_OPTIONS.mainFields ?? [])],
    banner: BUNDLE_OPTIONS.banner?.js ?? '',
    esbuildArgs: {
      '--legal-comments': 'none',
      ...Object.fromEntries(Object.entries(BUNDLE_OPTIONS.alias ?? {}).map(([from, to]) => [`--alias:${from}`, to])),
    },
  },
} satisfies NodejsFunctionProps;

export interface FunctionIdentity {
  readonly logGroup: LogGroup;
  readonly role: Role;
  readonly allow: Allow;
}

/** Allows the function these actions on these resources. @param conditions @default none */
export type Allow = (actions: string[], resources: string[], conditions?: Record<string, Record<string, string>>) => void;

/**
 * The log group of a function, under `Logs`, and its role, under `Role`, which may write to it and do nothing else.
 *
 * @param unbounded what else it may do that takes no resource, and why. @default nothing
 */
export function functionIdentity(scope: Construct, stage: StageSettings, unbounded = ''): FunctionIdentity {
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: stage.logRetentionDays,
    removalPolicy: stage.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: `X-Ray takes no resource: PutTraceSegments and PutTelemetryRecords can only be allowed on *. ${unbounded}`.trim(),
  });
  return {
    logGroup,
    role,
    allow: (actions, resources, conditions = {}) =>
      void role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions })),
  };
}
