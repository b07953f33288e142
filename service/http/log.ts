// One structured line per request, including the complete fault if one occurred. Keys appear by id, never as text.

import type { Logger } from '@aws-lambda-powertools/logger';
import { type LogEntry, loggedPath } from '../../core/http/log-line.ts';
import { printable } from '../../core/text.ts';
import type { Exchange, Middleware, Response } from './call.ts';
import { traceOf } from './observe.ts';
import type { Operation } from './router.ts';

/** Writes an entry of an access log. Must not throw. */
export type AccessLogger = (message: string, entry: LogEntry) => void;

/**
 * @param clock milliseconds since 1970
 * @param describe returns what is logged about a caller
 * @param access gets the line of each request, whatever the logger's level; `off`: nothing does. @default the logger, from INFO
 */
export function log<Op extends Operation, Caller>(
  logger: Logger,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
  access?: AccessLogger | 'off',
): Middleware<Op, Caller> {
  const fields = ({ event, response }: Exchange<Op, Caller>) => {
    const { call, requestContext, rawPath } = event;
    const { traceId, spanId } = traceOf(event);
    return {
      requestId: call.requestId,
      traceId,
      spanId,
      sourceIp: requestContext.http.sourceIp,
      operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind,
      method: requestContext.http.method,
      path: loggedPath(rawPath),
      status: response.statusCode,
      durationMs: clock() - call.now,
      bytes: bytesOf(response),
      ...(call.refusal && { code: call.refusal.code }),
      ...(call.route.kind === 'operation' && idsIn(call.route.parameters)),
      ...(call.caller !== undefined && describe(call.caller)),
      ...(call.refusedKeyId !== undefined && { keyId: call.refusedKeyId }),
    };
  };
  const byLogger: AccessLogger | undefined = logger.level <= INFO ? (message, entry) => logger.info(message, entry) : undefined;
  const write = access === 'off' ? undefined : (access ?? byLogger);
  return {
    ...(write !== undefined && { after: (request: Exchange<Op, Caller>) => write('request', fields(request)) }),
    onError: (request) => {
      const error = request.error instanceof Error ? request.error : new Error(String(request.error));
      logger.error('fault', { error, ...fields(request) });
      // The line for people who look for faults is another one than that for those who count requests.
      if (access !== undefined) write?.('request', fields(request));
    },
  };
}

/** Powertools' threshold of INFO: below it, the fields are not even collected. */
const INFO = 12;

/** Ids in paths, such as those of an account; what a client made up instead is cut. */
const IDS = ['accountId', 'projectId'] as const;
const MAX_ID_LENGTH = 64;

function idsIn(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    IDS.flatMap((name) => (parameters[name] === undefined ? [] : [[name, printable(parameters[name].slice(0, MAX_ID_LENGTH))]])),
  );
}

/** Size of the body, without headers. */
function bytesOf({ body, isBase64Encoded = false }: Pick<Response, 'body' | 'isBase64Encoded'>): number {
  return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
}
