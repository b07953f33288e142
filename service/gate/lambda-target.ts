// A target that is a Lambda function. It gets the event that API Gateway would send, with the caller where a Lambda authorizer would put it.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Response } from '../http/call.ts';
import { BUSY, FAILED, type GateTarget, noResponse, type TargetAnswer, TOO_LATE, TOO_SLOW, withoutKey } from './target.ts';

/** How an invocation ended. */
export type Invocation =
  /** @param payload the function's return value, as JSON */
  | { readonly kind: 'returned'; readonly payload: string }
  /** The function threw, crashed or timed out, or could not be invoked. @param error the reason; undefined if the function's own log has it */
  | { readonly kind: 'failed'; readonly error?: unknown }
  /** The function has no capacity or is not ready, and did not get the request. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'timeout' | 'too_large' };

/** Invokes the function and waits for it. @param payload the event as JSON @param timeoutMs for the whole call, above 0 */
export type Invoke = (payload: string, timeoutMs: number) => Promise<Invocation>;

/** Maximum size of a Lambda function's response, 6 MB (Lambda Developer Guide, "Lambda quotas"), minus 64 KiB for the gate's additions. */
export const MAX_RETURNED_BYTES = 6 * 1024 * 1024 - 64 * 1024;

const TOO_LARGE = noResponse({ code: 'payload_too_large', message: 'body: larger than the function behind this API accepts' });

/** Creates the target. @param onFault gets the reason why there was no response */
export function createLambdaTarget(invoke: Invoke, onFault: (error: unknown) => void): GateTarget {
  return async (event, caller, left) => {
    const timeoutMs = left();
    if (timeoutMs <= 0) return TOO_LATE;
    const outcome = await invoke(JSON.stringify(withAuthorizer(withoutKey(event), { ...caller })), timeoutMs);
    const { requestId } = event.requestContext;
    switch (outcome.kind) {
      case 'returned': {
        const answer = responseOf(outcome.payload);
        if (typeof answer !== 'string') return answer;
        onFault(new Error(`request ${requestId}: the function returned ${answer}`));
        return FAILED;
      }
      case 'failed':
        onFault(
          outcome.error === undefined
            ? new Error(`request ${requestId}: the function failed; its own log has the reason`)
            : new Error(`request ${requestId}: the function could not be invoked, or the connection broke`, { cause: outcome.error }),
        );
        return FAILED;
      case 'busy':
        return BUSY;
      case 'timeout':
        return TOO_SLOW;
      case 'too_large':
        return TOO_LARGE;
    }
  };
}

function withAuthorizer(event: APIGatewayProxyEventV2, lambda: object): unknown {
  return { ...event, requestContext: { ...event.requestContext, authorizer: { lambda } } };
}

/**
 * Reads a function's return value, as API Gateway does with payload format 2.0: a value without `statusCode` is the JSON body of a 200 response
 * (API Gateway Developer Guide, "Create AWS Lambda proxy integrations for HTTP APIs"). Returns the response, or why there is none.
 */
function responseOf(payload: string): TargetAnswer | string {
  const read = readJson(payload);
  if (!read.ok) return 'something that is not JSON';
  const response = asResponse(read.value, payload);
  if (response === undefined) return 'an object with a statusCode that is not a valid response';
  // A body takes more space as part of JSON.
  return Buffer.byteLength(JSON.stringify(response)) > MAX_RETURNED_BYTES ? `more than ${MAX_RETURNED_BYTES} bytes` : { ok: true, response };
}

function asResponse(value: unknown, payload: string): Response | undefined {
  if (isObject(value) && (value.statusCode ?? undefined) !== undefined) return structuredResponse(value);
  const body = typeof value === 'string' ? value : payload;
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}

/** Returns the response with lower-case header names; undefined if invalid. Runtimes may write absent fields as null (Go), or the status as text. */
function structuredResponse(value: Record<string, unknown>): Response | undefined {
  const present = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const { statusCode, headers = {}, body = '', cookies = [], isBase64Encoded = false } = present;
  const status = typeof statusCode === 'string' && /^\d{3}$/.test(statusCode) ? Number(statusCode) : statusCode;
  if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 599) return undefined;
  if (typeof body !== 'string' || typeof isBase64Encoded !== 'boolean' || !isObject(headers)) return undefined;
  if (!Array.isArray(cookies) || !cookies.every((cookie) => typeof cookie === 'string')) return undefined;
  const values = Object.entries(headers).filter(([, header]) => ['string', 'number', 'boolean'].includes(typeof header));
  return {
    statusCode: Number(status),
    headers: Object.fromEntries(values.map(([name, header]) => [name.toLowerCase(), String(header)])),
    body,
    isBase64Encoded,
    ...(cookies.length > 0 && { cookies }),
  };
}

function readJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text === '' ? 'null' : text) };
  } catch {
    return { ok: false };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
