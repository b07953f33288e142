// An alarm that follows the project's conventions: named after its stage, quiet without data, and with a description that refers to the
// documentation.

import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';

export interface ServiceAlarmProps {
  readonly stage: StageName;
  /** The name after `petstore-<stage>-`, which is also the heading in docs/operations.md. */
  readonly name: string;
  /** What the alarm means, in one sentence. */
  readonly meaning: string;
  readonly metric: IMetric;
  /** Threshold; the alarm goes off above it. */
  readonly above: number;
  /** How many of the last `of` periods must be above the threshold. @default 1 of 1 */
  readonly periods?: { readonly above: number; readonly of: number };
}

/** An alarm above a threshold. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { above: datapointsToAlarm, of: evaluationPeriods } = props.periods ?? { above: 1, of: 1 };
    super(scope, id, {
      alarmName: `petstore-${props.stage}-${props.name}`,
      alarmDescription: `${props.meaning} What to do: docs/operations.md, "${props.name}".`,
      metric: props.metric,
      threshold: props.above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm,
      evaluationPeriods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      // A percentile over five requests is meaningless. CloudWatch refuses the option with any other statistic.
      ...(isPercentile(props.metric) && { evaluateLowSampleCountPercentile: 'ignore' }),
    });
  }
}

function isPercentile(metric: IMetric): boolean {
  return metric instanceof Metric && /^p\d/.test(metric.statistic);
}
