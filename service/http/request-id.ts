// Opens the call: its id, its one moment. The id is API Gateway's, the one in its access log.

import type { ApiMiddleware } from './call.ts';

/** @param clock milliseconds since 1970 */
export function requestId(clock: () => number): ApiMiddleware {
  const sign: ApiMiddleware['after'] = ({ event, response }) => {
    response.headers['x-request-id'] = event.call.requestId;
  };
  return {
    before: ({ event }) => {
      event.call = {
        requestId: event.requestContext.requestId,
        now: clock(),
        route: { kind: 'not_found' },
        refusal: undefined,
        caller: undefined,
        standing: undefined,
        standings: undefined,
        body: undefined,
      };
    },
    after: sign,
    onError: sign,
  };
}
