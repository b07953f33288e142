// Authenticates a request by its API key and admits it in one step, and adds the rate-limit headers to every response.

import { keyIdOf, parseApiKey } from '../../core/access/api-key.ts';
import { type PlanName, planOf, type Scope } from '../../core/access/plans.ts';
import type { Decision, QuotaStatus } from '../../core/limits/decide.ts';
import { addRateLimitHeaders, draftRateLimitHeaders, headerQuota, retryAfterSeconds } from '../../core/limits/headers.ts';
import type { Stores } from '../../core/ports.ts';
import type { Call, Event, Middleware } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';
import type { Operation } from '../http/router.ts';
import { type Admitter, createAdmitter } from './admitter.ts';
import { createLeasedUsage } from './leases.ts';
import { type AddressLimiter, createAddressLimiter } from './minute-limiter.ts';
import type { Later } from './refusals.ts';

/** The caller, identified by its API key. */
export interface Caller {
  readonly accountId: string;
  readonly digest: string;
  readonly plan: PlanName;
  /** The key's scopes; empty if the request is not admitted. */
  readonly scopes: readonly Scope[];
}

/** Returns a caller's data for the log, the metrics and the API behind the gate: the key's id, never its text. */
export function describeCaller({ accountId, digest, plan }: Caller): { readonly accountId: string; readonly keyId: string; readonly plan: string } {
  return { accountId, keyId: keyIdOf(accountId, digest), plan };
}

export interface KeyedOperation<Id extends string = string> extends Operation<Id> {
  /** The scope that a key needs; undefined if no key is required. */
  readonly scope: Scope | undefined;
}

/** Advice in refusals, which differs between APIs. */
export interface KeyAdvice {
  /** The text after "this API takes API keys" in a message. */
  readonly accessToken: string;
  /** How a ban can end early; follows "wait 300 s, or" in a message. */
  readonly ban: string;
}

export interface AuthenticateOptions {
  readonly admitter: Admitter;
  /** Failed requests by address: `keyless` are those without a well-formed key, `unknownKeys` those whose key is not in storage. */
  readonly addresses: { readonly keyless: AddressLimiter; readonly unknownKeys: AddressLimiter };
  readonly advice: KeyAdvice;
  /** Whether to also send `RateLimit` and `RateLimit-Policy`, which are still a draft. @default false */
  readonly draftHeaders?: boolean;
}

/** Creates the middleware that authenticates, admits and adds rate-limit headers. */
function authenticate<Op extends KeyedOperation>({ admitter, addresses, advice, draftHeaders = false }: AuthenticateOptions): Middleware<Op, Caller> {
  const notAKey = accessTokenProblem(advice);

  const addHeaders: Middleware<Op, Caller>['after'] = ({ event: { call, requestContext }, response }) => {
    const quota = call.quota ?? addresses.keyless.quota(requestContext.http.sourceIp, call.now);
    addRateLimitHeaders(response.headers, quota);
    if (draftHeaders && call.quotas !== undefined) Object.assign(response.headers, draftRateLimitHeaders(call.quotas, call.now));
  };

  /** Refuses a request without a valid key: 401, or 429 once its address has had too many failures in this minute. */
  function refuse({ call, requestContext }: Event<Op, Caller>, failures: AddressLimiter, { refusal, exhausted: exhaustedMessage }: KeyProblem): void {
    const { sourceIp } = requestContext.http;
    const counted = failures.count(sourceIp, call.now);
    const quota = failures.quota(sourceIp, call.now);
    call.quota = quota;
    call.refusal = counted ? refusal : addressRefusal(exhaustedMessage, quota, call.now);
  }

  return {
    before: async ({ event }) => {
      const { call } = event;
      const scope = neededScope(call);
      if (scope === 'none') return;
      const sent = bearerToken(event.headers.authorization);
      if (sent === undefined) return refuse(event, addresses.keyless, MISSING_KEY);
      const key = parseApiKey(sent);
      if (key === undefined) return refuse(event, addresses.keyless, sent.includes('.') ? notAKey : MALFORMED_KEY);
      // Once an address has sent many unknown keys, each further guess costs only a read, and changes no account's counters.
      const lookUpFirst = addresses.unknownKeys.isExhausted(event.requestContext.http.sourceIp, call.now);
      const decision = await admitter.admit(key, call.now, { lookUpFirst });
      if (decision.kind === 'unknown_key') {
        call.refusedKeyId = keyIdOf(key.accountId, key.digest);
        return refuse(event, addresses.unknownKeys, UNKNOWN_KEY);
      }
      const scopes = decision.kind === 'admitted' ? decision.scopes : [];
      call.caller = { accountId: key.accountId, digest: key.digest, plan: decision.plan, scopes };
      call.quota = headerQuota(decision);
      call.quotas = decision.quotas;
      call.refusal = refusalOf(decision, scope, advice, call.now);
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

interface KeyProblem {
  readonly refusal: Refusal;
  /** The 429 message for an address with too many failures. */
  readonly exhausted: string;
}

const INVALID_TOKEN = { 'www-authenticate': 'Bearer error="invalid_token"' };
const MISSING_KEY: KeyProblem = {
  refusal: {
    code: 'unauthorized',
    message: 'no API key; send it as the header Authorization: Bearer <API_KEY>',
    headers: { 'www-authenticate': 'Bearer' },
  },
  exhausted: 'no API key, and this address has sent more than $LIMIT requests without a well-formed key this minute; send a key',
};
const MALFORMED_KEY: KeyProblem = {
  refusal: {
    code: 'unauthorized',
    message: 'the API key is malformed or mistyped (its checksum does not match); copy it again in full',
    headers: INVALID_TOKEN,
  },
  exhausted:
    'the API key is malformed or mistyped, and this address has sent more than $LIMIT requests without a well-formed key this minute; copy the key again in full',
};
/** Keys contain no dots; every JSON Web Token contains some. */
const accessTokenProblem = ({ accessToken }: KeyAdvice): KeyProblem => ({
  refusal: { code: 'unauthorized', message: `this is an access token; this API takes API keys${accessToken}`, headers: INVALID_TOKEN },
  exhausted: 'this is an access token, and this address has sent more than $LIMIT requests without a well-formed key this minute; send an API key',
});
const UNKNOWN_KEY: KeyProblem = {
  refusal: {
    code: 'unauthorized',
    message: 'the API key is unknown, expired or revoked; issue a new one',
    headers: INVALID_TOKEN,
  },
  exhausted:
    'the API key is unknown, expired or revoked, and this address has sent more than $LIMIT requests with such keys this minute; issue a new one',
};

function addressRefusal(exhausted: string, { limit, resetAt }: QuotaStatus, now: number): Refusal {
  const seconds = retryAfterSeconds(resetAt, now);
  return {
    code: 'rate_limit_exceeded',
    message: `${exhausted.replace('$LIMIT', String(limit))} and retry in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  };
}

/** Returns the scope that the call needs: `any` if any valid key will do (for unknown paths and methods), `none` if no key is needed. */
function neededScope({ route }: Call<KeyedOperation>): Scope | 'any' | 'none' {
  if (route.kind === 'preflight') return 'none';
  if (route.kind === 'method_not_allowed') return route.operations.every(({ scope }) => scope === undefined) ? 'none' : 'any';
  return route.kind === 'operation' ? (route.operation.scope ?? 'none') : 'any';
}

/** Returns the token in an Authorization header with the Bearer scheme, whose name is case-insensitive (RFC 9110, section 11.1). */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!header.startsWith('Bearer ') && !/^bearer /i.test(header)) return undefined;
  const token = header.slice(7).trim();
  return token === '' ? undefined : token;
}

function refusalOf(decision: Exclude<Decision, { kind: 'unknown_key' }>, scope: Scope | 'any', advice: KeyAdvice, now: number): Refusal | undefined {
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
      const { limit, resetAt } = headerQuota(decision);
      const window = resetAt === decision.quotas.day.resetAt && decision.quotas.day.remaining === 0 ? 'day' : 'minute';
      return {
        code: 'rate_limit_exceeded',
        message: `this account has used its limit of ${limit} ${limit === 1 ? 'request' : 'requests'} per UTC ${window} (plan ${planOf(decision.plan).label}); retry in ${seconds} s`,
        headers: { 'retry-after': String(seconds) },
      };
    }
    case 'suspended':
      return {
        code: 'account_suspended',
        message: 'the account of this API key is suspended; its owners see why in the dashboard, and only the operator can resume it',
      };
    case 'paused':
      return {
        code: 'api_key_paused',
        message: 'the API key is paused, not revoked; a member of its account can resume it, and no new key is needed',
      };
    case 'banned': {
      const seconds = retryAfterSeconds(decision.retryAt, now);
      return {
        code: 'api_key_banned',
        message: `requests with the API key continued after 429, so the key is banned; wait ${seconds} s, or ${advice.ban}; then honor Retry-After`,
        headers: { 'retry-after': String(seconds) },
      };
    }
  }
}

export interface KeyAuthenticationOptions {
  readonly stores: Pick<Stores, 'usage' | 'leases'>;
  readonly advice: KeyAdvice;
  /** Runs a function after the given number of milliseconds, unless the process ends first. @default a timer that does not keep the process alive */
  readonly later?: Later | undefined;
  readonly draftHeaders: boolean;
}

/** Creates the middleware for one API, with its own refusal records and address limits in this process. */
export function authenticateByKey<Op extends KeyedOperation>({
  stores,
  advice,
  later = byTimer,
  draftHeaders,
}: KeyAuthenticationOptions): Middleware<Op, Caller> {
  return authenticate<Op>({
    admitter: createAdmitter(stores.leases ? createLeasedUsage(stores.usage, stores.leases) : stores.usage, later),
    addresses: { keyless: createAddressLimiter(), unknownKeys: createAddressLimiter() },
    advice,
    draftHeaders,
  });
}

const byTimer: Later = (milliseconds, work) => {
  setTimeout(work, milliseconds).unref();
};
