// Takes the files of uploads, which are too large for an event: they are streamed to the data folder.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { suspensionRefusal } from '../core/access/account.ts';
import { pathAndQuery } from '../core/http/request-form.ts';
import { parseUploadPath } from '../core/projects/uploads.ts';
import { StoreFault } from '../core/refusal.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { Caller } from '../service/control/context.ts';
import { createOwnedLookups, notFound } from '../service/control/context.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../service/control/operation.ts';
import { errorBody, type Refusal, statusOf } from '../service/http/errors.ts';
import { awaitsContinue, ClientGoneError } from './body.ts';

/** How long a client may send nothing, in milliseconds. */
const IDLE_MS = 30_000;

export type FileUpload = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface FileUploadOptions {
  readonly folder: DataFolder;
  /** Identifies the caller of a path by the `Authorization` header. */
  readonly callerOf: (path: string, authorization: string | undefined) => Promise<Caller | undefined>;
  readonly onFault: (error: unknown) => void;
}

/** Whether a request sends a file of an upload. */
export function isFileUpload({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'PUT' && targetOf(url) !== undefined;
}

/** Creates the handler. Rejects with ClientGoneError if the client disconnects before the end. */
export function createFileUpload({ folder, callerOf, onFault }: FileUploadOptions): FileUpload {
  const owned = createOwnedLookups(folder);

  async function refusalFor(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const target = targetOf(request.url ?? '');
    const caller = await callerOf(pathOf(request.url ?? ''), request.headers.authorization);
    if (caller === undefined || target === undefined) return UNAUTHORIZED;
    const { deployment, at } = target;
    const found = await owned.project(caller, deployment.projectId);
    if (!found.ok) return found;
    const account = await folder.accounts.getAccount(found.project.accountId);
    const suspended = account && suspensionRefusal(account);
    if (suspended !== undefined) return suspended;
    request.setTimeout(IDLE_MS, () => request.destroy());
    if (awaitsContinue(request)) response.writeContinue();
    switch (await folder.uploads.receive(deployment, at, request)) {
      case 'stored':
        return undefined;
      case 'wrong':
        return {
          code: 'invalid_request',
          message: 'body: not the announced content; allowed: exactly the announced bytes, with the announced SHA-256',
        };
      case 'busy':
        return {
          code: 'rate_limit_exceeded',
          message: 'too many files of this upload at once; send at most 16 at a time',
          headers: { 'retry-after': '1' },
        };
      case undefined:
        return notFound('file in an upload', `${deployment.id}, ${at}`);
    }
  }

  return async (request, response) => {
    const requestId = randomUUID();
    const refusal = await refusalFor(request, response).catch((error: unknown): Refusal => {
      if (request.destroyed && !request.complete) throw new ClientGoneError();
      onFault(new Error(`upload of a file, request ${requestId}`, { cause: error }));
      return error instanceof StoreFault ? UNAVAILABLE : INTERNAL;
    });
    const headers: Record<string, string> = { 'x-request-id': requestId, 'cache-control': 'no-store' };
    // The rest of the body is not read.
    if (!request.complete) headers.connection = 'close';
    if (refusal === undefined) {
      response.writeHead(204, headers).end();
      return;
    }
    const body = errorBody(refusal);
    response.writeHead(statusOf(refusal.code), {
      ...headers,
      ...refusal.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
}

const UNAUTHORIZED: Refusal = {
  code: 'unauthorized',
  message: 'the access token is missing or invalid, or its session has ended: sign in again; or the deploy token is not valid',
  headers: { 'www-authenticate': 'Bearer' },
};
const UNAVAILABLE: Refusal = { code: 'unavailable', message: 'storage did not answer; try again', headers: { 'retry-after': '1' } };
const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault of the service; quote X-Request-Id when reporting it' };

function targetOf(target: string) {
  const path = pathOf(target);
  const prefix = [CONTROL_PREFIX, DEPLOY_PREFIX].find((each) => path.startsWith(`${each}/`));
  return prefix === undefined ? undefined : parseUploadPath(path.slice(prefix.length));
}

/** A proxy's client may send a full URL (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return pathAndQuery(target) ?? target;
}
