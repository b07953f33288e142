// The id of the request on every answer. It is API Gateway's, the one in its access log.

import type { Middleware } from './call.ts';

export function requestId(): Middleware {
  const sign: Middleware['after'] = ({ event, response }) => {
    response.headers['x-request-id'] = event.call.requestId;
  };
  return { after: sign, onError: sign };
}
