// The control API, typed from its OpenAPI document.

import createClient, { type Client, type ClientPathsWithMethod, type MethodResponse } from 'openapi-fetch';
import type { paths } from '../../client/control-generated.ts';
import { ApiError } from '../../core/http/api-error.ts';
import { clockDifference } from './polling.ts';
import type { Session } from './session.ts';

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
/** A path with this method, as in the document: `/accounts/{accountId}`. */
export type PathOf<M extends Method> = ClientPathsWithMethod<Client<paths>, Lowercase<M>>;
/** Values for the parameters in a path's braces. */
export type At<P> = P extends `${string}{${infer Name}}${infer Rest}` ? { readonly [K in Name]: string } & At<Rest> : unknown;
export type AnswerOf<M extends Method, P extends PathOf<M>> = MethodResponse<Client<paths>, Lowercase<M>, P>;
type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][Lowercase<M> & keyof paths[P]];
export type QueryOf<M extends Method, P extends PathOf<M>> = OperationOf<M, P> extends { parameters: { query?: infer Q } } ? Q : never;
export type BodyOf<M extends Method, P extends PathOf<M>> =
  OperationOf<M, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined;

interface Sent<M extends Method, P extends PathOf<M>> {
  readonly query?: QueryOf<M, P> | undefined;
  readonly body?: BodyOf<M, P>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Api {
  /** Sends a request. @returns the response's data @throws ApiError if the request is refused */
  send<M extends Method, P extends PathOf<M>>(method: M, path: P, at: At<P>, sent?: Sent<M, P>): Promise<AnswerOf<M, P>>;
  /** Reads a page of a list. @param query with the page size, and the cursor unless it is the first page */
  page<P extends PathOf<'GET'>>(path: P, at: At<P>, query: QueryOf<'GET', P>): Promise<PageOf<AnswerOf<'GET', P>>>;
}

/** A page of a list. */
export interface PageOf<Items> {
  readonly items: Items;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

let aheadMs = 0;

/** Returns how far the service's clock is ahead of the browser's, in milliseconds, according to the last response. */
export const serviceClockAheadMs = () => aheadMs;

/** Creates a client that sends the session's token and handles the end of the session. */
export function createApi(session: Session): Api {
  const api = createClient<paths>({ baseUrl: `${location.origin}/dashboard/v1` });
  api.use({
    onRequest: async ({ request }) => {
      const token = await session.token();
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
      return request;
    },
    onResponse: async ({ response }) => {
      aheadMs = clockDifference(response.headers.get('date'), Date.now()) ?? aheadMs;
      // If the session has ended, the user signs in and returns to this page. If only the sign-in is too old, the user decides when to repeat it.
      if (response.status === 401 && (await codeOf(response)) !== 'insufficient_user_authentication') await session.renewSignIn();
      return response;
    },
  });
  const ask = async <M extends Method, P extends PathOf<M>>(method: M, path: P, at: At<P>, { query, ...sent }: Sent<M, P> = {}) => {
    const answer = await api.request(method.toLowerCase() as never, path as never, { params: { path: at, query }, ...sent } as never);
    return { data: dataOf<AnswerOf<M, P>>(answer), response: answer.response };
  };
  return {
    send: async (...request) => (await ask(...request)).data,
    page: async (path, at, query) => {
      const { data, response } = await ask('GET', path, at, { query });
      const [, next] = /\?([^>]*)>/.exec(response.headers.get('link') ?? '') ?? [];
      return { items: data, next: new URLSearchParams(next).get('cursor') ?? undefined };
    },
  };
}

async function codeOf(response: Response): Promise<unknown> {
  const { code } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return code;
}

const versions = new WeakMap<object, string>();

/** Returns the condition that something has not changed since it was read. @param read the response that was read */
export function ifMatch(read: object): Readonly<Record<string, string>> {
  const version = versions.get(read);
  return version === undefined ? {} : { 'If-Match': version };
}

/** Returns a response's data, or throws its refusal. */
function dataOf<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data !== undefined) {
    const version = response.headers.get('etag');
    if (version !== null && typeof data === 'object' && data !== null) versions.set(data, version);
    return data;
  }
  const { code = 'internal_error', message = response.statusText } = (error ?? {}) as { code?: string; message?: string };
  const requestId = response.headers.get('x-request-id');
  // With this id, the operator can find out what happened.
  throw new ApiError(response.status, code, response.status < 500 || requestId === null ? message : `${message}; request ${requestId}`);
}

/** Has the browser save text as a file. @param type such as `text/csv` */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
