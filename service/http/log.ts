// One structured line a request, and the whole fault where there was one. Keys appear by their id, never by their text.

import type { Logger } from '@aws-lambda-powertools/logger';
import { keyIdOf } from '../../core/access/api-key.ts';
import type { ApiMiddleware, ApiRequest } from './call.ts';

/** @param clock milliseconds since 1970 */
export function log(logger: Logger, clock: () => number): ApiMiddleware {
  const fields = ({ event: { call, requestContext }, response }: ApiRequest) => ({
    requestId: call.requestId,
    sourceIp: requestContext.http.sourceIp,
    operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind,
    method: requestContext.http.method,
    status: response.statusCode,
    durationMs: clock() - call.now,
    ...(call.refusal && { code: call.refusal.code }),
    ...(call.caller && { accountId: call.caller.accountId, keyId: keyIdOf(call.caller.accountId, call.caller.digest), plan: call.caller.plan }),
  });
  const after: ApiMiddleware = logger.level <= INFO ? { after: (request) => logger.info('request', fields(request)) } : {};
  return {
    ...after,
    onError: (request) => {
      const error = request.error instanceof Error ? request.error : new Error(String(request.error));
      logger.error('fault', { error, ...fields(request) });
    },
  };
}

/** Powertools' threshold of INFO: below it, not even the fields are gathered. */
const INFO = 12;
