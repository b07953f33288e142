// One structured line per request, including the complete fault if one occurred. Keys appear by id, never as text.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Exchange, Middleware } from './call.ts';
import type { Operation } from './operation.ts';

/**
 * @param clock milliseconds since 1970
 * @param describe returns what is logged about a caller
 */
export function log<Op extends Operation, Caller>(
  logger: Logger,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
): Middleware<Op, Caller> {
  const fields = ({ event: { call, requestContext }, response }: Exchange<Op, Caller>) => ({
    requestId: call.requestId,
    sourceIp: requestContext.http.sourceIp,
    operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind,
    method: requestContext.http.method,
    status: response.statusCode,
    durationMs: clock() - call.now,
    ...(call.refusal && { code: call.refusal.code }),
    ...(call.caller !== undefined && describe(call.caller)),
  });
  const after: Middleware<Op, Caller> = logger.level <= INFO ? { after: (request) => logger.info('request', fields(request)) } : {};
  return {
    ...after,
    onError: (request) => {
      const error = request.error instanceof Error ? request.error : new Error(String(request.error));
      logger.error('fault', { error, ...fields(request) });
    },
  };
}

/** Powertools' threshold of INFO: below it, the fields are not even collected. */
const INFO = 12;
