// Alarms for quotas that a stage shares with everything else in its AWS account and region, and for the notifications themselves.

import { Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';

/** 80% of the default quota for concurrent environments (Service Quotas, `L-B99A9384`). Raise it with the quota. */
const CONCURRENCY_WARNING = 800;

/** Returns the alarms for shared limits, and for the notifications. @param topic receives the alarms */
export function accountAlarms(topic: Topic): AlarmDefinition[] {
  return [
    {
      id: 'ConcurrencyNearQuota',
      name: 'concurrency-near-quota',
      meaning: `More than ${CONCURRENCY_WARNING} of the AWS account's Lambda environments in this region were in use or reserved in three of five minutes.`,
      // Without dimensions, this is the sum of all functions, including reserved concurrency.
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
      // This alarm's own message may fail too, but the CloudWatch dashboard shows the alarm.
      id: 'NotificationsFailed',
      name: 'notifications-failed',
      meaning: 'SNS gave up on delivering an alarm.',
      metric: topic.metricNumberOfNotificationsFailed({ period: Duration.minutes(5), statistic: Stats.SUM }),
      above: 0,
    },
  ];
}

// A monthly budget for a stage: sends an email when its cost exceeds the budget, or is forecast to. CloudWatch has no metric for the cost of a tag.

export interface StageBudgetProps {
  /** The stage's name, which is the value of its tag. */
  readonly name: string;
  readonly globalName: string;
  /** US dollars a month. */
  readonly limit: number;
  readonly email: string;
}

/** The budget. It counts resources with the stage's tag, in all regions, once the tag is active for cost allocation. */
export class StageBudget extends Construct {
  constructor(scope: Construct, id: string, { name, globalName, limit, email }: StageBudgetProps) {
    super(scope, id);
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `petstore-${globalName}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: limit, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:stage$${name}`] },
      },
      notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
        notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100, thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
