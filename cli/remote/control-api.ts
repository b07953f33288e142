// The control API at a URL, typed by its table of operations. At run time, only the client's generated table is loaded, so that commands start fast.

import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { CALLS, DEPLOYING } from '../../client/control-generated.ts';
import { ApiError } from '../../core/http/api-error.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import type { CONTROL_OPERATIONS, ControlOperationId, ControlResult } from '../../service/control/operations.ts';
import { CliError } from '../context.ts';
import { REQUEST_MS, reasonOf } from './installation.ts';

/** Maximum number of attempts for a temporarily refused request. */
const TRIES = 4;
/** The longest wait before a retry, in seconds; if the API asks for more, the request fails. */
const LONGEST_WAIT_SECONDS = 60;

type Operations = typeof CONTROL_OPERATIONS;
type BodyOf<Id extends ControlOperationId> = Operations[Id] extends { body: infer Schema extends z.ZodType }
  ? { readonly body: z.input<Schema> }
  : object;
type QueryOf<Id extends ControlOperationId> = Operations[Id] extends { query: z.ZodObject }
  ? { readonly query?: Readonly<Record<string, string>> }
  : object;

export type ControlInput<Id extends ControlOperationId> = {
  readonly path?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The ETag that the resource must have. @default any */
  readonly ifMatch?: string;
  /** Called with the ETag of the response. */
  readonly onEtag?: (etag: string) => void;
} & BodyOf<Id> &
  QueryOf<Id>;

/** The token for requests. */
export interface Bearer {
  /** Returns the token; called for each request, because it may have been renewed. */
  token(): Promise<string>;
  readonly isDeployToken: boolean;
}

export interface ControlApi {
  readonly origin: string;
  readonly bearer: Bearer;
  /** Requests an operation. Rejects with ApiError if it is refused, and with TypeError if there is no response. */
  request<Id extends ControlOperationId>(id: Id, input: ControlInput<Id>): Promise<ControlResult<Id>>;
}

/** Creates the client for an installation. */
export function createControlApi(origin: string, bearer: Bearer): ControlApi {
  async function send(
    method: string,
    template: string,
    {
      path = {},
      body,
      query,
      signal,
      ifMatch,
    }: { path?: object; body?: unknown; query?: Record<string, string>; signal?: AbortSignal; ifMatch?: string },
  ) {
    const below = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((path as Record<string, string>)[name] ?? '')));
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const response = await fetch(`${origin}${bearer.isDeployToken ? DEPLOY_PREFIX : CONTROL_PREFIX}${below}${search}`, {
      method,
      headers: {
        authorization: `Bearer ${await bearer.token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      // A redirect would send the token elsewhere.
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(signal === undefined ? [] : [signal])]),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return { status: response.status, retryAfter, etag: response.headers.get('etag') ?? '', body: await response.text() };
  }

  return {
    origin,
    bearer,
    request: async <Id extends ControlOperationId>(id: Id, input: ControlInput<Id>) => {
      const [method = '', path = ''] = CALLS[id].split(' ');
      if (bearer.isDeployToken && !DEPLOYING.some((each) => each === id))
        throw new CliError('PETSTORE_DEPLOY_TOKEN is a deploy token, which only publishes; for other commands, unset it and run petstore login');
      for (let attempt = 1; ; attempt += 1) {
        const answer = await send(method, path, input);
        if (answer.status < 300) {
          input.onEtag?.(answer.etag);
          return JSON.parse(answer.body) as ControlResult<Id>;
        }
        // A request refused with 429 changed nothing; after a 503 it may have, so only requests that are safe to repeat are retried.
        const mayRepeat = answer.status === 429 || (answer.status === 503 && method === 'GET');
        if (!mayRepeat || attempt === TRIES || !(answer.retryAfter <= LONGEST_WAIT_SECONDS)) throw refusalOf(answer.status, answer.body);
        await sleep(answer.retryAfter * 1_000, undefined, input.signal === undefined ? {} : { signal: input.signal });
      }
    },
  };
}

/** Returns the message of a failed request, for the user of a command. */
export function failureText({ origin, bearer }: ControlApi, error: unknown): string {
  if (!(error instanceof ApiError)) return `${origin}: no answer (${reasonOf(error)})`;
  if (error.status !== 401) return error.message;
  return bearer.isDeployToken
    ? `PETSTORE_DEPLOY_TOKEN: ${origin} refused it; it has expired or was revoked, or belongs to another installation. Create a new one in the dashboard`
    : `${error.message}; run petstore login --url ${origin}`;
}

function refusalOf(status: number, body: string): ApiError {
  try {
    const { code, message } = JSON.parse(body) as { code?: unknown; message?: unknown };
    // API Gateway's own refusals have only a message.
    return new ApiError(status, typeof code === 'string' ? code : 'refused', typeof message === 'string' ? message : `refused with ${status}`);
  } catch {
    return new ApiError(status, 'refused', `refused with ${status}`);
  }
}
