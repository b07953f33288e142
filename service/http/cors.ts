// CORS: a page from any origin may make calls with its user's key, which the page has to send explicitly; cookies are not used. On AWS, the HTTP
// API answers preflights from the same lists, without calling the function.

import { addVary, type Middleware } from './call.ts';
import { ALLOWED_HEADERS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from './cors-headers.ts';

const EXPOSED = EXPOSED_HEADERS.join(', ');
const ALLOWED = ALLOWED_HEADERS.join(', ');

/** Creates the middleware that adds CORS headers to every response. */
export function cors(): Middleware {
  const allow: Middleware['after'] = ({ event, response }) => {
    // A cache must not serve one page's response to another page, or to a request without an origin.
    addVary(response.headers, 'Origin');
    if (event.headers.origin === undefined) return;
    response.headers['access-control-allow-origin'] = '*';
    const { route } = event.call;
    if (route.kind !== 'preflight') {
      response.headers['access-control-expose-headers'] = EXPOSED;
      return;
    }
    response.headers['access-control-allow-methods'] = route.allow;
    response.headers['access-control-allow-headers'] = ALLOWED;
    response.headers['access-control-max-age'] = String(PREFLIGHT_MAX_AGE_SECONDS);
  };
  return { after: allow, onError: allow };
}
