// Turns faults into responses: 503 if storage fails, otherwise 500. Details go to the log, not to the client.

import { StoreFault } from '../../core/store-fault.ts';
import { type Middleware, refusalResponse } from './call.ts';
import type { Refusal } from './errors.ts';

const UNAVAILABLE: Refusal = {
  code: 'unavailable',
  message: 'storage did not answer; the request may or may not have taken effect; retry, a POST with the same Idempotency-Key',
  headers: { 'retry-after': '1' },
};
const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault in the service; quote the X-Request-Id when reporting it' };

/** Creates the middleware for faults. */
export function faults(): Middleware {
  return {
    onError: (request) => {
      const { call } = request.event;
      const unavailable = request.error instanceof StoreFault && request.error.kind === 'unavailable';
      call.refusal = unavailable ? UNAVAILABLE : INTERNAL;
      request.response = refusalResponse(call.refusal);
    },
  };
}
