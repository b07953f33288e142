// Requests to the control API, with token renewal, and with retries where they are safe.

import { readControlError } from './control-errors.ts';
import { CALLS, CREATING } from './control-generated.ts';
import type { OperationId, UploadTarget } from './control-types.ts';
import { type CallOptions, checkAttempts, checkedPart, checkUrl, requestSignal, searchOf } from './request.ts';
import { retryAfterSeconds, whole } from './responses.ts';
import { isRetried, newIdempotencyKey, type RetryOptions, wait, waitBeforeRetry } from './retry.ts';

export interface SendOptions extends RetryOptions {
  /** The dashboard's URL, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Timeout for a single request, in milliseconds. It does not apply to files. @default 30,000 */
  readonly timeoutMs?: number;
  /** @default the global fetch */
  readonly fetch?: typeof fetch;
}

/** The parts of an operation's input that are needed to send it. */
export interface AnyInput extends CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly ifUnchanged?: object | undefined;
}

/** The content of a file, in a form that can be sent again. */
export type FileContent = Blob | Uint8Array | string;

interface Calls {
  /**
   * Requests an operation. Rejects with ControlError if it is refused.
   *
   * @throws TypeError if a part of its path is missing, or if `ifUnchanged` is not something that `read` returned
   */
  call(id: OperationId, input: AnyInput): Promise<Response>;
  /** Reads the body of a response, and remembers its version. */
  read(response: Response): Promise<unknown>;
  /** Sends a file. Rejects with ControlError if it is refused. */
  send(target: UploadTarget, content: FileContent, signal: AbortSignal | undefined): Promise<Response>;
}

interface Request extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FileContent;
  /** Whether the request is sent again even if it may have taken effect. */
  readonly isRepeatable: boolean;
  readonly isAuthorized: boolean;
  /** Undefined for no limit. */
  readonly timeoutMs: number | undefined;
}

/** A request without a response. */
interface Lost {
  readonly error: unknown;
}

/** @param prefix of the operations' paths @param tokenOf see ControlClientOptions; an error that it throws ends the call */
export function createCalls(prefix: string, tokenOf: (refused?: string) => string | Promise<string>, options: SendOptions): Calls {
  const { baseUrl, timeoutMs = 30_000, fetch: fetchOnce = fetch, sleep = wait } = options;
  checkUrl(baseUrl);
  checkAttempts(options.maxAttempts);
  const origin = baseUrl.replace(/\/$/, '');

  function sendWith(token: string | undefined, { method, url, headers, body, signal, timeoutMs }: Request): Promise<Response | Lost> {
    return fetchOnce(url, {
      method,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      // A redirect would send the token elsewhere.
      redirect: 'error',
      // Newer types don't allow bytes in shared memory.
      body: (body ?? null) as Blob | null,
      signal: (timeoutMs === undefined ? signal : requestSignal(timeoutMs, signal)) ?? null,
    })
      .then(whole)
      .catch((error: unknown) => ({ error }));
  }

  /** Sends a request once, or twice if its token had to be renewed. */
  async function sendOnce(request: Request): Promise<Response | Lost> {
    if (!request.isAuthorized) return sendWith(undefined, request);
    const token = await tokenOf();
    const response = await sendWith(token, request);
    if ('error' in response || response.status !== 401) return response;
    const renewed = await tokenOf(token);
    if (renewed === token) return response;
    await response.body?.cancel();
    return sendWith(renewed, request);
  }

  async function request(request: Request): Promise<Response> {
    const { signal, isRepeatable } = request;
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const response = await sendOnce(request);
      signal?.throwIfAborted();
      if ('error' in response) {
        const pause = isRepeatable ? waitBeforeRetry(attempt, undefined, options) : undefined;
        if (pause === undefined) throw response.error;
        await sleep(pause, signal);
        continue;
      }
      if (response.ok) return response;
      const seconds = retryAfterSeconds(response.headers);
      const error = await readControlError(response);
      const pause = mayRetry(response.status, seconds, isRepeatable) ? waitBeforeRetry(attempt, seconds, options) : undefined;
      if (pause === undefined) throw error;
      await sleep(pause, signal);
    }
  }

  const versions = new WeakMap<object, string>();

  return {
    read: async (response) => {
      const body: unknown = await response.json();
      const version = response.headers.get('etag');
      if (version !== null && typeof body === 'object' && body !== null) versions.set(body, version);
      return body;
    },
    call: async (id, { path = {}, query = {}, body, idempotencyKey, ifUnchanged, signal }) => {
      const [method = '', template = ''] = CALLS[id].split(' ');
      const below = template.replace(/\{(\w+)\}/g, (_, name: string) => checkedPart(`${id}: path.${name}`, path[name]));
      const creates = (CREATING as readonly string[]).includes(id);
      const version = ifUnchanged && versions.get(ifUnchanged);
      if (ifUnchanged !== undefined && version === undefined) throw new TypeError(`${id}: ifUnchanged: allowed: a value that this client returned`);
      return request({
        method,
        url: `${origin}${prefix}${below}${searchOf(query)}`,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(version !== undefined && { 'if-match': version }),
          ...(creates && { 'idempotency-key': idempotencyKey ?? newIdempotencyKey() }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
        // If a change that took effect were sent again, it would conflict with its own new version.
        isRepeatable: creates || (method !== 'POST' && version === undefined),
        isAuthorized: true,
        timeoutMs,
      });
    },
    send: ({ url, headers }, content, signal) => {
      const isOwn = url.startsWith('/');
      const file = { method: 'PUT', headers, body: content, signal, isRepeatable: true, timeoutMs: undefined };
      return request({ ...file, url: isOwn ? `${origin}${url}` : url, isAuthorized: isOwn });
    },
  };
}

/** Whether a refusal is temporary: a 429 (no effect), a 503 (possibly an effect), or a 409 with Retry-After (the same request is in progress). */
function mayRetry(status: number, seconds: number | undefined, isRepeatable: boolean): boolean {
  return status === 429 || (isRepeatable && (status === 409 ? seconds !== undefined : isRetried(status)));
}
