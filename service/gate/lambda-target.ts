// A target that is a Lambda function. It gets the event that API Gateway would send it, with the caller where a Lambda authorizer would put it.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Response } from '../http/call.ts';
import { BUSY, FAILED, type GateTarget, type TargetAnswer, TOO_SLOW, withoutKey } from './target.ts';

/** How an invocation ended. */
export type Invocation =
  /** @param payload what the function returned, as JSON */
  | { readonly kind: 'returned'; readonly payload: string }
  /** The function threw, crashed or reached its own time limit. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };

/** Invokes the function and waits for it. @param payload the event as JSON */
export type Invoke = (payload: string) => Promise<Invocation>;

/** What a Lambda function may return (Lambda Developer Guide, "Lambda quotas"), minus what the gate adds to it: 6 MB and 64 KiB. */
export const MAX_RETURNED_BYTES = 6 * 1024 * 1024 - 64 * 1024;

const TOO_LARGE: TargetAnswer = {
  ok: false,
  refusal: { code: 'payload_too_large', message: 'body: larger than the function behind this API takes' },
};

/** Creates the target. */
export function createLambdaTarget(invoke: Invoke): GateTarget {
  return async (event, caller) => {
    const outcome = await invoke(JSON.stringify(withAuthorizer(withoutKey(event), { ...caller })));
    switch (outcome.kind) {
      case 'returned':
        return responseOf(outcome.payload);
      case 'failed':
        return FAILED;
      case 'throttled':
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
 * Reads what a function returned, as API Gateway does with payload format 2.0: what has no `statusCode` is the body of a 200 response in JSON
 * (API Gateway Developer Guide, "Create AWS Lambda proxy integrations for HTTP APIs").
 */
function responseOf(payload: string): TargetAnswer {
  if (Buffer.byteLength(payload) > MAX_RETURNED_BYTES) return FAILED;
  const read = readJson(payload);
  if (!read.ok) return FAILED;
  const { value } = read;
  if (isObject(value) && value.statusCode !== undefined) {
    const response = structuredResponse(value);
    return response === undefined ? FAILED : { ok: true, response };
  }
  const body = typeof value === 'string' ? value : payload;
  return { ok: true, response: { statusCode: 200, headers: { 'content-type': 'application/json' }, body } };
}

/** Returns a response with lower-case header names, or undefined if it is none. */
function structuredResponse({
  statusCode,
  headers = {},
  body = '',
  cookies = [],
  isBase64Encoded = false,
}: Record<string, unknown>): Response | undefined {
  if (!Number.isInteger(statusCode) || Number(statusCode) < 100 || Number(statusCode) > 599) return undefined;
  if (typeof body !== 'string' || typeof isBase64Encoded !== 'boolean' || !isObject(headers)) return undefined;
  if (!Array.isArray(cookies) || !cookies.every((cookie) => typeof cookie === 'string')) return undefined;
  const values = Object.entries(headers).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return {
    statusCode: Number(statusCode),
    headers: Object.fromEntries(values.map(([name, value]) => [name.toLowerCase(), String(value)])),
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
