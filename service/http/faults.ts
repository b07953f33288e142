// Turns faults into responses: 503 if storage fails, otherwise 500. Details go to the log, not to the client.

import { StoreFault } from '../../core/refusal.ts';
import { type Middleware, refusalResponse } from './call.ts';
import type { Refusal } from './errors.ts';

const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault in the service; quote the X-Request-Id when reporting it' };

/** Creates the middleware for faults. @param unavailable says what has become of a request for which storage did not answer, and what to do */
export function faults(unavailable: string): Middleware {
  const unavailableRefusal: Refusal = {
    code: 'unavailable',
    message: `storage did not answer; ${unavailable}`,
    headers: { 'retry-after': '1' },
  };
  return {
    onError: (request) => {
      const { call } = request.event;
      const isTemporary = request.error instanceof StoreFault && request.error.kind === 'unavailable';
      call.refusal = isTemporary ? unavailableRefusal : INTERNAL;
      request.response = refusalResponse(call.refusal);
    },
  };
}
