// What is behind a gate, and how it answers.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Caller, describeCaller } from '../admission/authenticate.ts';
import type { Response } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';

/** A caller, as the target gets to know it. */
export interface KnownCaller {
  readonly accountId: string;
  readonly keyId: string;
  readonly plan: string;
  readonly scopes: readonly string[];
}

/** The target's response, or why there is none. */
export type TargetAnswer = { readonly ok: true; readonly response: Response } | { readonly ok: false; readonly refusal: Refusal };

/** Answers a request that was admitted. Rejects only on faults of the gate itself. @param event without the caller's key */
export type GateTarget = (event: APIGatewayProxyEventV2, caller: KnownCaller) => Promise<TargetAnswer>;

/** Headers with the caller, for targets that are reached over HTTP. What clients send in them is removed. */
export const CALLER_HEADERS = { accountId: 'x-petstore-account-id', keyId: 'x-petstore-key-id', plan: 'x-petstore-plan' } as const;

/**
 * Headers that servers and frameworks take for another method, path or host than the request's: with them, a key that may only read could write, and a
 * request could leave its path.
 */
const OVERRIDES = [
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-forwarded-host',
  'forwarded',
];

/**
 * Whether a header is not passed on. The key is the gate's alone: whoever could read it could use it. CGI and its successors write `-` and `_` as the same
 * character, so that `x_petstore_plan` is as good as `x-petstore-plan` there.
 */
function isWithheld(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  return plain === 'authorization' || plain.startsWith('x-petstore-') || OVERRIDES.includes(plain);
}

/** Returns what the target gets to know of a caller. */
export function knownCaller(caller: Caller): KnownCaller {
  const { accountId, keyId, plan } = describeCaller(caller);
  return { accountId, keyId, plan, scopes: caller.scopes };
}

/** Returns an event as API Gateway sent it, without the caller's key and what clients may not say of themselves. */
export function withoutKey(event: APIGatewayProxyEventV2 & { readonly call?: unknown }): APIGatewayProxyEventV2 {
  const { call: _, ...received } = event;
  const headers = Object.fromEntries(Object.entries(received.headers).filter(([name]) => !isWithheld(name)));
  return { ...received, headers };
}

/** The target failed, or answered with something that is no response. The reason is in the gate's log. */
export const FAILED: TargetAnswer = {
  ok: false,
  refusal: { code: 'bad_gateway', message: 'what is behind this API failed; quote the X-Request-Id when reporting it' },
};
/** The target did not answer in time. The request may have taken effect. */
export const TOO_SLOW: TargetAnswer = {
  ok: false,
  refusal: { code: 'gateway_timeout', message: 'what is behind this API did not answer in time; the request may or may not have taken effect' },
};
/** The target has no capacity; it did not get the request. */
export const BUSY: TargetAnswer = {
  ok: false,
  refusal: { code: 'unavailable', message: 'what is behind this API has no capacity at the moment; retry', headers: { 'retry-after': '1' } },
};
