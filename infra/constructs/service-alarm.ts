// An alarm that follows the project's conventions: it is named after its stage, and its description refers to the documentation. Without data it is
// off, unless missing data is itself a fault.

import { Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';

export interface ServiceAlarmProps {
  readonly stage: StageName;
  /** The name after `petstore-<stage>-`, which is also the heading in docs/aws/watch.md. */
  readonly name: string;
  /** What the alarm means, in one sentence. */
  readonly meaning: string;
  readonly metric: IMetric;
  /** Threshold; the alarm goes off above it. */
  readonly above: number;
  /** How many of the last `of` periods must be above the threshold. @default 1 of 1 */
  readonly periods?: { readonly above: number; readonly of: number };
  /** Whether periods without data count as above the threshold. @default false */
  readonly isSilenceAFault?: boolean;
}

/** An alarm for something that must happen regularly: it goes off if no data is recorded for too long. */
export interface OverdueAlarmProps extends Omit<ServiceAlarmProps, 'metric' | 'above' | 'periods' | 'isSilenceAFault'> {
  /** A count of the occurrences, with the statistic SampleCount or Sum. */
  readonly metric: Metric;
  /** The number of consecutive periods without any occurrence. */
  readonly silentPeriods: number;
}

/** An alarm with its construct id, which must never change because it determines the logical id. */
export type AlarmDefinition = { readonly id: string } & (Omit<ServiceAlarmProps, 'stage'> | Omit<OverdueAlarmProps, 'stage'>);

/** An alarm on a threshold, or on missing data. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ServiceAlarmProps | OverdueAlarmProps) {
    super(scope, id, {
      alarmName: `petstore-${props.stage}-${props.name}`,
      alarmDescription: `${props.meaning} What to do: docs/aws/watch.md, "${props.name}".`,
      metric: props.metric,
      ...('silentPeriods' in props ? silence(props) : threshold(props)),
      // A percentile over five requests is meaningless. CloudWatch rejects the option with any other statistic.
      ...(isPercentile(props.metric) && { evaluateLowSampleCountPercentile: 'ignore' }),
    });
  }
}

function threshold({ above, periods, isSilenceAFault = false }: ServiceAlarmProps) {
  const { above: datapointsToAlarm, of: evaluationPeriods } = periods ?? { above: 1, of: 1 };
  return {
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    datapointsToAlarm,
    evaluationPeriods,
    treatMissingData: isSilenceAFault ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  };
}

function silence({ silentPeriods }: OverdueAlarmProps) {
  return {
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    datapointsToAlarm: silentPeriods,
    evaluationPeriods: silentPeriods,
    treatMissingData: TreatMissingData.BREACHING,
  };
}

function isPercentile(metric: IMetric): boolean {
  return metric instanceof Metric && /^p\d/.test(metric.statistic);
}

export interface AlarmTopicProps {
  readonly name: string;
  /** The address to which alarms are sent; undefined for none. */
  readonly email: string | undefined;
}

/** A topic to which this account's alarms may publish, with an email address. Alarms and their topic are in the same region. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { name, email }: AlarmTopicProps) {
    super(scope, id, { displayName: `petstore ${name} alarms`, enforceSSL: true });
    // Enforcing TLS replaces the topic's default policy, which lets the account's own alarms publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email === undefined) return;
    Validations.of(this.addSubscription(new EmailSubscription(email))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries email for hours. A queue would keep alarms that are over by then, and could itself only be reported by email;' +
        'the state of each alarm is in CloudWatch and on the incident dashboard.',
    });
  }
}
