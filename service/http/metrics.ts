// Business metrics in EMF: CloudWatch makes them from the log, without a call. One flush a request.

import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { refusedMetric } from '../metric-names.ts';
import type { Middleware } from './call.ts';
import type { Operation } from './operation.ts';

/**
 * @param clock milliseconds since 1970
 * @param describe what is told of a caller
 */
export function metrics<Op extends Operation, Caller>(
  sink: Metrics,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
): Middleware<Op, Caller> {
  const record: Middleware<Op, Caller>['after'] = ({ event: { call }, response }) => {
    // Two sets, not one with both: an alarm needs the whole of one plan, and sets multiply the number of metrics paid for.
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
