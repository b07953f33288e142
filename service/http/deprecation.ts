// Announces the removal of an operation on each of its answers, and refuses it from its sunset on.

import type { Call, Middleware } from './call.ts';
import type { Deprecation } from './operation.ts';

export function deprecation(): Middleware {
  const announce: Middleware['after'] = ({ event, response }) => {
    const deprecated = deprecationOf(event.call);
    if (deprecated === undefined) return;
    response.headers.deprecation = `@${deprecated.since / 1000}`;
    response.headers.sunset = new Date(deprecated.sunset).toUTCString();
    response.headers.link = `<${deprecated.successor}>; rel="successor-version"`;
  };
  return {
    before: ({ event: { call } }) => {
      const deprecated = deprecationOf(call);
      if (deprecated === undefined || call.now < deprecated.sunset) return;
      const removed = new Date(deprecated.sunset).toISOString().slice(0, 10);
      call.refusal ??= { code: 'gone', message: `this operation was removed on ${removed}; use GET ${deprecated.successor}` };
    },
    after: announce,
    onError: announce,
  };
}

function deprecationOf({ route }: Call): Deprecation | undefined {
  return route.kind === 'operation' ? route.operation.deprecation : undefined;
}
