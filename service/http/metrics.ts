// Business metrics in EMF: CloudWatch extracts them from the log, without an API call. One flush per request.

import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { refusedMetric } from '../metric-names.ts';
import type { Middleware } from './call.ts';
import type { Operation } from './operation.ts';

/**
 * @param clock milliseconds since 1970
 * @param describe returns the caller's dimensions
 */
export function metrics<Op extends Operation, Caller>(
  sink: Metrics,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
): Middleware<Op, Caller> {
  const record: Middleware<Op, Caller>['after'] = ({ event: { call }, response }) => {
    // Two dimension sets, not one combined set: an alarm needs a plan's total, and combinations multiply the number of billed metrics.
    sink.addDimensions({ operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind });
    sink.addDimensions({ plan: (call.caller === undefined ? undefined : describe(call.caller).plan) ?? 'none' });
    sink.addMetric('Requests', MetricUnit.Count, 1);
    sink.addMetric('Latency', MetricUnit.Milliseconds, Math.max(0, clock() - call.now));
    if (response.statusCode >= 500) sink.addMetric('Faults', MetricUnit.Count, 1);
    if (call.refusal !== undefined) sink.addMetric(refusedMetric(call.refusal.code), MetricUnit.Count, 1);
    sink.publishStoredMetrics();
  };
  return { after: record, onError: record };
}
