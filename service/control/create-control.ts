// The control API as one Lambda handler. Whoever stands in front of it (API Gateway's authorizer, or the embedded host) has checked the
// token and hands over its claims; without claims nobody is signed in.

import { randomUUID } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ZodError } from 'zod';
import { addRateLimitHeaders, retryAfterSeconds } from '../../core/limits/headers.ts';
import { type ActionRefusal, refused } from '../../core/refusal.ts';
import { StoreFault } from '../../core/store-fault.ts';
import { createMinuteLimiter } from '../admission/minute-limiter.ts';
import { readText } from '../http/body.ts';
import { type IdempotencyKeyResult, parseIdempotencyKey } from '../http/idempotency-key.ts';
import { CONTROL_ERROR_STATUS, type ControlErrorCode, controlErrorBody } from './errors.ts';
import { createControlHandlers } from './handlers.ts';
import { CONTROL_OPERATIONS, type ControlOperation, type ControlOperationId } from './operations.ts';
import type { ControlCall, ControlPorts } from './ports.ts';
import { routeControl } from './route.ts';
import { handleOnce, type Repeated } from './sealed-answers.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ControlDependencies {
  readonly ports: ControlPorts;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
}

/** Claims of the access token of whoever is signed in. */
export interface Claims {
  readonly sub?: unknown;
  readonly email?: unknown;
}

export type ControlEvent = APIGatewayProxyEventV2 & {
  readonly requestContext: APIGatewayProxyEventV2['requestContext'] & { readonly authorizer?: { readonly jwt?: { readonly claims?: Claims } } };
};

export type ControlHandler = (event: ControlEvent) => Promise<APIGatewayProxyStructuredResultV2 & { headers: Record<string, string>; body: string }>;

type Handler = (call: ControlCall<unknown>) => Promise<{ ok: true; value: unknown } | ActionRefusal>;

const NO_KEY: IdempotencyKeyResult = { ok: true, value: undefined };
const REFUSED = refused('unavailable', 'nothing was done; try again');
const REPEAT_MESSAGES = {
  idempotency_in_progress: 'a request with this Idempotency-Key is being handled; retry in 1 s',
  idempotency_key_reused: 'this Idempotency-Key was used for another request within the last 24 hours; use a new key for a new request',
} as const;

/** Of one user. The dashboard makes some 60 a minute, with a page open that keeps up with what goes on. */
const REQUESTS_A_MINUTE = 600;

export function createControl({ ports, clock, logger }: ControlDependencies): ControlHandler {
  const users = createMinuteLimiter(REQUESTS_A_MINUTE);
  const { handlers: typed, isOurs } = createControlHandlers(ports);
  // What a handler takes is what its operation's schema has parsed.
  const handlers = typed as unknown as Readonly<Record<ControlOperationId, Handler>>;

  async function answer(event: ControlEvent, now: number): Promise<Answer> {
    const refuse = (code: ControlErrorCode, message: string, headers: Record<string, string> = {}) => ({
      status: CONTROL_ERROR_STATUS[code],
      body: controlErrorBody(code, message),
      headers,
    });
    const route = routeControl(event.requestContext.http.method, event.rawPath);
    if (route.kind === 'not_found') return refuse('not_found', 'no such path; GET /dashboard/v1/openapi.json lists those that exist');
    if (route.kind === 'method_not_allowed') return refuse('method_not_allowed', `not allowed here; allowed: ${route.allow}`, { allow: route.allow });
    const operation: ControlOperation = CONTROL_OPERATIONS[route.id];
    const claims = event.requestContext.authorizer?.jwt?.claims;
    const userId = typeof claims?.sub === 'string' ? claims.sub : undefined;
    if (operation.open !== true && userId === undefined) return refuse('unauthorized', 'sign in first', { 'www-authenticate': 'Bearer' });
    if (userId !== undefined && !users.count(userId, now)) {
      const { limit, resetAt } = users.standing(userId, now);
      const seconds = retryAfterSeconds(resetAt, now);
      const message = `this user has sent more than ${limit} requests in this UTC minute; retry in ${seconds} s`;
      return refuse('rate_limit_exceeded', message, { 'retry-after': String(seconds) });
    }
    let body: unknown;
    if (operation.body !== undefined) {
      const text = readText(event);
      if (typeof text !== 'string') return refuse(text.code as ControlErrorCode, text.message);
      const value = parseBody(text);
      if (value === undefined)
        return refuse('invalid_request', `body: got ${text === '' ? 'nothing' : 'something that is not JSON'}; allowed: a JSON object`);
      const parsedBody = operation.body.safeParse(value);
      if (!parsedBody.success) return refuse('invalid_request', problemsOf(parsedBody.error, value));
      body = parsedBody.data;
    }
    const email = typeof claims?.email === 'string' ? claims.email : undefined;
    const flags = Object.keys(operation.flags ?? {}).filter((name) => event.queryStringParameters?.[name] === 'true');
    const call = { user: { id: userId ?? '', email }, parameters: route.parameters, flags, body, now };
    let refusal: ActionRefusal | undefined;
    const handle = async (): Promise<string | undefined> => {
      const outcome = await handlers[route.id](call);
      if (outcome.ok) return JSON.stringify(outcome.value);
      refusal = outcome;
      return undefined;
    };
    const key = operation.creates === true ? parseIdempotencyKey(event.headers['idempotency-key']) : NO_KEY;
    if (!key.ok) return refuse('invalid_request', key.message);
    let done: Repeated | undefined;
    // What was answered once may be read again only by who may still ask for it.
    if (key.value === undefined || !(await isOurs(call))) {
      const answered = await handle();
      done = answered === undefined ? undefined : { kind: 'answer', body: answered, replayed: false };
    } else {
      const content = JSON.stringify([event.requestContext.http.method, event.rawPath, body]);
      done = await handleOnce(ports.answers, { userId: userId ?? '', idempotencyKey: key.value, content }, now, handle);
    }
    if (done?.kind === 'refused')
      return refuse(done.code, REPEAT_MESSAGES[done.code], done.code === 'idempotency_in_progress' ? { 'retry-after': '1' } : {});
    if (done !== undefined) return { status: operation.status, body: done.body, headers: done.replayed ? { 'idempotent-replayed': 'true' } : {} };
    const { code, message, retryAfterSeconds: seconds, standing } = refusal ?? REFUSED;
    const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    if (standing !== undefined) addRateLimitHeaders(headers, standing);
    return refuse(code, message, headers);
  }

  return async (event) => {
    const requestId = event.requestContext.requestId || randomUUID();
    const now = clock();
    const result = await answer(event, now).catch((error: unknown) => {
      logger.error('fault', { requestId, path: event.rawPath, error: error instanceof Error ? error : new Error(String(error)) });
      const code = error instanceof StoreFault && error.kind === 'unavailable' ? 'unavailable' : 'internal_error';
      const message = code === 'unavailable' ? 'storage does not answer; try again' : 'a fault of the service';
      const headers: Record<string, string> = code === 'unavailable' ? { 'retry-after': '1' } : {};
      return { status: CONTROL_ERROR_STATUS[code], body: controlErrorBody(code, message), headers };
    });
    logger.info('control', {
      requestId,
      method: event.requestContext.http.method,
      path: event.rawPath,
      status: result.status,
      durationMs: clock() - now,
    });
    const { sub } = event.requestContext.authorizer?.jwt?.claims ?? {};
    const limits: Record<string, string> = {};
    if (typeof sub === 'string') addRateLimitHeaders(limits, users.standing(sub, now));
    return {
      statusCode: result.status,
      headers: {
        ...limits,
        'content-type': 'application/json',
        // What is shown to one user is for nobody's cache.
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId,
        ...result.headers,
      },
      body: result.body,
    };
  };
}

/** Undefined if it is no JSON. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Characters of a value that a message repeats. */
const SHOWN_CHARACTERS = 60;

function problemsOf({ issues }: ZodError, body: unknown): string {
  return issues.map((issue) => problemOf(issue, body)).join('\n');
}

/** What was given, and what is allowed. */
function problemOf(issue: ZodError['issues'][number], body: unknown): string {
  const { path, message } = issue;
  const at = path.length === 0 ? 'body' : path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return `${at}: got the unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; leave it out`;
  // Names of types are all that the library says where a type is wrong and no words are given.
  const allowed =
    issue.code === 'invalid_type' && message.startsWith('Invalid input')
      ? `${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
      : message;
  return `${at}: got ${shownValue(path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], body))}; allowed: ${allowed}`;
}

function shownValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
