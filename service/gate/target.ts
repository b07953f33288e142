// What is behind a gate, and how it answers.

import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Caller, describeCaller } from '../admission/authenticate.ts';
import type { Response } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';

/** What the target learns about a caller. */
export interface KnownCaller {
  readonly accountId: string;
  readonly keyId: string;
  readonly plan: string;
  readonly scopes: readonly string[];
}

/** The target's response, or why there is none. */
export type TargetAnswer = { readonly ok: true; readonly response: Response } | { readonly ok: false; readonly refusal: Refusal };

/** Answers a request that was admitted, within the time that is left. Rejects only on faults of the gate itself. */
export type GateTarget = (event: APIGatewayProxyEventV2, caller: KnownCaller, left: TimeLeft) => Promise<TargetAnswer>;

/** The headers that carry the caller to targets that are reached over HTTP. Those that clients send are removed. */
export const CALLER_HEADERS = { accountId: 'x-petstore-account-id', keyId: 'x-petstore-key-id', plan: 'x-petstore-plan' } as const;
/** The header by which such a target recognizes the gate's requests. Clients can't send it either. */
export const SECRET_HEADER = 'x-petstore-secret';

/**
 * Headers that servers and frameworks accept in place of the request's own method, path, host or scheme: with them, a key that may only read could
 * write, and a request could leave its path.
 */
const OVERRIDES =
  /^(x-http-method|x-(http-)?method-override|x-(original|rewrite)-(url|uri|path|host|method)|x-host|x-(url-)?scheme|x-script-name|front-end-https)$/;

/**
 * Headers in which proxies and content delivery networks say who the client is: its address, its user or its certificate. No proxy of that kind is in
 * front of the gate, so they contain only what the client claims. All that are called "forwarded" are among them.
 */
const CLIENTS = [
  /(^|-)forwarded(-|$)/,
  /(^|-)(client|socket)?ip(v[46])?$/,
  /(^|-)(remote-addr|(client|remote|viewer|external)-address)$/,
  /^(x-)?remote-user$/,
  /^(x-)?(ssl-client|client-cert)(-|$)/,
  /^x-amzn-oidc-/,
];

/**
 * Whether a header is not passed on. Only the gate sees the key: a target that could read it could use it. CGI and its successors don't distinguish `-`
 * and `_`, so there `x_petstore_plan` is the same as `x-petstore-plan`.
 */
function isWithheld(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  return plain === 'authorization' || plain.startsWith('x-petstore-') || OVERRIDES.test(plain) || CLIENTS.some((pattern) => pattern.test(plain));
}

/** The connection of a client, which is always API Gateway's. The address is the one that limits are counted for, not what `x-forwarded-for` had before. */
function connectionOf({ http }: APIGatewayProxyEventV2['requestContext']): Record<string, string> {
  return { 'x-forwarded-for': http.sourceIp, 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' };
}

/** Returns what the target learns about a caller. */
export function knownCaller(caller: Caller): KnownCaller {
  const { accountId, keyId, plan } = describeCaller(caller);
  return { accountId, keyId, plan, scopes: caller.scopes };
}

/** Returns an event as API Gateway sent it, without the caller's key, without headers that clients may not set, and with those of its connection. */
export function withoutKey(event: APIGatewayProxyEventV2 & { readonly call?: unknown }): APIGatewayProxyEventV2 {
  const { call: _, ...received } = event;
  const headers = Object.fromEntries(Object.entries(received.headers).filter(([name]) => !isWithheld(name)));
  return { ...received, headers: { ...headers, ...connectionOf(event.requestContext) } };
}

/** Returns the answer for a target that gave no response. */
export const noResponse = (refusal: Refusal): TargetAnswer => ({ ok: false, refusal });

const RETRY = { 'retry-after': '1' };

/** The target failed, or did not return a valid response. The reason is in the gate's log. */
export const FAILED = noResponse({ code: 'bad_gateway', message: 'the backend of this API failed; quote the X-Request-Id when reporting it' });
/** The target did not answer in time. The request may have taken effect. */
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

// How long a target may take for one request. If it took longer, callers would not get the gate's answer: API Gateway gives up, and Lambda ends the function.

/** How long API Gateway waits for an integration, in milliseconds ("Quotas for configuring and running an HTTP API"). A cold start is part of it. */
const GATEWAY_WAITS_MS = 30_000;
/** For reading and returning a response of 6 MB, in milliseconds. */
const MARGIN_MS = 500;

/** Says how long the target may still take, in whole milliseconds; 0 or less if there is no time left. */
export type TimeLeft = () => number;

/**
 * Returns the time that is left for a request: what the target may take, but no more than Lambda and API Gateway leave.
 *
 * @param timeoutMs what the target may take
 * @param clock milliseconds since 1970
 */
export function timeLeft(timeoutMs: number, { requestContext }: APIGatewayProxyEventV2, context: Context, clock: () => number): TimeLeft {
  return () => {
    const gateway = requestContext.timeEpoch + GATEWAY_WAITS_MS - clock();
    return Math.floor(Math.min(timeoutMs, Math.min(gateway, context.getRemainingTimeInMillis()) - MARGIN_MS));
  };
}
