// The role with which operators run `petstore --stage <stage>`: it may do exactly what the commands do, on the stage's own resources. No other
// stack refers to this one, and it stores nothing: it can be deleted at any time, and the next deployment creates it again.

import { Aws, CfnOutput, Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AccountRootPrincipal, Effect, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { STATUS_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { commandStatements } from '../constructs/command-permissions.ts';
import { sitesBucketName, sitesFinding } from '../constructs/edge-origin.ts';
import type { CustomDomainParts } from '../constructs/incident-custom-domains.ts';
import { recordsOfOwners } from '../constructs/owners-records.ts';
import { ownNamesOf, type PlatformSettings } from '../platform-settings.ts';

export interface OperatorStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly tables: Tables;
  /** Undefined if the stage has no edge name. */
  readonly customDomains: CustomDomainParts | undefined;
}

/** The parameters with which the commands find a stage's resources. */
const COMMANDS_READ: readonly ParameterGroup[] = ['tables', 'edge', 'dashboard'];

/** The shortest maximum that IAM accepts (API reference, CreateRole), and the longest session of a role that was assumed with another role. */
const MAX_SESSION = Duration.hours(1);

/** Returns the name of the role with which operators work on a stage. @param globalName StageSettings.globalName */
export function operatorRoleName(globalName: string): string {
  return `petstore-${globalName}-operator`;
}

/** The role and its permissions. */
export class OperatorStack extends Stack {
  readonly role: Role;

  constructor(scope: Construct, id: string, props: OperatorStackProps) {
    super(scope, id, props);
    const { stage, tables, customDomains } = props;
    this.role = new Role(this, 'OperatorRole', {
      roleName: operatorRoleName(stage.globalName),
      description: `Runs the command line on petstore ${stage.name}`,
      maxSessionDuration: MAX_SESSION,
      // Each principal of the account whose own policies allow it to assume the role (IAM User Guide, "AWS account principals").
      assumedBy: new AccountRootPrincipal(),
    });
    for (const statement of commandStatements(this, { name: stage.name, tables, parameters: COMMANDS_READ })) this.role.addToPolicy(statement);
    this.allow(['dynamodb:PutItem', 'dynamodb:Query'], [tables.pets.tableArn]);
    this.allow(['dynamodb:Query'], [`${tables.pets.tableArn}/index/${STATUS_INDEX}`]);
    if (customDomains !== undefined) this.allowCustomDomains(stage, customDomains);
    new CfnOutput(this, 'OperatorRoleArn', {
      description: 'Role for petstore --stage; docs/operations.md, "Operators"',
      value: this.role.roleArn,
    });
  }

  private allowCustomDomains(stage: PlatformSettings, { edge, domains, dashboard }: CustomDomainParts): void {
    this.allow(['s3:PutObject'], [`arn:${Aws.PARTITION}:s3:::${sitesBucketName(stage.tablePrefix)}/*`]);
    this.allow(
      ['cloudfront-keyvaluestore:DescribeKeyValueStore', 'cloudfront-keyvaluestore:GetKey', 'cloudfront-keyvaluestore:UpdateKeys'],
      [edge.map.keyValueStoreArn],
    );
    this.allow(['states:StartExecution'], [domains.workflow.stateMachineArn]);
    const zones = `arn:${Aws.PARTITION}:route53:::hostedzone/*`;
    this.allow(['route53:ListHostedZonesByName'], ['*']);
    this.allow(['route53:ListTagsForResource', 'route53:ListResourceRecordSets'], [zones]);
    // Records are set, of the types that domains need; the workflow deletes them.
    this.allow(['route53:ChangeResourceRecordSets'], [zones], recordsOfOwners(ownNamesOf(stage), ['UPSERT']));
    dashboard.site.grantPublish(this.role);
    Validations.of(this.role).acknowledge(
      {
        id: sitesFinding(stage.tablePrefix, '*'),
        reason: 'Deployed files have names that are not known in advance.',
      },
      {
        id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:route53:::hostedzone/*]',
        reason: 'Zones are created manually, and only used if they are tagged with an account.',
      },
      { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'Listing zones has no resource-level permissions.' },
    );
  }

  private allow(actions: string[], resources: string[], conditions: Record<string, Record<string, string[]>> = {}): void {
    this.role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions }));
  }
}
