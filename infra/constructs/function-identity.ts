// The log group and the role that every function has.

import { Duration, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type Construct, Dependable, type IConstruct } from 'constructs';
import { HISTORY_PARTITIONS } from '../../adapters/store/dynamodb/tables.ts';
import type { AccessTables } from './catalogue-tables.ts';
import type { ServiceProps } from './service-props.ts';

/** For scheduled functions: each event is tried once, because the next one does all of its work again. Lambda accepts no shorter maximum age. */
export const SCHEDULED = { retryAttempts: 0, maxEventAge: Duration.minutes(1) } satisfies FunctionOptions;

/** Permits the function to perform these actions on these resources. @param conditions @default none */
export type Allow = (actions: string[], resources: string[], conditions?: Record<string, Record<string, string | string[]>>) => void;

/** Creates a function's log group, `Logs`, and its role, `Role`, which may only write to it. @param unbounded further actions, on all resources */
export function functionIdentity(scope: Construct, { name, logRetention, removalPolicy }: ServiceProps, unbounded = '') {
  const logGroup = new LogGroup(scope, 'Logs', { retention: logRetention, removalPolicy });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  dependOnPolicy(role);
  logGroup.grantWrite(role);
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: `X-Ray has no resource-level permissions: PutTraceSegments and PutTelemetryRecords can only be allowed on *. ${unbounded}`.trim(),
  });
  const allow: Allow = (actions, resources, conditions = {}) =>
    void role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions }));
  return { name, logGroup, role, allow };
}

// Access to the tables for functions that admit requests.

/** Permits a function to admit requests, but to do nothing else with accounts. */
export function allowAdmission(allow: Allow, tables: AccessTables): void {
  allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn]);
  // In the control table, only the usage history: the internet can reach this function, so it must give no access to accounts and keys.
  allow(['dynamodb:UpdateItem'], [tables.control.tableArn], { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${HISTORY_PARTITIONS}*`] } });
}

/** Narrows dependencies on a role to its policy, because whatever refers to the role depends on the role itself anyway (cfn-lint W3005). */
export function dependOnPolicy(role: IConstruct): void {
  Dependable.implement(role, {
    get dependencyRoots() {
      return role.node.children.filter(({ node }) => node.id === 'DefaultPolicy');
    },
  });
}

// Concurrency reserved for functions other than the catalogue's. The catalogue can't take it from them, nor can they take more from the catalogue.

/** Concurrent environments of each function. docs/aws/deploy.md has their sum; docs/reference/ceilings.md describes what happens beyond that. */
export const RESERVED_CONCURRENCY = {
  /** For missing pages. One environment answers about ten requests a second that CloudFront can't answer from its cache. */
  failover: 20,
  /** One environment answers about 20 requests a second, or refuses hundreds, so API Gateway's throttle is reached first. */
  control: 50,
  /** One environment runs about three steps a second. The state machine retries a step for which no environment is free. */
  steps: 20,
  /** The two schedules. */
  sweep: 2,
} as const;

/** Returns the function's reserved concurrency as a property, or no property if none is reserved. */
export function reservedConcurrency(reserve: boolean, of: keyof typeof RESERVED_CONCURRENCY): { readonly reservedConcurrentExecutions?: number } {
  return reserve ? { reservedConcurrentExecutions: RESERVED_CONCURRENCY[of] } : {};
}
