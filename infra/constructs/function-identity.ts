// What all functions have: a log group, and a role.

import { Duration, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { dependOnPolicy } from './policy-dependency.ts';
import type { ServiceProps } from './service-props.ts';

/**
 * For functions with a schedule: each event is tried once, because the next one does all of the work again. Otherwise Lambda would run a failed event two
 * more times, and keep one for which no environment is free for six hours; the shortest time that it allows is a minute.
 */
export const SCHEDULED = { retryAttempts: 0, maxEventAge: Duration.minutes(1) } satisfies FunctionOptions;

export interface FunctionIdentity {
  readonly logGroup: LogGroup;
  readonly role: Role;
  readonly allow: Allow;
}

/** Permits the function these actions on these resources. @param conditions @default none */
export type Allow = (actions: string[], resources: string[], conditions?: Record<string, Record<string, string | string[]>>) => void;

/**
 * Creates a function's log group, `Logs`, and its role, `Role`, which may only write to that log.
 *
 * @param unbounded the function's other actions without resource-level permissions, and why. @default none
 */
export function functionIdentity(
  scope: Construct,
  { logRetention, removalPolicy }: Pick<ServiceProps, 'logRetention' | 'removalPolicy'>,
  unbounded = '',
): FunctionIdentity {
  const logGroup = new LogGroup(scope, 'Logs', { retention: logRetention, removalPolicy });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  dependOnPolicy(role);
  logGroup.grantWrite(role);
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: `X-Ray has no resource-level permissions: PutTraceSegments and PutTelemetryRecords can only be allowed on *. ${unbounded}`.trim(),
  });
  return {
    logGroup,
    role,
    allow: (actions, resources, conditions = {}) =>
      void role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions })),
  };
}
