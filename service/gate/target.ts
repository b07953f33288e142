// The target behind a gate, and its responses.

import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Caller, describeCaller } from '../admission/authenticate.ts';
import type { Response } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';

/** The caller's data for the target. */
export interface KnownCaller {
  readonly accountId: string;
  readonly keyId: string;
  readonly plan: string;
  readonly scopes: readonly string[];
}

/** The target's response, or why there is none. */
export type TargetAnswer = { readonly ok: true; readonly response: Response } | { readonly ok: false; readonly refusal: Refusal };

/** Handles an admitted request within the time that is left. Rejects only on faults of the gate itself. */
export type GateTarget = (event: APIGatewayProxyEventV2, caller: KnownCaller, left: TimeLeft) => Promise<TargetAnswer>;

/** The headers that identify the caller to targets reached over HTTP. They are removed from clients' requests. */
export const CALLER_HEADERS = { accountId: 'x-petstore-account-id', keyId: 'x-petstore-key-id', plan: 'x-petstore-plan' } as const;
/** The header by which targets reached over HTTP recognize the gate's requests. It is removed from clients' requests as well. */
export const SECRET_HEADER = 'x-petstore-secret';

/** Headers that servers accept in place of a request's method, path, host or scheme. With them, a read-only key could write, or reach other paths. */
const OVERRIDES =
  /^(x-http-method|x-(http-)?method-override|x-(original|rewrite)-(url|uri|path|host|method)|x-host|x-(url-)?scheme|x-script-name|front-end-https)$/;

/** Headers in which proxies identify the client. No proxy is in front of the gate, so they contain only what the client claims. */
const CLIENTS = [
  /(^|-)forwarded(-|$)/,
  /(^|-)(client|socket)?ip(v[46])?$/,
  /(^|-)(remote-addr|(client|remote|viewer|external)-address)$/,
  /^(x-)?remote-user$/,
  /^(x-)?(ssl-client|client-cert)(-|$)/,
  /^x-amzn-oidc-/,
];

/**
 * Whether a header is not passed on. Only the gate sees the key, because a target that could read it could use it. CGI and its successors don't
 * distinguish `-` and `_`, so to them `x_petstore_plan` is the same as `x-petstore-plan`.
 */
function isWithheld(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  return plain === 'authorization' || plain.startsWith('x-petstore-') || OVERRIDES.test(plain) || CLIENTS.some((pattern) => pattern.test(plain));
}

/** Returns headers about the client's connection to API Gateway. The address is the one that limits apply to, not one that the client claims. */
function connectionOf({ http }: APIGatewayProxyEventV2['requestContext']): Record<string, string> {
  return { 'x-forwarded-for': http.sourceIp, 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' };
}

/** Returns the caller's data for the target. */
export function knownCaller(caller: Caller): KnownCaller {
  const { accountId, keyId, plan } = describeCaller(caller);
  return { accountId, keyId, plan, scopes: caller.scopes };
}

/** Returns an event as API Gateway sent it, without the key and headers that clients may not set, but with headers about the connection. */
export function withoutKey(event: APIGatewayProxyEventV2 & { readonly call?: unknown }): APIGatewayProxyEventV2 {
  const { call: _, ...received } = event;
  const headers = Object.fromEntries(Object.entries(received.headers).filter(([name]) => !isWithheld(name)));
  return { ...received, headers: { ...headers, ...connectionOf(event.requestContext) } };
}

/** Builds the answer for a target that gave no response. */
export const noResponse = (refusal: Refusal): TargetAnswer => ({ ok: false, refusal });

const RETRY = { 'retry-after': '1' };

/** The target failed, or did not return a valid response. The reason is in the gate's log. */
export const FAILED = noResponse({ code: 'bad_gateway', message: 'the backend of this API failed; quote the X-Request-Id when reporting it' });
/** The target did not respond in time. The request may have taken effect. */
export const TOO_SLOW = noResponse({
  code: 'gateway_timeout',
  message: 'the backend of this API did not answer in time; the request may or may not have taken effect',
});
/** The target has no capacity; it did not get the request. */
export const BUSY = noResponse({ code: 'unavailable', message: 'the backend of this API has no capacity at the moment; retry', headers: RETRY });
/** Admission, or a cold start before it, took all the time; the target did not get the request. */
export const TOO_LATE = noResponse({
  code: 'unavailable',
  message: 'there was no time left to pass the request on; it has not reached the backend of this API; retry',
  headers: RETRY,
});

// How long a target may take for one request. After that, API Gateway or Lambda would end the request without the gate's response.

/** How long API Gateway waits for an integration, in milliseconds ("Quotas for configuring and running an HTTP API"). This includes a cold start. */
const GATEWAY_WAITS_MS = 30_000;
/** Time for reading and returning a response of 6 MB, in milliseconds. */
const MARGIN_MS = 500;

/** Returns how long the target may still take, in whole milliseconds; 0 or less if there is no time left. */
export type TimeLeft = () => number;

/** Returns the time left for a request: `timeoutMs`, or less if Lambda or API Gateway leaves less. @param clock milliseconds since 1970 */
export function timeLeft(timeoutMs: number, { requestContext }: APIGatewayProxyEventV2, context: Context, clock: () => number): TimeLeft {
  return () => {
    const gateway = requestContext.timeEpoch + GATEWAY_WAITS_MS - clock();
    return Math.floor(Math.min(timeoutMs, Math.min(gateway, context.getRemainingTimeInMillis()) - MARGIN_MS));
  };
}
