// Alarms, their notifications, and the incident dashboard. Each alarm has a heading in docs/operations.md that explains what to do.

import { Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { accountAlarms } from '../alarms/account.ts';
import { catalogueAlarms } from '../alarms/catalogue.ts';
import { dashboardAlarms } from '../alarms/dashboard.ts';
import { domainAlarms } from '../alarms/domains.ts';
import { AlarmTopic } from '../constructs/alarm-topic.ts';
import type { ApiFunction } from '../constructs/api-function.ts';
import { releaseName } from '../constructs/canary-release.ts';
import { IncidentDashboard } from '../constructs/incident-dashboard.ts';
import { ProbeFunction } from '../constructs/probe-function.ts';
import { ServiceAlarm } from '../constructs/service-alarm.ts';
import { StageBudget } from '../constructs/stage-budget.ts';
import type { StageSettings } from '../stages.ts';
import type { Tables } from './data.ts';
import type { CustomDomainStacks } from './operator.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly tables: Tables;
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  /** The API's public address. */
  readonly url: string;
  readonly accessLogs: ILogGroup;
  /** Undefined if the stage has no edge name. */
  readonly customDomains: CustomDomainStacks | undefined;
}

/** The topic, the alarms and the incident dashboard. */
export class ObservabilityStack extends Stack {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: ObservabilityStackProps) {
    super(scope, id, props);
    const { stage, customDomains } = props;
    this.topic = new AlarmTopic(this, 'Alarms', { stage });
    const probe = new ProbeFunction(this, 'Probe', { stage, url: props.url }).function as IFunction;
    const action = new SnsAction(this.topic);
    const definitions = [
      ...catalogueAlarms({ ...props, probe }),
      ...accountAlarms(this.topic),
      ...(customDomains === undefined
        ? []
        : [...domainAlarms(stage.name, customDomains.domains, customDomains.edge), ...dashboardAlarms(stage.name, customDomains.dashboard)]),
    ];
    const alarms = definitions.map(({ id: alarmId, ...definition }) => {
      const alarm = new ServiceAlarm(this, alarmId, { stage: stage.name, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
    if (stage.canary) this.notifyAboutRollbacks(stage.name);
    if (stage.budget !== undefined && stage.alarmEmail !== undefined)
      new StageBudget(this, 'Budget', { stage, limit: stage.budget, email: stage.alarmEmail });
    new IncidentDashboard(this, 'Incident', { ...props, alarms });
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
