// The role with which the repository's pipeline deploys a stage. It is assumed with GitHub's OIDC tokens for that stage's environment, so no key is
// stored. It may assume the CDK's roles; read the dashboard's parameters, as a release does when it ends (the dashboard's stack permits it to
// publish there); and, where the black-box suite runs, use the tables as the command line does.

import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Effect, OpenIdConnectProvider, PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import { parameterPathArns } from '../constructs/parameter-paths.ts';
import type { StageSettings } from '../stages.ts';
import type { Tables } from './data.ts';

export interface PipelineStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly tables: Tables;
  /** `owner/name` on GitHub. */
  readonly repository: string;
}

const ISSUER = 'token.actions.githubusercontent.com';
/** The roles from `cdk bootstrap` that a release uses: the project's assets include no container images, and its synthesis makes no lookups. */
const BOOTSTRAP_ROLES = ['deploy-role', 'file-publishing-role'];

/** Returns the name of the role that deploys a stage. @param globalName StageSettings.globalName */
export function deployRoleName(globalName: string): string {
  return `petstore-${globalName}-deploy`;
}

/** The role and its permissions. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    const { stage, tables, repository } = props;
    const { partition, account, region } = this;
    const provider = OpenIdConnectProvider.fromOpenIdConnectProviderArn(this, 'GitHub', `arn:${partition}:iam::${account}:oidc-provider/${ISSUER}`);
    const role = new Role(this, 'DeployRole', {
      roleName: deployRoleName(stage.globalName),
      description: `Deploys petstore ${stage.name} from ${repository}`,
      maxSessionDuration: Duration.hours(1),
      assumedBy: new WebIdentityPrincipal(provider.openIdConnectProviderArn, {
        StringEquals: {
          [`${ISSUER}:aud`]: 'sts.amazonaws.com',
          [`${ISSUER}:sub`]: `${stage.oidcSubject ?? `repo:${repository}`}:environment:${stage.name}`,
        },
      }),
    });
    const allow = (actions: string[], resources: string[]) => role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources }));
    allow(
      ['sts:AssumeRole'],
      BOOTSTRAP_ROLES.map((name) => `arn:${partition}:iam::${account}:role/cdk-hnb659fds-${name}-${account}-${region}`),
    );
    const allowParameters = (group: ParameterGroup) => allow(['ssm:GetParametersByPath'], parameterPathArns(this, stage, group));
    // Every release reads these parameters; if there are none, it has no dashboard to publish.
    allowParameters('dashboard');
    // Every release is compared with the deployed settings.
    allowParameters('deployment');
    if (stage.acceptance) {
      allowParameters('tables');
      allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn, tables.control.tableArn]);
      allow(['dynamodb:DeleteItem'], [tables.control.tableArn]);
    }
    new CfnOutput(this, 'DeployRoleArn', { description: 'Variable DEPLOY_ROLE_ARN of the GitHub environment', value: role.roleArn });
  }
}
