// Alarms on CloudFront's metrics, and the delivery of its logs. They have a stack of their own because both are in us-east-1, wherever the stage is.

import { Aws, Stack, type StackProps } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { sitesBucketOf } from '../../platforms/aws/stage-name.ts';
import { CLOUDFRONT_METRICS_REGION, edgeAlarms } from '../alarms/edge.ts';
import { AlarmTopic, ServiceAlarm } from '../constructs/service-alarm.ts';
import type { SiteEdge } from '../constructs/site-edge.ts';
import { VisitDelivery } from '../constructs/visit-delivery.ts';
import type { PlatformSettings } from '../platform-props.ts';
import type { DashboardStack } from './dashboard.ts';

export interface EdgeAlarmsStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edge: SiteEdge;
  readonly dashboard: DashboardStack;
}

/** The alarms with their topic, and the delivery of the logs. */
export class EdgeAlarmsStack extends Stack {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { stage, edge, dashboard, ...props }: EdgeAlarmsStackProps) {
    const { name, account, region, globalName, tablePrefix, alarmEmail: email } = stage;
    super(scope, id, {
      ...props,
      // A stage without an account has no region, and is never deployed.
      ...(account !== undefined && region !== undefined && { env: { account, region: CLOUDFRONT_METRICS_REGION } }),
    });
    this.topic = new AlarmTopic(this, 'Alarms', { name, email });
    const action = new SnsAction(this.topic);
    for (const { id: alarmId, ...definition } of edgeAlarms(edge, dashboard)) {
      const alarm = new ServiceAlarm(this, alarmId, { stage: globalName, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
    new VisitDelivery(this, 'Visits', {
      globalName,
      bucketArn: `arn:${Aws.PARTITION}:s3:::${sitesBucketOf(tablePrefix, Aws.ACCOUNT_ID, region ?? Aws.REGION)}`,
      edge,
    });
  }
}
