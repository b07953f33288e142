// How long a target may take for one request. If it took longer, callers would not get the gate's answer: API Gateway gives up, and Lambda ends the function.

import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** How long API Gateway waits for an integration, in milliseconds ("Quotas for configuring and running an HTTP API"). A cold start is part of it. */
const GATEWAY_WAITS_MS = 30_000;
/** For reading and returning a response of 6 MB, in milliseconds. */
export const MARGIN_MS = 500;

/** Says how long the target may still take, in whole milliseconds; 0 or less if there is no time left. */
export type TimeLeft = () => number;

/**
 * Returns the time that is left for a request: what the target may take, but no more than Lambda and API Gateway leave.
 *
 * @param timeoutMs what the target may take
 * @param clock milliseconds since 1970
 */
export function timeLeft(timeoutMs: number, { requestContext }: APIGatewayProxyEventV2, context: Context, clock: () => number): TimeLeft {
  return () => {
    const gateway = requestContext.timeEpoch + GATEWAY_WAITS_MS - clock();
    return Math.floor(Math.min(timeoutMs, Math.min(gateway, context.getRemainingTimeInMillis()) - MARGIN_MS));
  };
}
