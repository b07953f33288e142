// An alarm that follows the project's conventions: named after its stage, and with a description that refers to the documentation. It is
// quiet without data, unless the data itself is what must not stop.

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
  /** Whether periods without data count as being above the threshold. @default false */
  readonly isSilenceAFault?: boolean;
}

/** An alarm for something that must happen: it goes off if no datapoint was recorded for this long. */
export interface OverdueAlarmProps extends Omit<ServiceAlarmProps, 'metric' | 'above' | 'periods' | 'isSilenceAFault'> {
  /** Counts what must happen, with the statistic SampleCount or Sum. */
  readonly metric: Metric;
  /** The number of consecutive periods without any. */
  readonly silentPeriods: number;
}

/** An alarm with its construct id, which determines its logical id and so never changes. */
export type AlarmDefinition = { readonly id: string } & (Omit<ServiceAlarmProps, 'stage'> | Omit<OverdueAlarmProps, 'stage'>);

/** An alarm above a threshold, or for silence. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ServiceAlarmProps | OverdueAlarmProps) {
    super(scope, id, {
      alarmName: `petstore-${props.stage}-${props.name}`,
      alarmDescription: `${props.meaning} What to do: docs/operations.md, "${props.name}".`,
      metric: props.metric,
      ...('silentPeriods' in props ? silence(props) : threshold(props)),
      // A percentile over five requests is meaningless. CloudWatch refuses the option with any other statistic.
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
