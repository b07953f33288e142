// Identifies the signed-in user and limits their requests. The layer in front of the API (API Gateway's authorizer, or the embedded host) has
// checked the token and passes on its claims; without claims, no user is signed in.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { addRateLimitHeaders, retryAfterSeconds } from '../../core/limits/headers.ts';
import type { UserLimiter } from '../admission/user-limiter.ts';
import type { Middleware } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';
import type { User } from './context.ts';
import type { ControlOperation } from './operations.ts';

/** Claims of the signed-in user's access token. */
export interface Claims {
  readonly sub?: unknown;
  readonly email?: unknown;
}

export type ControlEvent = APIGatewayProxyEventV2 & {
  readonly requestContext: APIGatewayProxyEventV2['requestContext'] & { readonly authorizer?: { readonly jwt?: { readonly claims?: Claims } } };
};

/** @param limiter counts the requests of each user */
export function authenticate(limiter: UserLimiter): Middleware<ControlOperation, User> {
  const addHeaders: Middleware<ControlOperation, User>['after'] = ({ event: { call }, response }) => {
    if (call.quota !== undefined) addRateLimitHeaders(response.headers, call.quota);
    response.headers['x-content-type-options'] = 'nosniff';
    // Responses for one user must not be cached.
    response.headers['cache-control'] ??= 'no-store';
  };
  return {
    before: async ({ event }) => {
      const { call } = event;
      const { route } = call;
      call.caller = userOf(event);
      const isOpen = route.kind === 'preflight' || (route.kind === 'operation' && route.operation.open);
      if (call.caller === undefined) {
        if (!isOpen) call.refusal = refusalOf(event.headers.authorization);
        return;
      }
      const { admitted, quota } = await limiter.admit(call.caller.id, call.now);
      call.quota = quota;
      if (admitted) return;
      const { limit, resetAt } = quota;
      const seconds = retryAfterSeconds(resetAt, call.now);
      call.refusal = {
        code: 'rate_limit_exceeded',
        message: `this user has sent more than ${limit} requests in this UTC minute; retry in ${seconds} s`,
        headers: { 'retry-after': String(seconds) },
      };
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

function refusalOf(authorization: string | undefined): Refusal {
  if (authorization === undefined) return NO_TOKEN;
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

function userOf({ requestContext }: ControlEvent): User | undefined {
  const claims = requestContext.authorizer?.jwt?.claims;
  if (typeof claims?.sub !== 'string') return undefined;
  return { id: claims.sub, email: typeof claims.email === 'string' ? claims.email : undefined };
}
