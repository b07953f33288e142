// Alarms for what a stage shares with everything else in its AWS account and region, and for the notifications themselves.

import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';

/** 80% of the default quota for concurrent environments (Service Quotas, `L-B99A9384`). Raise it with the quota. */
const CONCURRENCY_WARNING = 800;

/** Returns the alarms for shared limits, and for the notifications. @param topic gets the alarms */
export function accountAlarms(topic: Topic): AlarmDefinition[] {
  return [
    {
      id: 'ConcurrencyNearQuota',
      name: 'concurrency-near-quota',
      meaning: `More than ${CONCURRENCY_WARNING} of the AWS account's Lambda environments in this region were in use or reserved in three of five minutes.`,
      // Without dimensions: the sum of all functions, with what some of them reserve.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ClaimedAccountConcurrency',
        period: Duration.minutes(1),
        statistic: Stats.MAXIMUM,
      }),
      above: CONCURRENCY_WARNING,
      periods: { above: 3, of: 5 },
    },
    {
      // Its own message may fail too, but the CloudWatch dashboard shows it.
      id: 'NotificationsFailed',
      name: 'notifications-failed',
      meaning: 'SNS gave up on delivering an alarm.',
      metric: topic.metricNumberOfNotificationsFailed({ period: Duration.minutes(5), statistic: Stats.SUM }),
      above: 0,
    },
  ];
}
