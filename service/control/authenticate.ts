// Identifies the caller and limits their requests. The layer in front of the API (API Gateway's authorizer, or the embedded host) has already checked
// a user's token and passes on its claims. Without claims, no user is signed in. Deploy tokens are checked here.

import { looksLikeDeployToken } from '../../core/access/deploy-token.ts';
import { verifyDeployToken } from '../../core/access/deploy-tokens.ts';
import type { DeployTokenStore } from '../../core/access/ports.ts';
import { addRateLimitHeaders, retryAfterSeconds } from '../../core/limits/headers.ts';
import type { UserLimiter } from '../admission/minute-limiter.ts';
import type { IncomingEvent, Middleware } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';
import type { Route } from '../http/router.ts';
import type { Caller } from './context.ts';
import { DEPLOY_PREFIX } from './operation.ts';
import { type ControlOperation, isForDeployTokens } from './operations.ts';

/** Claims of the signed-in user's access token. */
export interface Claims {
  readonly sub?: unknown;
  readonly iss?: unknown;
  readonly session_id?: unknown;
  readonly auth_time?: unknown;
  readonly amr?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
  readonly email?: unknown;
}

export type ControlEvent = IncomingEvent & {
  readonly requestContext: IncomingEvent['requestContext'] & { readonly authorizer?: { readonly jwt?: { readonly claims?: Claims } } };
};

/** @param limiter counts the requests of each caller */
export function authenticate(limiter: UserLimiter, tokens: Pick<DeployTokenStore, 'getToken' | 'useToken'>): Middleware<ControlOperation, Caller> {
  const addHeaders: Middleware<ControlOperation, Caller>['after'] = ({ event: { call }, response }) => {
    if (call.quota !== undefined) addRateLimitHeaders(response.headers, call.quota);
    response.headers['x-content-type-options'] = 'nosniff';
    // Responses for one user must not be cached.
    response.headers['cache-control'] ??= 'no-store';
  };
  return {
    before: async ({ event }) => {
      const { call } = event;
      const isByToken = isForDeployTokens(event.rawPath);
      call.caller = isByToken ? await callerWithToken(tokens, event.headers.authorization, call.now) : userOf(event);
      const isOpen = isOpenRoute(call.route);
      if (call.caller === undefined) {
        if (!isOpen) call.refusal = isByToken ? refusalOfToken(event.headers.authorization) : refusalOf(event.headers.authorization);
        return;
      }
      const { admitted, quota } = await limiter.admit(call.caller.id, call.now);
      call.quota = quota;
      if (admitted) return;
      const { limit, resetAt } = quota;
      const seconds = retryAfterSeconds(resetAt, call.now);
      call.refusal = {
        code: 'rate_limit_exceeded',
        message: `this ${isByToken ? 'deploy token' : 'user'} has sent more than ${limit} requests in this UTC minute; retry in ${seconds} s`,
        headers: { 'retry-after': String(seconds) },
      };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

function isOpenRoute(route: Route<ControlOperation>): boolean {
  switch (route.kind) {
    case 'preflight':
      return true;
    case 'operation':
      return route.operation.open;
    case 'method_not_allowed':
      return route.operations.every(({ open }) => open);
    case 'not_found':
      return false;
  }
}

function refusalOf(authorization: string | undefined): Refusal {
  if (authorization === undefined) return NO_TOKEN;
  if (looksLikeDeployToken(bearerOf(authorization) ?? '')) return WRONG_PLACE;
  return /^bearer petstore_/i.test(authorization) ? API_KEY : BAD_TOKEN;
}

const NO_TOKEN = {
  code: 'unauthorized',
  message: 'no access token; sign in, and send it as the header Authorization: Bearer <ACCESS_TOKEN>',
  headers: { 'www-authenticate': 'Bearer' },
} as const;
const BAD_TOKEN = {
  code: 'unauthorized',
  message: 'the access token is invalid, or its session has ended; sign in again',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
} as const;

const API_KEY = {
  ...BAD_TOKEN,
  message: 'this is an API key; the control API takes access tokens of signed-in users, the catalogue API (/v1/) takes API keys',
} as const;

const WRONG_PLACE = {
  ...BAD_TOKEN,
  message: `this is a deploy token; it works below ${DEPLOY_PREFIX}/ only, and only for its project`,
} as const;

function refusalOfToken(authorization: string | undefined): Refusal {
  if (authorization === undefined) return NO_DEPLOY_TOKEN;
  return looksLikeDeployToken(bearerOf(authorization) ?? '') ? BAD_DEPLOY_TOKEN : NO_DEPLOY_TOKEN;
}

const NO_DEPLOY_TOKEN = {
  ...NO_TOKEN,
  message: `paths below ${DEPLOY_PREFIX}/ take a deploy token; send it as the header Authorization: Bearer <DEPLOY_TOKEN>`,
} as const;
const BAD_DEPLOY_TOKEN = {
  ...BAD_TOKEN,
  message: 'the deploy token is mistyped, unknown, revoked or expired; create a new one on the project’s page in the dashboard',
} as const;

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** Returns the caller that a deploy token identifies; undefined if there is no valid token. */
export async function callerWithToken(
  tokens: Pick<DeployTokenStore, 'getToken' | 'useToken'>,
  authorization: string | undefined,
  now: number,
): Promise<Caller | undefined> {
  const token = await verifyDeployToken(tokens, bearerOf(authorization) ?? '', now);
  return token && { id: token.id, email: undefined, deploysTo: token.projectId };
}

/** Whether a token's user has signed in with a second factor, or a passkey (RFC 8176). */
export function hasSecondFactor({ amr }: { readonly amr?: unknown; readonly sub?: unknown }): boolean {
  return Array.isArray(amr) && amr.includes('mfa');
}

function userOf({ requestContext }: ControlEvent): Caller | undefined {
  const claims = requestContext.authorizer?.jwt?.claims;
  if (typeof claims?.sub !== 'string') return undefined;
  const { sub: id, email, iss, session_id: sessionId } = claims;
  // API Gateway turns numbers into strings.
  const tokenSeconds = Number(claims.exp) - Number(claims.iat);
  const signedInAt = Number(claims.auth_time) * 1_000;
  return {
    id,
    email: typeof email === 'string' ? email : undefined,
    ...(typeof iss === 'string' && { issuer: iss }),
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(Number.isSafeInteger(signedInAt) && { signedInAt }),
    hasSecondFactor: hasSecondFactor(claims),
    ...(Number.isSafeInteger(tokenSeconds) && { tokenSeconds }),
  };
}
