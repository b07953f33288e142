// Faults become answers: storage that fails is 503, anything else 500. What happened goes to the log, not to the caller.

import { StoreFault } from '../../core/store-fault.ts';
import { type Middleware, refusalResponse } from './call.ts';
import type { Refusal } from './errors.ts';

const UNAVAILABLE: Refusal = {
  code: 'unavailable',
  message: 'storage did not answer; nothing is known to have changed; retry, a POST with the same Idempotency-Key',
  headers: { 'retry-after': '1' },
};
const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault of the service; quote the X-Request-Id when reporting it' };

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
