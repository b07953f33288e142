// The names of the service's own metrics, for the code that counts and for the alarms that watch.

import type { ErrorCode } from '../core/http/errors.ts';

/** The CloudWatch namespace; the dimension `service` tells the stages apart. */
export const METRICS_NAMESPACE = 'Petstore';

/** One metric a kind of refusal: an alarm names the one that it watches. */
export function refusedMetric(code: ErrorCode): string {
  return `Refused_${code}`;
}
