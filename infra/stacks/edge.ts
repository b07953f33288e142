// Serves custom domains: the bucket, the edge map and the distributions.

import { Aws, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { sitesBucketOf } from '../../platforms/aws/stage-name.ts';
import { CLOUDFRONT_METRICS_REGION, edgeAlarms } from '../alarms/edge.ts';
import { EdgeEntry } from '../constructs/edge/edge-origin.ts';
import { SiteEdge } from '../constructs/edge/site-edge.ts';
import { VisitDelivery } from '../constructs/edge/visit-delivery.ts';
import { AlarmTopic, ServiceAlarm } from '../constructs/service-alarm.ts';
import type { EdgeNameProps } from '../constructs/service-props.ts';
import type { PlatformSettings } from '../platform-props.ts';
import type { DashboardStack } from './dashboard.ts';

export interface EdgeStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edge: EdgeNameProps;
}

/** The bucket, the edge map and the distribution. */
export class EdgeStack extends Stack {
  readonly edge: SiteEdge;

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    this.edge = new SiteEdge(this, 'Default', { ...props.stage, edgeName: props.edge });
  }
}

// The entry point for all custom domains' traffic. It has a separate stack because nothing else in the edge depends on it.

export interface EdgeEntryStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edge: EdgeNameProps;
  /** The distribution for projects' own addresses; undefined if there is none. */
  readonly targets: CfnDistribution | undefined;
}

/** The connection group and its DNS record. */
export class EdgeEntryStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeEntryStackProps) {
    super(scope, id, props);
    const { stage, edge, targets } = props;
    const { endpoint } = new EdgeEntry(this, 'Default', { name: stage.name, globalName: stage.globalName, edgeName: edge, targets });
    new CfnOutput(this, 'EdgeTarget', { description: `CNAME target of *.${edge.name}`, value: endpoint });
  }
}

// Alarms on CloudFront's metrics, and the delivery of its logs. They have a separate stack because both are in us-east-1, wherever the stage is.

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
