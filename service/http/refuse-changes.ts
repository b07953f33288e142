// Refuses changes while an installation is being moved. Requests that only read are handled as usual.

import type { Middleware } from './call.ts';
import type { Refusal } from './errors.ts';

export const CHANGES_STOPPED: Refusal = {
  code: 'unavailable',
  message: 'this installation is being moved: nothing can be changed until it is served from its new location; try again',
  headers: { 'retry-after': '10' },
};

/** Whether a request with this method only reads (RFC 9110, section 9.2.1). */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Creates the middleware. @param areStopped whether changes are currently refused */
export function refuseChanges(areStopped: () => boolean): Middleware {
  return {
    before: ({ event: { call, requestContext } }) => {
      if (areStopped() && !isSafe(requestContext.http.method)) call.refusal ??= CHANGES_STOPPED;
    },
  };
}
