// Alarms, their notifications, and the incident dashboard. Each alarm has a heading in docs/aws/watch.md that explains what to do.

import { Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { accountAlarms, StageBudget } from '../alarms/account.ts';
import { apiAlarms } from '../alarms/api.ts';
import { dashboardAlarms } from '../alarms/dashboard.ts';
import { domainAlarms } from '../alarms/domains.ts';
import type { CatalogueApi } from '../constructs/catalogue.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { type CustomDomainParts, IncidentDashboard } from '../constructs/incident-dashboard.ts';
import { ProbeFunction } from '../constructs/probe-function.ts';
import { AlarmTopic, ServiceAlarm } from '../constructs/service-alarm.ts';
import { releaseName } from '../constructs/service-function.ts';
import type { PlatformSettings } from '../platform-props.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly tables: Tables;
  readonly catalogue: CatalogueApi;
  /** The parts for custom domains; undefined if the stage has no edge name. */
  readonly customDomains: CustomDomainParts | undefined;
}

/** The topic, the alarms and the incident dashboard. */
export class ObservabilityStack extends Stack {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: ObservabilityStackProps) {
    super(scope, id, props);
    const { stage, tables, customDomains } = props;
    const { name, globalName, throttle, alarmEmail, budget } = stage;
    const { api, apiFunction, accessLogs, url } = props.catalogue;
    this.topic = new AlarmTopic(this, 'Alarms', { name, email: alarmEmail });
    const probe = new ProbeFunction(this, 'Probe', { ...stage, url }).function as IFunction;
    const action = new SnsAction(this.topic);
    const definitions = [
      ...apiAlarms({ name, throttle, tables, api, handler: apiFunction.alias as IFunction, probe }),
      ...accountAlarms(this.topic),
      ...(customDomains === undefined
        ? []
        : [...domainAlarms(name, customDomains.domains, customDomains.edge), ...dashboardAlarms(name, customDomains.dashboard)]),
    ];
    const alarms = definitions.map(({ id: alarmId, ...definition }) => {
      const alarm = new ServiceAlarm(this, alarmId, { stage: name, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
    if (stage.canary) this.notifyAboutRollbacks(name);
    if (budget !== undefined && alarmEmail !== undefined) new StageBudget(this, 'Budget', { name, globalName, limit: budget, email: alarmEmail });
    new IncidentDashboard(this, 'Incident', { name, globalName, api, apiFunction, accessLogs, tables, customDomains, alarms });
  }

  /** Reports a release that CodeDeploy stopped or rolled back. The alarms that cause a rollback notify no one: the rollback is their action. */
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
