// Alarms, their notifications, and the incident dashboard. Each alarm has a heading in docs/operations.md that explains what to do.

import { Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IAlarmAction, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { CERTIFICATE_FAILED, DOMAINS_STUCK, EDGE_TENANTS, RENEWALS_OVERDUE, refusedMetric } from '../../service/metric-names.ts';
import type { ApiFunction } from '../constructs/api-function.ts';
import { domainMetric, keylessMetric, latency, serverErrorRate, throttledRequests } from '../constructs/api-metrics.ts';
import { releaseName } from '../constructs/canary-release.ts';
import { IncidentDashboard } from '../constructs/incident-dashboard.ts';
import { ServiceAlarm, type ServiceAlarmProps } from '../constructs/service-alarm.ts';
import type { StageSettings } from '../stages.ts';
import type { Tables } from './data.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly tables: Tables;
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  readonly accessLogs: ILogGroup;
  /** The workflow for custom domains. @default the stage has none */
  readonly workflow: StateMachine | undefined;
}

const MINUTE = Duration.minutes(1);
const FAULTS_PERCENT = 1;
const SLOW_MS = 1_000;
/** In five minutes. A client with a wrong key sends some hundred such requests; guessing from many addresses causes thousands. */
const REFUSED_KEYS = 3_000;
const HANDLER_ERRORS = 2;
/** Per hour. */
const CERTIFICATES_FAILED = 10;
/** Each tenant has a certificate, and ACM's quota is lower than CloudFront's (10,000 tenants). An increase takes days. */
const CERTIFICATES_QUOTA = 2_500;
const CERTIFICATES_WARNING = 2_000;

/** The topic, the alarms and the incident dashboard. */
export class ObservabilityStack extends Stack {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: ObservabilityStackProps) {
    super(scope, id, props);
    const { stage, tables, api, apiFunction } = props;
    this.topic = new Topic(this, 'Alarms', { displayName: `petstore ${stage.name} alarms`, enforceSSL: true });
    // Enforcing TLS replaces the topic's default policy, which lets the account's own alarms publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (stage.alarmEmail !== undefined) this.sendMail(stage.alarmEmail);
    const tell = new SnsAction(this.topic);
    const alarm = (alarmId: string, rest: Omit<ServiceAlarmProps, 'stage'>) =>
      withNotification(new ServiceAlarm(this, alarmId, { stage: stage.name, ...rest }), tell);

    const alarms = [
      alarm('Faults', {
        name: 'faults',
        meaning: `More than ${FAULTS_PERCENT} % of responses were 5xx in three of five minutes.`,
        metric: serverErrorRate(api),
        above: FAULTS_PERCENT,
        periods: { above: 3, of: 5 },
      }),
      alarm('Slow', {
        name: 'slow',
        meaning: `One response in a hundred took more than ${SLOW_MS} ms in three of five minutes.`,
        metric: latency(api, 99),
        above: SLOW_MS,
        periods: { above: 3, of: 5 },
      }),
      alarm('HandlerDead', {
        name: 'handler-dead',
        meaning: "The API's function does not start, crashes or times out.",
        metric: apiFunction.alias.metricErrors({ period: MINUTE, statistic: Stats.SUM }),
        above: HANDLER_ERRORS,
        periods: { above: 2, of: 5 },
      }),
      alarm('FunctionThrottled', {
        name: 'function-throttled',
        meaning: "Lambda refused to run the function: the account's or the function's concurrency is used up.",
        metric: apiFunction.alias.metricThrottles({ period: MINUTE, statistic: Stats.SUM }),
        above: 0,
      }),
      ...(Object.entries(tables) as [keyof Tables, TableV2][]).map(([name, table]) =>
        alarm(`TableThrottled-${name}`, {
          name: `table-throttled-${name}`,
          meaning: `DynamoDB throttled reads or writes of the table ${name} in two of five minutes.`,
          metric: throttledRequests(table, name),
          above: 0,
          periods: { above: 2, of: 5 },
        }),
      ),
      alarm('RefusedKeys', {
        name: 'refused-keys',
        meaning: `More than ${REFUSED_KEYS} requests in five minutes had no valid key: someone is guessing keys, or a customer's deployment has lost its key.`,
        metric: keylessMetric(stage.name, refusedMetric('unauthorized'), Duration.minutes(5)),
        above: REFUSED_KEYS,
      }),
    ];
    if (props.workflow !== undefined) alarms.push(...domainAlarms(props.workflow, stage.name, alarm));
    if (stage.canary) this.notifyAboutRollbacks(stage.name);
    new IncidentDashboard(this, 'Incident', { ...props, alarms });
  }

  private sendMail(address: string): void {
    Validations.of(this.topic.addSubscription(new EmailSubscription(address))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries email for hours. A queue would keep alarms that are over by then, and could itself only be reported by email;' +
        'the state of each alarm is in CloudWatch and on the incident dashboard.',
    });
  }

  /**
   * Notifies about a release that CodeDeploy stopped or rolled back. The alarms that cause a rollback don't notify anyone; the rollback is their
   * action.
   */
  private notifyAboutRollbacks(stage: StageName): void {
    const rule = new Rule(this, 'Rollback', {
      description: 'A release failed, was stopped or was rolled back',
      eventPattern: {
        source: ['aws.codedeploy'],
        detailType: ['CodeDeploy Deployment State-change Notification'],
        detail: { application: [releaseName(stage)], state: ['FAILURE', 'STOP'] },
      },
      targets: [new SnsTopic(this.topic)],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'The release itself fails visibly in the pipeline; this message is a second notification.',
    });
  }
}

/** Creates the alarms for custom domains. */
function domainAlarms(
  workflow: StateMachine,
  stage: StageName,
  alarm: (id: string, rest: Omit<ServiceAlarmProps, 'stage'>) => ServiceAlarm,
): ServiceAlarm[] {
  const hour = Duration.hours(1);
  return [
    alarm('DomainsStuck', {
      name: 'domains-stuck',
      meaning: 'The next step of a custom domain has been overdue for an hour.',
      metric: domainMetric(stage, DOMAINS_STUCK, Duration.minutes(5), Stats.MAXIMUM),
      above: 0,
      periods: { above: 3, of: 3 },
    }),
    alarm('DomainWorkflowFailed', {
      name: 'domain-workflow-failed',
      meaning: 'An execution of the domain workflow failed.',
      metric: workflow.metricFailed({ period: hour, statistic: Stats.SUM }),
      above: 0,
    }),
    alarm('CertificatesFailed', {
      name: 'certificates-failed',
      meaning: `More than ${CERTIFICATES_FAILED} certificates failed within an hour: more likely our fault than the fault of this many owners.`,
      metric: domainMetric(stage, CERTIFICATE_FAILED, hour, Stats.SUM),
      above: CERTIFICATES_FAILED,
    }),
    alarm('EdgeNearQuota', {
      name: 'edge-near-quota',
      meaning: `More than ${CERTIFICATES_WARNING} domains are at the edge, each with a certificate; ACM allows ${CERTIFICATES_QUOTA}.`,
      metric: domainMetric(stage, EDGE_TENANTS, hour, Stats.MAXIMUM),
      above: CERTIFICATES_WARNING,
    }),
    alarm('RenewalsOverdue', {
      name: 'renewals-overdue',
      meaning: "The renewal of a live domain's certificate is long overdue.",
      metric: domainMetric(stage, RENEWALS_OVERDUE, hour, Stats.MAXIMUM),
      above: 0,
    }),
  ];
}

function withNotification(alarm: ServiceAlarm, action: IAlarmAction): ServiceAlarm {
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}
