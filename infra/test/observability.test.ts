// The alarms, the topic that they notify, the budget and the dashboard of the stack `Observability` and of `EdgeAlarms`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/folders.ts';
import type { PetstorePlatform } from '../petstore-platform.ts';
import { EDGES, makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const inFolder = (name: string) => makeApp(join(folder.path, name));
const [production] = makeStages(inFolder('production'), { ...EDGES, PRODUCTION_MAIL_FROM: 'no-reply@example.com' }, ['production']) as [
  PetstorePlatform,
];
const templateOf = (stack: Stack) => Template.fromStack(stack);

describe('observability', () => {
  const template = templateOf(production.observability);
  if (production.edgeAlarms === undefined) throw new Error('no alarms on CloudFront');
  const edgeAlarms = templateOf(production.edgeAlarms);
  const alarms = [template, edgeAlarms, templateOf(production.api)].flatMap((each) => Object.values(each.findResources('AWS::CloudWatch::Alarm')));
  const page = readFileSync(join(import.meta.dirname, '../../docs/aws/watch.md'), 'utf8');

  test('each alarm has a name, a description, and a heading in docs/aws/watch.md', () => {
    const names = alarms.map(({ Properties }) => Properties.AlarmName.replace('petstore-production-', ''));
    // alarm-states.test.ts has all of them.
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(page).toMatch(new RegExp(`^### .*\\b${name}\\b`, 'm'));
    for (const { Properties } of alarms) {
      expect(Properties.AlarmDescription).toContain('docs/aws/watch.md');
      const expected = /-(sweep-overdue|notifier-overdue|unreachable)$/.test(Properties.AlarmName) ? 'breaching' : 'notBreaching';
      expect(Properties.TreatMissingData).toBe(expected);
    }
  });

  // CloudWatch refuses it with "can not be applied with statistic Sum" (aws-cdk and Terraform users report it; no model has the rule).
  test('only alarms on a percentile have the option for percentiles of few samples', () => {
    const having = alarms.filter(({ Properties }) => Properties.EvaluateLowSampleCountPercentile !== undefined);
    expect(having.map(({ Properties }) => Properties.ExtendedStatistic)).toEqual(['p99', 'p99']);
  });

  test('alarms notify the topic when they start and when they end', () => {
    for (const each of [template, edgeAlarms]) {
      const [topic] = Object.keys(each.findResources('AWS::SNS::Topic'));
      each.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
    }
  });

  test("this account's alarms may publish to the topic", () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({ Action: 'sns:Publish', Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } }),
        ]),
      },
    });
  });

  test("the topic notifies the stage's email address", () => {
    const [mailed] = makeStages(inFolder('mail'), { PRODUCTION_ALARM_EMAIL: 'ops@example.com' }, ['production']) as [PetstorePlatform];
    templateOf(mailed.observability).hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
    template.resourceCountIs('AWS::SNS::Subscription', 0);
  });

  test('a budget for what has the tag of the stage is mailed to the same address', () => {
    const budgetOf = (environment: Record<string, string>) => {
      const [one] = makeStages(inFolder('budget'), environment, ['production']) as [PetstorePlatform];
      const { Tags: tags = [] } = Object.values(templateOf(one.observability).findResources('AWS::SNS::Topic'))[0]?.Properties ?? {};
      const [budget] = Object.values(templateOf(one.observability).findResources('AWS::Budgets::Budget'));
      return { tags, budget: budget?.Properties };
    };
    const email = { PRODUCTION_ALARM_EMAIL: 'ops@example.com' };
    const { tags, budget } = budgetOf({ ...email, PRODUCTION_BUDGET: '200' });
    expect(tags).toContainEqual({ Key: 'stage', Value: 'production' });
    expect(budget).toMatchObject({
      Budget: { BudgetLimit: { Amount: 200, Unit: 'USD' }, TimeUnit: 'MONTHLY', CostFilters: { TagKeyValue: ['user:stage$production'] } },
      // Once all of it is spent, or will be by the end of the month; the threshold is a share of the limit, not an amount.
      NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
        Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold: 100, ThresholdType: 'PERCENTAGE' },
        Subscribers: [{ Address: 'ops@example.com' }],
      })),
    });
    expect(budgetOf(email).budget).toBeUndefined();
  });

  test('the CloudWatch dashboard shows traffic, refusals, latency, storage, custom domains and cost', () => {
    const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    for (const title of [
      'Alarms',
      'Traffic by operation',
      'Refusals by kind',
      'Latency seen by callers',
      'Storage: call latency',
      'Edge: visitors',
      'Edge: function failures',
      'Edge: missing pages',
      'Domain workflow',
      'Control API',
      'Cost: requests',
    ])
      expect(body).toContain(title);
  });
});
