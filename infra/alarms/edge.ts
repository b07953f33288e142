// Alarms on CloudFront's own metrics, which exist only in us-east-1. These metrics are always on and free; their alarms are not.

import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { sumOf } from '../constructs/api-metrics.ts';
import type { DashboardParts } from '../constructs/dashboard-site.ts';
import type { SiteEdge } from '../constructs/edge/site-edge.ts';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';

/** The region of CloudFront's metrics (CloudFront Developer Guide, "Types of metrics for CloudFront"). */
export const CLOUDFRONT_METRICS_REGION = 'us-east-1';

const MINUTE = Duration.minutes(1);
const FAULTS_PERCENT = 5;
/** With fewer requests per minute, a rate is meaningless. */
const ENOUGH_REQUESTS = 20;
const GLOBAL = { Region: 'Global' };
/** Metrics of 5xx answers that CloudFront sends although the origin works: the function failed, returned something invalid, or ran too long. */
const FUNCTION_FAILURES = ['FunctionExecutionErrors', 'FunctionValidationErrors', 'FunctionThrottles'];

/** Returns a distribution's metric, over all its tenants. */
export function distributionMetric(distributionId: string, metricName: string, statistic: string): Metric {
  const dimensionsMap = { DistributionId: distributionId, ...GLOBAL };
  return new Metric({ namespace: 'AWS/CloudFront', metricName, dimensionsMap, statistic, period: MINUTE, region: CLOUDFRONT_METRICS_REGION });
}

/** Returns the failures of a function in front of the cache, for each of which a visitor gets an error page. */
export function functionFailures(functionName: string, label: string): IMetric {
  const of = (metricName: string) =>
    new Metric({
      namespace: 'AWS/CloudFront',
      metricName,
      dimensionsMap: { FunctionName: functionName, ...GLOBAL },
      statistic: Stats.SUM,
      period: MINUTE,
      region: CLOUDFRONT_METRICS_REGION,
    });
  // Metric ids must be unique within a graph.
  return sumOf(label, Object.fromEntries(FUNCTION_FAILURES.map((name) => [`${label}${name}`, of(name)])), MINUTE);
}

function errorRate(distributionId: string): IMetric {
  return new MathExpression({
    label: '5xx in percent',
    expression: `IF(requests >= ${ENOUGH_REQUESTS}, rate, 0)`,
    usingMetrics: {
      requests: distributionMetric(distributionId, 'Requests', Stats.SUM),
      rate: distributionMetric(distributionId, '5xxErrorRate', Stats.AVERAGE),
    },
    period: MINUTE,
  });
}

/** Returns the alarms for custom domains and the dashboard as visitors see them. */
export function edgeAlarms(edge: SiteEdge, { site }: Pick<DashboardParts, 'site'>): AlarmDefinition[] {
  return [
    {
      id: 'EdgeFaults',
      name: 'edge-5xx',
      meaning: `More than ${FAULTS_PERCENT}% of the responses to visitors of custom domains were 5xx in three of five minutes.`,
      metric: errorRate(edge.distribution.attrId),
      above: FAULTS_PERCENT,
      periods: { above: 3, of: 5 },
    },
    {
      id: 'EdgeFunction',
      name: 'edge-function-failing',
      meaning: 'The function in front of the cache of custom domains failed in two of five minutes; each failure is an error page.',
      metric: functionFailures(edge.viewerRequestName, 'edge'),
      above: 0,
      periods: { above: 2, of: 5 },
    },
    {
      id: 'DashboardFaults',
      name: 'dashboard-5xx',
      meaning: `More than ${FAULTS_PERCENT}% of the dashboard's responses were 5xx in three of five minutes.`,
      metric: errorRate(site.distribution.distributionId),
      above: FAULTS_PERCENT,
      periods: { above: 3, of: 5 },
    },
    {
      id: 'DashboardFunction',
      name: 'dashboard-function-failing',
      meaning: "The function in front of the dashboard's cache failed in two of five minutes; each failure is an error page.",
      metric: functionFailures(site.onePageName, 'dashboard'),
      above: 0,
      periods: { above: 2, of: 5 },
    },
  ];
}
