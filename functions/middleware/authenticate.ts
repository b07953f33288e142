// Authenticates and admits in one step, and puts the rate-limit headers on every answer.

import { parseApiKey } from '../../core/access/api-key.ts';
import type { Scope } from '../../core/access/scopes.ts';
import type { Refusal } from '../../core/http/errors.ts';
import type { Decision } from '../../core/limits/decide.ts';
import { addRateLimitHeaders, draftRateLimitHeaders, retryAfterSeconds, shownStanding } from '../../core/limits/headers.ts';
import type { AddressLimiter } from '../admission/address-limiter.ts';
import type { Admitter } from '../admission/admitter.ts';
import type { ApiCall, ApiEvent, ApiMiddleware } from '../api/call.ts';

export interface AuthenticateOptions {
  readonly admitter: Admitter;
  readonly addresses: AddressLimiter;
  /** Send `RateLimit` and `RateLimit-Policy` too, which are still a draft. @default false */
  readonly draftHeaders?: boolean;
}

export function authenticate({ admitter, addresses, draftHeaders = false }: AuthenticateOptions): ApiMiddleware {
  const addHeaders: ApiMiddleware['after'] = ({ event: { call, requestContext }, response }) => {
    const standing = call.standing ?? addresses.standing(requestContext.http.sourceIp, call.now);
    addRateLimitHeaders(response.headers, standing);
    if (draftHeaders && call.standings !== undefined) Object.assign(response.headers, draftRateLimitHeaders(call.standings, call.now));
  };

  /** Refuses a request without a valid key; once the address has used up its minute, with 429 instead of 401. */
  function refuseAddress(event: ApiEvent, refusal: Refusal): void {
    const { call } = event;
    const counted = addresses.count(event.requestContext.http.sourceIp, call.now);
    call.refusal = counted ? refusal : addressLimited(event);
  }

  function addressLimited({ call, requestContext }: ApiEvent): Refusal {
    const { limit, resetAt } = addresses.standing(requestContext.http.sourceIp, call.now);
    const seconds = retryAfterSeconds(resetAt, call.now);
    return {
      code: 'rate_limit_exceeded',
      message: `more than ${limit} requests a minute without a valid API key from this address; retry in ${seconds} s`,
      headers: { 'retry-after': String(seconds) },
    };
  }

  return {
    before: async ({ event }) => {
      const { call } = event;
      const scope = neededScope(call);
      if (scope === 'none') return;
      const sent = bearerToken(event.headers.authorization);
      if (sent === undefined) return refuseAddress(event, MISSING_KEY);
      const key = parseApiKey(sent);
      if (key === undefined) return refuseAddress(event, MALFORMED_KEY);
      // An address that has run out may go on with a key that this process knows; a guess never reaches storage.
      if (addresses.isExhausted(event.requestContext.http.sourceIp, call.now) && !admitter.knows(key.digest)) {
        call.refusal = addressLimited(event);
        return;
      }
      const decision = await admitter.admit(key, call.now);
      if (decision.kind === 'unknown_key') return refuseAddress(event, UNKNOWN_KEY);
      call.caller = { accountId: key.accountId, digest: key.digest, plan: decision.plan };
      call.standing = shownStanding(decision);
      call.standings = decision.standings;
      call.refusal = refusalOf(decision, scope, call.now);
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

const MISSING_KEY: Refusal = {
  code: 'unauthorized',
  message: 'no API key; send it as the header Authorization: Bearer <API_KEY>',
  headers: { 'www-authenticate': 'Bearer' },
};
const INVALID_TOKEN = { 'www-authenticate': 'Bearer error="invalid_token"' };
const MALFORMED_KEY: Refusal = {
  code: 'unauthorized',
  message: 'the API key is malformed or mistyped (its checksum does not match); copy it again in full',
  headers: INVALID_TOKEN,
};
const UNKNOWN_KEY: Refusal = {
  code: 'unauthorized',
  message: 'the API key is unknown, expired or revoked; issue a new one',
  headers: INVALID_TOKEN,
};

/** The scope that the call needs; `any`: a valid key is enough (paths that do not exist); `none`: not even that. */
function neededScope({ route }: ApiCall): Scope | 'any' | 'none' {
  if (route.kind === 'preflight') return 'none';
  return route.kind === 'operation' ? (route.operation.scope ?? 'none') : 'any';
}

/** The token of an Authorization header of the scheme Bearer, which is case-insensitive (RFC 9110, section 11.1). */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!header.startsWith('Bearer ') && !/^bearer /i.test(header)) return undefined;
  const token = header.slice(7).trim();
  return token === '' ? undefined : token;
}

function refusalOf(decision: Exclude<Decision, { kind: 'unknown_key' }>, scope: Scope | 'any', now: number): Refusal | undefined {
  switch (decision.kind) {
    case 'admitted':
      if (scope === 'any' || decision.scopes.includes(scope)) return undefined;
      return {
        code: 'forbidden',
        message: `the API key has the scopes ${decision.scopes.join(', ')}; this operation needs ${scope}`,
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      };
    case 'limited': {
      const seconds = retryAfterSeconds(decision.retryAt, now);
      const { limit, resetAt } = shownStanding(decision);
      const window = resetAt === decision.standings.day.resetAt && decision.standings.day.remaining === 0 ? 'day' : 'minute';
      return {
        code: 'rate_limit_exceeded',
        message: `more than ${limit} requests in this UTC ${window}, the limit of plan ${decision.plan}; retry in ${seconds} s`,
        headers: { 'retry-after': String(seconds) },
      };
    }
    case 'banned': {
      const seconds = retryAfterSeconds(decision.retryAt, now);
      return {
        code: 'api_key_banned',
        message: `the API key kept sending after 429 and is banned; wait ${seconds} s, and honour Retry-After from then on`,
        headers: { 'retry-after': String(seconds) },
      };
    }
  }
}
