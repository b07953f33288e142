// The incident dashboard's graphs for what a stage has with an edge name: custom domains, the control API and the dashboard. The metrics of
// CloudFront are read from us-east-1; its alarms are there too, and so not among those on this page.

import { Duration } from 'aws-cdk-lib';
import { type GraphWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { distributionMetric, functionFailures } from '../alarms/edge.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import type { DomainWorkflow } from './domain-workflow.ts';
import { graph } from './incident-graph.ts';
import type { SiteEdge } from './site-edge.ts';

/** What a platform with an edge name has besides its catalogue. */
export interface CustomDomainParts {
  readonly edge: SiteEdge;
  readonly domains: DomainWorkflow;
  readonly dashboard: DashboardParts;
}

const MINUTE = Duration.minutes(1);

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
        'Edge: failures of functions',
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
