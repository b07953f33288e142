// A canary release: the new version gets a tenth of the traffic for five minutes, then all of it. If an alarm goes off in the meantime, CodeDeploy moves
// the traffic back to the previous version, and CloudFormation rolls the stack back.

import { Duration, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { latency, serverErrorRate } from './api-metrics.ts';
import { ServiceAlarm } from './service-alarm.ts';

export interface CanaryReleaseProps {
  /** The deployment's name. */
  readonly name: string;
  readonly api: HttpApi;
  readonly alias: Alias;
}

/** Returns the name of a stage's CodeDeploy application. */
export function releaseName(stage: StageName): string {
  return `petstore-${stage}-api`;
}

/** In percent. A tenth of the traffic goes to the new version, so if all of that version's responses were faults, the total would show 10%. */
const FAULTS_PERCENT = 2;
const SLOW_MS = 1_500;

/** The deployment group with its alarms. */
export class CanaryRelease extends Construct {
  readonly alarms: readonly ServiceAlarm[];

  constructor(scope: Construct, id: string, props: CanaryReleaseProps) {
    super(scope, id);
    const { name: stage, alias, api } = props;
    this.alarms = [
      new ServiceAlarm(this, 'Faults', {
        stage,
        name: 'release-faults',
        meaning: `More than ${FAULTS_PERCENT}% of a minute's responses are 5xx; a release in progress is rolled back.`,
        metric: serverErrorRate(api),
        above: FAULTS_PERCENT,
      }),
      new ServiceAlarm(this, 'Errors', {
        stage,
        name: 'release-errors',
        meaning: "The API's function crashed or timed out more than twice in a minute; a release in progress is rolled back.",
        metric: alias.metricErrors({ period: Duration.minutes(1), statistic: Stats.SUM }),
        above: 2,
      }),
      new ServiceAlarm(this, 'Slow', {
        stage,
        name: 'release-slow',
        meaning: `One response in a hundred took more than ${SLOW_MS} ms, two minutes in a row; a release in progress is rolled back.`,
        metric: latency(api, 99),
        above: SLOW_MS,
        periods: { above: 2, of: 2 },
      }),
    ];
    const group = new LambdaDeploymentGroup(this, 'Group', {
      application: new LambdaApplication(this, 'Application', { applicationName: releaseName(stage) }),
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [...this.alarms],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    Validations.of(group).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS maintains this policy for exactly this service, in its limited form; CodeDeploy may require more of it in future.',
    });
  }
}
