// The alarms of an API in a CDK app of others. Our own stages have more of them, and an incident dashboard (stacks/observability.ts).

import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type ApiAlarmsProps, apiAlarms } from '../alarms/api.ts';
import type { AnyTable } from './catalogue-tables.ts';
import { ServiceAlarm } from './service-alarm.ts';

export interface PublicApiAlarmsProps extends ApiAlarmsProps {
  readonly topic: ITopic;
}

/** The tables that have alarms: those that constructs share have them once. */
const watched = new WeakSet<AnyTable>();

/** The alarms, which notify a topic when they go off and when they are over. */
export class PublicApiAlarms extends Construct {
  readonly alarms: readonly ServiceAlarm[];

  constructor(scope: Construct, id: string, { topic, ...props }: PublicApiAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const tables = Object.fromEntries(Object.entries(props.tables).filter(([, table]) => !watched.has(table)));
    for (const table of Object.values(tables)) watched.add(table);
    this.alarms = apiAlarms({ ...props, tables }).map(({ id: alarmId, ...definition }) => {
      const alarm = new ServiceAlarm(this, alarmId, { stage: props.name, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
  }
}
