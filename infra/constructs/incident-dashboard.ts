// A single page for incidents, in the order in which questions arise: which alarms are on, whether there is traffic, who is refused, whether it is
// slow, whether storage is the cause, how custom domains and the dashboard are doing, and what it will cost.

import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { AlarmStatusWidget, Dashboard, type GraphWidget, type IAlarm, Metric, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { distributionMetric, functionFailures } from '../alarms/edge.ts';
import type { ApiFunction } from './api-function.ts';
import { graph, latency, searchMetric, serverErrorRate, throttledRequests } from './api-metrics.ts';
import type { AnyTable, Tables } from './catalogue-tables.ts';
import type { DashboardParts } from './dashboard-site.ts';
import type { DomainWorkflow } from './domain-workflow.ts';
import type { SiteEdge } from './edge/site-edge.ts';

export interface IncidentDashboardProps {
  readonly name: string;
  readonly globalName: string;
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  readonly accessLogs: ILogGroup;
  readonly tables: Tables;
  /** The parts for custom domains; undefined if the stage has no edge name. */
  readonly customDomains: CustomDomainParts | undefined;
  readonly alarms: readonly IAlarm[];
}

const MINUTE = Duration.minutes(1);

/** A stage's CloudWatch dashboard. */
export class IncidentDashboard extends Construct {
  constructor(scope: Construct, id: string, props: IncidentDashboardProps) {
    super(scope, id);
    const { name, globalName, api, apiFunction, accessLogs, alarms } = props;
    const live = apiFunction.alias;
    const tables = Object.entries(props.tables) as [keyof Tables, AnyTable][];
    const sum = { period: MINUTE, statistic: Stats.SUM };
    const ofTables = (metricName: string, statistic: string) =>
      tables.map(([label, table]) => table.metric(metricName, { period: MINUTE, statistic, label }));

    const latencyOf = (table: AnyTable, operation: string, label: string) =>
      table.metricSuccessfulRequestLatency({
        dimensionsMap: { TableName: table.tableName, Operation: operation },
        period: MINUTE,
        statistic: Stats.p(99),
        label,
      });

    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: `petstore-${globalName}`, defaultInterval: Duration.hours(3) });
    dashboard.addWidgets(
      new TextWidget({ width: 24, height: 1, markdown: `**petstore ${name}**: docs/aws/watch.md explains what to do for each alarm` }),
    );
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 3, alarms: [...alarms] }));
    dashboard.addWidgets(
      graph('Traffic by operation', [searchMetric(name, 'operation', 'MetricName="Requests"', 'Sum')], 'requests a minute'),
      graph('Faults', [serverErrorRate(api)], 'percent', [api.metricServerError({ ...sum, label: '5xx' })], 'responses a minute'),
    );
    dashboard.addWidgets(
      graph('Refusals by kind', [searchMetric(name, 'operation', 'Refused', 'Sum')], 'requests a minute'),
      graph('Traffic by plan', [searchMetric(name, 'plan', 'MetricName="Requests"', 'Sum')], 'requests a minute'),
    );
    dashboard.addWidgets(
      graph(
        'Latency seen by callers',
        ([50, 90, 99] as const).map((percentile) => latency(api, percentile).with({ label: `p${percentile}` })),
        'ms',
      ),
      graph('Latency by operation, p99', [searchMetric(name, 'operation', 'MetricName="Latency"', 'p99')], 'ms'),
    );
    dashboard.addWidgets(
      graph(
        'Function',
        [live.metricErrors({ ...sum, label: 'errors' }), live.metricThrottles({ ...sum, label: 'throttles' })],
        'a minute',
        [live.metric('ConcurrentExecutions', { period: MINUTE, statistic: Stats.MAXIMUM, label: 'concurrent' })],
        'environments',
      ),
      graph(
        'Storage: throttled requests',
        tables.map(([label, table]) => throttledRequests(table, label)),
        'a minute',
      ),
    );
    dashboard.addWidgets(
      graph(
        'Storage: call latency',
        [
          latencyOf(props.tables.usage, 'UpdateItem', 'admission'),
          latencyOf(props.tables.pets, 'Query', 'list'),
          latencyOf(props.tables.pets, 'GetItem', 'get'),
          latencyOf(props.tables.pets, 'PutItem', 'create'),
        ],
        'ms, p99',
      ),
      graph(
        'Cost: storage units',
        ofTables('ConsumedWriteCapacityUnits', Stats.SUM),
        'write units a minute',
        ofTables('ConsumedReadCapacityUnits', Stats.SUM),
        'read units a minute',
      ),
    );
    if (props.customDomains !== undefined) for (const row of customDomainGraphs(props.customDomains)) dashboard.addWidgets(...row);
    dashboard.addWidgets(
      graph(
        'Cost: requests',
        [api.metricCount({ ...sum, label: 'requests' })],
        'a minute',
        [live.metricDuration({ ...sum, label: 'function' })],
        'ms a minute',
      ),
      graph(
        'Cost: logs',
        [['function', apiFunction.logGroup] as const, ['access', accessLogs] as const].map(
          ([label, { logGroupName }]) =>
            new Metric({ namespace: 'AWS/Logs', metricName: 'IncomingBytes', dimensionsMap: { LogGroupName: logGroupName }, ...sum, label }),
        ),
        'bytes a minute',
      ),
    );
  }
}

// The graphs for a stage with an edge name. CloudFront's metrics are read from us-east-1; its alarms are there too, and so not on this page.

/** The parts that a platform with an edge name has in addition to its catalogue. */
export interface CustomDomainParts {
  readonly edge: SiteEdge;
  readonly domains: DomainWorkflow;
  readonly dashboard: DashboardParts;
}

/** Returns the rows of graphs. */
export function customDomainGraphs({ edge, domains, dashboard }: CustomDomainParts): GraphWidget[][] {
  const sum = { period: MINUTE, statistic: Stats.SUM };
  const failover = edge.failover.function;
  const { workflow, steps, sweep } = domains;
  const { control, api, site } = dashboard;
  const distributions = [['custom domains', edge.distribution.attrId] as const, ['dashboard', site.distribution.distributionId] as const];
  const ofDistributions = (metricName: string, statistic: string) =>
    distributions.map(([label, id]) => distributionMetric(id, metricName, statistic).with({ label }));
  return [
    [
      graph(
        'Edge: visitors',
        ofDistributions('Requests', Stats.SUM),
        'requests a minute',
        ofDistributions('5xxErrorRate', Stats.AVERAGE),
        '5xx, percent',
      ),
      graph(
        'Edge: function failures',
        [functionFailures(edge.viewerRequestName, 'customDomains'), functionFailures(site.onePageName, 'dashboard')],
        'a minute',
      ),
    ],
    [
      graph(
        'Edge: missing pages',
        [failover.metric('UrlRequestCount', { ...sum, label: 'requests' })],
        'a minute',
        [failover.metric('Url5xxCount', { ...sum, label: '5xx' }), failover.metricThrottles({ ...sum, label: '429' })],
        'a minute',
      ),
      graph(
        'Domain workflow',
        [
          workflow.metricFailed({ ...sum, label: 'executions failed' }),
          workflow.metricThrottled({ ...sum, label: 'transitions delayed' }),
          steps.function.metricErrors({ ...sum, label: 'steps failed' }),
          sweep.function.metricErrors({ ...sum, label: 'sweeps failed' }),
        ],
        'a minute',
      ),
    ],
    [
      graph(
        'Control API',
        [
          api.metricCount({ ...sum, label: 'requests' }),
          api.metricServerError({ ...sum, label: '5xx' }),
          control.function.metricErrors({ ...sum, label: 'function errors' }),
        ],
        'a minute',
        [api.metricLatency({ period: MINUTE, statistic: Stats.AVERAGE, label: 'latency' })],
        'ms, mean',
      ),
    ],
  ];
}
