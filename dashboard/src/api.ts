// The control API, typed from its OpenAPI document.

import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../client/control-generated.ts';
import { ApiError } from '../../core/http/api-error.ts';
import { clockDifference } from './polling.ts';
import type { Session } from './session.ts';

export type Api = Client<paths>;

let aheadMs = 0;

/** How far the service's clock is ahead of the browser's, in milliseconds, by its last response. */
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
      // The session has ended, and signing in returns to this page. If only the sign-in is too old, the user decides when to leave.
      if (response.status === 401 && (await codeOf(response)) !== 'insufficient_user_authentication') await session.renewSignIn();
      return response;
    },
  });
  return api;
}

async function codeOf(response: Response): Promise<unknown> {
  const { code } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return code;
}

const versions = new WeakMap<object, string>();

/** Returns the condition that something is still what was read. @param read what `unwrap` returned */
export function ifMatch(read: object): { readonly 'If-Match'?: string } {
  const version = versions.get(read);
  return version === undefined ? {} : { 'If-Match': version };
}

/** Returns a response's data, or throws its refusal. */
export async function unwrap<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (data !== undefined) {
    const version = response.headers.get('etag');
    if (version !== null && typeof data === 'object' && data !== null) versions.set(data, version);
    return data;
  }
  const { code = 'internal_error', message = response.statusText } = (error ?? {}) as { code?: string; message?: string };
  const requestId = response.headers.get('x-request-id');
  // By it, the operator finds what happened.
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
