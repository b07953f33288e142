// Lambda concurrency that functions besides the catalogue's reserve. A bound in both directions: a flood of their requests takes at most this much of
// the AWS account's concurrency from the catalogue, and the catalogue can't take it from them.

/** Concurrent environments of each function. docs/operations.md has their sum, and what is beyond it. */
export const RESERVED_CONCURRENCY = {
  /** Missing pages: one environment answers about ten requests a second that are not in CloudFront's cache. */
  failover: 20,
  /** One environment answers about 20 requests a second, or hundreds that it refuses, so API Gateway's throttle is reached first. */
  control: 50,
  /** One environment runs about three steps a second. The state machine repeats a step that gets none. */
  steps: 20,
  /** The two schedules. */
  sweep: 2,
} as const;

/** Returns the function's reserved concurrency as a property, or no property if none is reserved. */
export function reservedConcurrency(reserve: boolean, of: keyof typeof RESERVED_CONCURRENCY): { readonly reservedConcurrentExecutions?: number } {
  return reserve ? { reservedConcurrentExecutions: RESERVED_CONCURRENCY[of] } : {};
}
