// The trace of a request. It is read when something needs it: most requests are neither logged nor passed on.

import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type TraceContext, traceContext, traceHeaders } from '../../core/http/trace-context.ts';
import type { Call } from './call.ts';

type Traced = Pick<APIGatewayProxyEventV2, 'headers'> & { readonly call: Pick<Call, 'trace'> };

/** Returns where a request is in its trace; the same each time. */
export function traceOf({ headers, call }: Traced): TraceContext {
  call.trace ??= traceContext(headers.traceparent, headers.tracestate, randomBytes);
  return call.trace;
}

/** Returns the event as another service gets it: as a part of the same trace that follows from ours. */
export function withTrace<E extends Traced>(event: E): E {
  const { traceparent, tracestate, ...headers } = event.headers;
  const { traceparent: ours, tracestate: kept } = traceHeaders(traceOf(event));
  return { ...event, headers: { ...headers, traceparent: ours, ...(kept !== undefined && { tracestate: kept }) } };
}
