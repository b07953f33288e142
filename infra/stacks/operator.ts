// The role with which operators run `petstore --stage <stage>`. No stack refers to this one, so it can be deleted, and deployed again, at any time.

import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { acknowledgeDomainCommands, commandStatements, domainCommandStatements, petCommandStatements } from '../constructs/command-permissions.ts';
import type { CustomDomainParts } from '../constructs/incident-dashboard.ts';
import { ownNamesOf, type PlatformSettings } from '../platform-props.ts';

export interface OperatorStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly tables: Tables;
  /** The parts for custom domains; undefined if the stage has no edge name. */
  readonly customDomains: CustomDomainParts | undefined;
}

/** The parameters with which the commands find a stage's resources. */
const COMMANDS_READ: readonly ParameterGroup[] = ['tables', 'edge', 'dashboard'];

/** The shortest maximum session that IAM accepts (API reference, CreateRole), and the longest that a role assumed from another role can have. */
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
      // Any principal of the account whose own policies allow it to assume the role (IAM User Guide, "AWS account principals").
      assumedBy: new AccountRootPrincipal(),
    });
    const statements = [...commandStatements(this, { name: stage.name, tables, parameters: COMMANDS_READ }), ...petCommandStatements(tables)];
    for (const statement of statements) this.role.addToPolicy(statement);
    if (customDomains !== undefined) this.allowCustomDomains(stage, customDomains);
    new CfnOutput(this, 'OperatorRoleArn', {
      description: 'Role for petstore --stage; docs/aws/change.md, "Operators"',
      value: this.role.roleArn,
    });
  }

  private allowCustomDomains(stage: PlatformSettings, { edge, domains, dashboard }: CustomDomainParts): void {
    const { tablePrefix } = stage;
    const zones = { ownNames: ownNamesOf(stage), zoneIds: stage.edge?.zoneIds };
    for (const statement of domainCommandStatements({ tablePrefix, map: edge.map, workflow: domains.workflow, ...zones }))
      this.role.addToPolicy(statement);
    dashboard.site.grantPublish(this.role);
    acknowledgeDomainCommands(this.role, tablePrefix);
  }
}
