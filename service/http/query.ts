// Parameters that an operation does not know are refused, alike everywhere: a misspelt one would be taken for none.

import type { Middleware } from './call.ts';
import { shownValue } from './validate.ts';

export function query(): Middleware {
  return {
    before: ({ event: { call, queryStringParameters } }) => {
      if (queryStringParameters === undefined || call.refusal !== undefined) return;
      // An operation with a query checks it as a whole, where it reads it.
      if (call.route.kind !== 'operation' || call.route.operation.query !== undefined) return;
      const names = Object.keys(queryStringParameters);
      if (names.length === 0) return;
      call.refusal = {
        code: 'invalid_request',
        message: names.map((name) => `query parameter ${shownValue(name)}: not known; allowed: none`).join('\n'),
      };
    },
  };
}
