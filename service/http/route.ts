// Finds the operation. A path or method that does not exist is refused only after authentication: see dispatch.
// HEAD is answered as GET, without the body.

import { findRoute } from '../catalogue/operations.ts';
import type { ApiMiddleware } from './call.ts';

export function route(): ApiMiddleware {
  const stripBody: ApiMiddleware['after'] = ({ event, response }) => {
    if (event.requestContext.http.method !== 'HEAD') return;
    response.headers['content-length'] = String(Buffer.byteLength(response.body));
    response.body = '';
  };
  return {
    before: ({ event }) => {
      event.call.route = findRoute(event.requestContext.http.method, event.rawPath);
    },
    after: stripBody,
    onError: stripBody,
  };
}
