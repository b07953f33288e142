// An alarm as all of ours are: named after its stage, quiet without data, and with a description that says where to read on.

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageName } from '../stages.ts';

export interface ServiceAlarmProps {
  readonly stage: StageName;
  /** Its name behind `petstore-<stage>-`, and its heading in docs/operations.md. */
  readonly name: string;
  /** What it means, in one sentence. */
  readonly meaning: string;
  readonly metric: IMetric;
  /** Goes off above this. */
  readonly above: number;
  /** Of the last `of` periods so many must be above. @default 1 of 1 */
  readonly periods?: { readonly above: number; readonly of: number };
}

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
      // A percentile of five requests says nothing.
      evaluateLowSampleCountPercentile: 'ignore',
    });
  }
}
