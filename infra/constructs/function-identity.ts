// What all functions have: a log group, and a role.

import { Duration, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type Construct, Dependable, type IConstruct } from 'constructs';
import { HISTORY_PARTITIONS } from '../../adapters/store/dynamodb/tables.ts';
import type { AccessTables } from './catalogue-tables.ts';
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

// What a function that admits requests does with the tables.

/** Permits a function to admit requests, and nothing else with the accounts. */
export function allowAdmission(allow: Allow, tables: AccessTables): void {
  allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn]);
  // Of the control table, only the usage history: the internet reaches this function, and must not reach accounts and keys through it.
  allow(['dynamodb:UpdateItem'], [tables.control.tableArn], { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${HISTORY_PARTITIONS}*`] } });
}

// Dependencies on roles, without those that CloudFormation infers from references.

/**
 * Narrows dependencies on a role to its policy. The CDK makes functions and state machines depend on their role and everything in it, so that their
 * permissions exist first. On the role itself they depend anyway, because they refer to it (cfn-lint W3005).
 */
export function dependOnPolicy(role: IConstruct): void {
  Dependable.implement(role, {
    get dependencyRoots() {
      return role.node.children.filter(({ node }) => node.id === 'DefaultPolicy');
    },
  });
}

// Lambda concurrency that functions besides the catalogue's reserve. A bound in both directions: a flood of their requests takes at most this much of
// the AWS account's concurrency from the catalogue, and the catalogue can't take it from them.

/** Concurrent environments of each function. docs/aws/deploy.md has their sum, docs/reference/ceilings.md what is beyond it. */
export const RESERVED_CONCURRENCY = {
  /** Missing pages: one environment answers about ten requests a second that are not in CloudFront's cache. */
  failover: 20,
  /** One environment answers about 20 requests a second, or hundreds that it refuses, so API Gateway's throttle is reached first. */
  control: 50,
  /** One environment runs about three steps a second. The state machine repeats a step that gets none. */
  steps: 20,
  /** The two schedules. */
  sweep: 2,
} as const;

/** Returns the function's reserved concurrency as a property, or no property if none is reserved. */
export function reservedConcurrency(reserve: boolean, of: keyof typeof RESERVED_CONCURRENCY): { readonly reservedConcurrentExecutions?: number } {
  return reserve ? { reservedConcurrentExecutions: RESERVED_CONCURRENCY[of] } : {};
}
