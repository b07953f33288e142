// HEAD is answered as GET, without the body (RFC 9110, section 9.3.2).

import type { Middleware } from './call.ts';

export function head(): Middleware {
  const stripBody: Middleware['after'] = ({ event, response }) => {
    if (event.requestContext.http.method !== 'HEAD') return;
    const { body, isBase64Encoded = false, statusCode } = response;
    // Of 304 the length would be that of the answer to a GET without a condition, which is not known here.
    if (statusCode !== 304) response.headers['content-length'] = String(Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8'));
    response.body = '';
    response.isBase64Encoded = false;
  };
  return { after: stripBody, onError: stripBody };
}
