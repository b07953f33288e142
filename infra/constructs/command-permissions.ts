// The permissions that `petstore --stage NAME` needs on AWS.

import { Aws, Stack, Token, Validations } from 'aws-cdk-lib';
import type { KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { Effect, type IGrantable, type IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct, IConstruct } from 'constructs';
import { AUDIT_DAY_INDEX, STATUS_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import type { AccessTables, Tables } from './catalogue-tables.ts';
import { ownersZones, recordsOfOwners } from './domain-function.ts';
import { sitesBucketName, sitesFinding } from './edge/edge-origin.ts';
import { parameterPathArns } from './service-props.ts';

export interface CommandStatementsProps {
  readonly name: string;
  readonly tables: AccessTables;
  /** The parameter groups that the commands read. */
  readonly parameters: readonly ParameterGroup[];
}

/** Returns the statements that the commands need for accounts, keys and usage. */
export function commandStatements(scope: Construct, { name, tables, parameters }: CommandStatementsProps): PolicyStatement[] {
  return [
    allow(
      ['ssm:GetParametersByPath'],
      parameters.flatMap((group) => parameterPathArns(Stack.of(scope), name, group)),
    ),
    // Each write in a transaction needs the permission for its own action.
    allow(
      ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      [tables.control.tableArn],
    ),
    allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'], [tables.usage.tableArn]),
    // Entries are added and read, never changed or deleted.
    allow(['dynamodb:PutItem', 'dynamodb:Query'], [tables.audit.tableArn]),
    allow(['dynamodb:Query'], [`${tables.audit.tableArn}/index/${AUDIT_DAY_INDEX}`]),
  ];
}

/** Returns the statements that the commands also need for animals. */
export function petCommandStatements({ pets }: Tables): PolicyStatement[] {
  return [
    allow(['dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:DeleteItem'], [pets.tableArn]),
    allow(['dynamodb:Query'], [`${pets.tableArn}/index/${STATUS_INDEX}`]),
  ];
}

export interface DomainCommandStatementsProps {
  readonly tablePrefix: string;
  readonly map: KeyValueStore;
  readonly workflow: StateMachine;
  /** The platform's own host names, whose records can't be set for owners. */
  readonly ownNames: readonly string[];
  /** The zones in which owners' records may be set; undefined for all zones. */
  readonly zoneIds: readonly string[] | undefined;
}

/** Returns the statements that the commands also need for projects and domains. */
export function domainCommandStatements({ tablePrefix, map, workflow, ownNames, zoneIds }: DomainCommandStatementsProps): PolicyStatement[] {
  const zones = ownersZones(zoneIds);
  return [
    allow(['s3:PutObject'], [`arn:${Aws.PARTITION}:s3:::${sitesBucketName(tablePrefix)}/*`]),
    allow(
      ['cloudfront-keyvaluestore:DescribeKeyValueStore', 'cloudfront-keyvaluestore:GetKey', 'cloudfront-keyvaluestore:UpdateKeys'],
      [map.keyValueStoreArn],
    ),
    allow(['states:StartExecution'], [workflow.stateMachineArn]),
    allow(['route53:ListHostedZonesByName'], ['*']),
    ...(zones.length === 0
      ? []
      : [
          allow(['route53:ListTagsForResource', 'route53:ListResourceRecordSets'], zones),
          // The commands set records of the types that domains need; the workflow deletes them.
          allow(['route53:ChangeResourceRecordSets'], zones, recordsOfOwners(ownNames, ['UPSERT'])),
        ]),
  ];
}

/** Acknowledges the findings on these permissions. */
export function acknowledgeDomainCommands(principal: IConstruct, tablePrefix: string): void {
  Validations.of(principal).acknowledge(
    { id: sitesFinding(tablePrefix, '*'), reason: 'Deployed files have names that are not known in advance.' },
    {
      id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:route53:::hostedzone/*]',
      reason: 'Zones are created manually, and only used if they are tagged with an account.',
    },
    { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'Listing zones has no resource-level permissions.' },
  );
}

function allow(actions: string[], resources: string[], conditions: Record<string, Record<string, string[]>> = {}): PolicyStatement {
  return new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions });
}

/**
 * Adds the statements to the principal's policy. @throws Error if this app can't change the policy, in which case the CDK would ignore the
 * statements, or if the principal is in another account, where they would permit nothing
 */
export function grantStatements(scope: Construct, { grantPrincipal }: IGrantable, statements: readonly PolicyStatement[]): void {
  const refusal = `${scope.node.path}: grantOperate: got ${grantPrincipal}; allowed: a role or a user of this account that this app may change`;
  const { account } = Stack.of(scope);
  if (isImmutable(grantPrincipal) || isElsewhere(grantPrincipal, account)) throw new Error(refusal);
  for (const statement of statements) if (!grantPrincipal.addToPrincipalPolicy(statement).statementAdded) throw new Error(refusal);
}

/** Whether a role was imported as one that can't be changed, as roles of other accounts always are. Such a role reports each statement as added. */
function isImmutable(principal: IPrincipal): boolean {
  const { PROPERTY_INJECTION_ID: id } = principal.constructor as { readonly PROPERTY_INJECTION_ID?: string };
  return id === 'aws-cdk-lib.aws-iam.ImmutableRole';
}

function isElsewhere({ principalAccount }: IPrincipal, account: string): boolean {
  if (principalAccount === undefined || Token.isUnresolved(principalAccount) || Token.isUnresolved(account)) return false;
  return principalAccount !== account;
}
