// The API's metrics for alarms and dashboards, each defined once.

import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { GraphWidget, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { METRICS_NAMESPACE } from '../../service/metric-names.ts';
import { type AnyTable, TABLE_INDEXES, type Tables } from './catalogue-tables.ts';

const MINUTE = Duration.minutes(1);
/** With fewer requests per minute, a rate is meaningless. */
const ENOUGH_REQUESTS = 20;

/** Returns the service name in a stage's own metrics and logs. */
export function serviceName(stage: StageName): string {
  return `petstore-${stage}`;
}

/** Returns responses with status 500 and above, as a percentage of all; 0 if there is too little traffic. */
export function serverErrorRate(api: HttpApi): IMetric {
  return new MathExpression({
    label: '5xx in percent',
    expression: `IF(requests >= ${ENOUGH_REQUESTS}, 100 * FILL(faults, 0) / requests, 0)`,
    usingMetrics: {
      requests: api.metricCount({ period: MINUTE, statistic: Stats.SUM }),
      faults: api.metricServerError({ period: MINUTE, statistic: Stats.SUM }),
    },
    period: MINUTE,
  });
}

/** Returns the latency that callers see, as measured by API Gateway. */
export function latency(api: HttpApi, percentile: 50 | 90 | 99): Metric {
  return api.metricLatency({ period: MINUTE, statistic: Stats.p(percentile) });
}

/** Returns throttled calls, including those of indexes, which the table's metrics leave out (DynamoDB Developer Guide, "Throttling diagnosis"). */
export function throttledRequests(table: AnyTable, label: keyof Tables): IMetric {
  const usingMetrics: Record<string, IMetric> = {};
  for (const [index, indexName] of [undefined, ...TABLE_INDEXES[label]].entries()) {
    const dimensionsMap = { TableName: table.tableName, ...(indexName !== undefined && { GlobalSecondaryIndexName: indexName }) };
    for (const kind of ['Read', 'Write']) {
      // Metric ids must be unique within a graph, so they contain the table's name.
      const id = `${label}${kind}s${index === 0 ? '' : `OfIndex${index}`}`;
      usingMetrics[id] = table.metric(`${kind}ThrottleEvents`, { dimensionsMap, period: MINUTE, statistic: Stats.SUM });
    }
  }
  return sumOf(label, usingMetrics, MINUTE);
}

/** Returns the sum of metrics, each counted as 0 in periods without data. @param metrics by id, which begins with a lower-case letter */
export function sumOf(label: string, metrics: Readonly<Record<string, IMetric>>, period: Duration): MathExpression {
  const terms = Object.keys(metrics).map((id) => `FILL(${id}, 0)`);
  return new MathExpression({ label, expression: terms.join(' + '), usingMetrics: { ...metrics }, period });
}

/** Returns a metric from service/http/observe.ts for requests without a valid key. */
export function keylessMetric(stage: StageName, metricName: string, period: Duration): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { service: serviceName(stage), plan: 'none' },
    statistic: Stats.SUM,
    period,
  });
}

/** Returns a metric from service/http/observe.ts for each value of a dimension. Only for dashboards: alarms don't support searches. */
export function searchMetric(stage: StageName, dimension: 'operation' | 'plan', metricNames: string, statistic: string): MathExpression {
  return new MathExpression({
    label: '',
    expression: `SEARCH('{${METRICS_NAMESPACE},service,${dimension}} service="${serviceName(stage)}" ${metricNames}', '${statistic}', 60)`,
    usingMetrics: {},
    period: MINUTE,
  });
}

/** Returns a metric from the domain functions. */
export function domainMetric(stage: StageName, metricName: string, period: Duration, statistic: string): Metric {
  return new Metric({ namespace: METRICS_NAMESPACE, metricName, dimensionsMap: { service: serviceName(stage) }, period, statistic });
}

const HALF = 12;

/** Creates a graph from zero, half as wide as the page, with the unit on its axis. @param right metrics on a second axis. @default none */
export function graph(title: string, left: IMetric[], unit: string, right: IMetric[] = [], rightUnit = ''): GraphWidget {
  return new GraphWidget({
    title,
    width: HALF,
    height: 6,
    left,
    leftYAxis: { label: unit, showUnits: false, min: 0 },
    ...(right.length > 0 && { right, rightYAxis: { label: rightUnit, showUnits: false, min: 0 } }),
  });
}
