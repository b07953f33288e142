// The role with which the repository's pipeline deploys a stage, assumed with GitHub's OIDC tokens, so that no key is stored. It may assume the CDK's
// roles, read the dashboard's parameters to publish it and, where the black-box suite runs, use the tables as the command line does.

import { Aws, CfnOutput, DefaultStackSynthesizer, Duration, Stack, type StackProps, Stage, Validations } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, OpenIdConnectProvider, PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import { CLOUDFRONT_METRICS_REGION } from '../alarms/edge.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { driftReads } from '../constructs/drift-reads.ts';
import { parameterPathArns } from '../constructs/service-props.ts';
import type { PlatformPipelineProps, PlatformSettings } from '../platform-props.ts';

export interface PipelineStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly pipeline: PlatformPipelineProps;
  readonly tables: Tables;
}

const ISSUER = 'token.actions.githubusercontent.com';
/** The roles from `cdk bootstrap` that a release uses. The project's assets include no container images, and its synthesis makes no lookups. */
const BOOTSTRAP_ROLES = ['deploy-role', 'file-publishing-role'];

/** Returns the name of the role that deploys a stage. @param globalName StageSettings.globalName */
export function deployRoleName(globalName: string): string {
  return `petstore-${globalName}-deploy`;
}

/** Returns the regions of a stage's stacks, the first as a pseudo parameter. EdgeAlarms is in the region of CloudFront's metrics. */
function regionsOf({ edge, region }: PlatformSettings): readonly string[] {
  const hasOther = edge !== undefined && region !== undefined && region !== CLOUDFRONT_METRICS_REGION;
  return [Aws.REGION, ...(hasOther ? [CLOUDFRONT_METRICS_REGION] : [])];
}

/** The roles and their permissions. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    const { stage, tables, pipeline } = props;
    const { repository, oidcSubject } = pipeline;
    const { partition, account } = this;
    const provider = OpenIdConnectProvider.fromOpenIdConnectProviderArn(this, 'GitHub', `arn:${partition}:iam::${account}:oidc-provider/${ISSUER}`);
    const subject = oidcSubject ?? `repo:${repository}`;
    const roleFor = (roleId: string, name: string, description: string, ...subjects: readonly string[]) =>
      new Role(this, roleId, {
        roleName: name,
        description,
        maxSessionDuration: Duration.hours(1),
        assumedBy: new WebIdentityPrincipal(provider.openIdConnectProviderArn, {
          StringEquals: {
            [`${ISSUER}:aud`]: 'sts.amazonaws.com',
            [`${ISSUER}:sub`]: subjects.length === 1 ? `${subject}:${subjects[0]}` : subjects.map((each) => `${subject}:${each}`),
          },
        }),
      });
    const role = roleFor(
      'DeployRole',
      deployRoleName(stage.globalName),
      `Deploys petstore ${stage.name} from ${repository}`,
      `environment:${stage.name}`,
    );
    this.addReaders(stage, roleFor);
    const allow = (actions: string[], resources: string[]) => role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources }));
    const qualifier = this.synthesizer.bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
    allow(
      ['sts:AssumeRole'],
      regionsOf(stage).flatMap((each) =>
        BOOTSTRAP_ROLES.map((name) => `arn:${partition}:iam::${account}:role/cdk-${qualifier}-${name}-${account}-${each}`),
      ),
    );
    const allowParameters = (group: ParameterGroup) => allow(['ssm:GetParametersByPath'], parameterPathArns(this, stage.name, group));
    // Every release reads these parameters; if there are none, it has no dashboard to publish.
    allowParameters('dashboard');
    // Every release is compared with the deployed settings.
    allowParameters('deployment');
    if (pipeline.acceptance) {
      allowParameters('tables');
      allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn, tables.control.tableArn]);
      allow(['dynamodb:DeleteItem', 'dynamodb:Query'], [tables.control.tableArn]);
      allow(['dynamodb:PutItem'], [tables.audit.tableArn]);
    }
    new CfnOutput(this, 'DeployRoleArn', { description: 'Variable DEPLOY_ROLE_ARN of the GitHub environment', value: role.roleArn });
  }

  /** Adds roles for workflows that change nothing. Pull requests may run any code, so their role only reads templates, which the repository has. */
  private addReaders(
    stage: PlatformSettings,
    roleFor: (id: string, name: string, description: string, ...subjects: readonly string[]) => Role,
  ): void {
    const regions = regionsOf(stage);
    // For example `prod-shop`, if the platform `shop` is in a stage `prod` of the app.
    const stackPrefix = Stage.of(this)?.stageName ?? stage.name;
    const stacks = regions.map((region) => `arn:${Aws.PARTITION}:cloudformation:${region}:${Aws.ACCOUNT_ID}:stack/${stackPrefix}-*/*`);
    const main = 'ref:refs/heads/main';
    const diff = roleFor('DiffRole', `petstore-${stage.globalName}-diff`, `Compares petstore ${stage.name} with a change`, 'pull_request', main);
    diff.addToPolicy(new PolicyStatement({ actions: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'], resources: stacks }));
    const drift = roleFor('DriftRole', `petstore-${stage.globalName}-drift`, `Detects manual changes to petstore ${stage.name}`, main);
    drift.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('SecurityAudit'));
    drift.addToPolicy(
      new PolicyStatement({
        actions: ['cloudformation:DetectStackDrift', 'cloudformation:DetectStackResourceDrift', 'cloudformation:DescribeStackResourceDrifts'],
        resources: stacks,
      }),
    );
    drift.addToPolicy(
      new PolicyStatement({
        actions: ['cloudformation:BatchDescribeTypeConfigurations', 'cloudformation:DescribeStackDriftDetectionStatus'],
        resources: ['*'],
      }),
    );
    const reads = driftReads({ ...stage, stackPrefix, hasEdge: stage.edge !== undefined }, regions);
    for (const statement of reads) drift.addToPolicy(statement);
    Validations.of(drift).acknowledge(
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/SecurityAudit]',
        reason: "CloudFormation reads each resource's configuration with the caller's permissions; AWS maintains this policy, which reads no data.",
      },
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'Type configurations, subscriptions and the status of a detection have no resource-level permissions (Service Authorization Reference).',
      },
    );
    const reason = 'The ids of stacks, and the names and ids that AWS generates for their resources, are not known in advance.';
    const named = reads.flatMap(({ resources }) => resources).filter((resource) => resource.includes('*') && resource !== '*');
    for (const [role, resources] of [
      [diff, stacks],
      [drift, [...stacks, ...named]],
    ] as const)
      for (const resource of resources)
        Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${withPseudoParameters(resource)}]`, reason });
    new CfnOutput(this, 'DiffRoleArn', { description: 'Variable DIFF_ROLE_ARN_<STAGE> of the repository', value: diff.roleArn });
    new CfnOutput(this, 'DriftRoleArn', { description: 'Variable DRIFT_ROLE_ARN_<STAGE> of the repository', value: drift.roleArn });
  }
}

/** Returns an ARN as it appears in the rules' findings. */
function withPseudoParameters(arn: string): string {
  return arn.replace(Aws.PARTITION, '<AWS::Partition>').replace(Aws.REGION, '<AWS::Region>').replace(Aws.ACCOUNT_ID, '<AWS::AccountId>');
}
