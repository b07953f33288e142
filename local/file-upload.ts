// Receives the files in uploads, which are too large for an event, and streams them to the data folder.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { secondFactorRefusal, suspensionRefusal } from '../core/access/account.ts';
import { pathAndQuery } from '../core/http/request-form.ts';
import { FILE_RATE, followRate } from '../core/limits/connections.ts';
import { isOpen, parseUploadPath } from '../core/projects/uploads.ts';
import { StoreFault } from '../core/refusal.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { Caller } from '../service/control/context.ts';
import { createOwnedLookups, notFound } from '../service/control/context.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../service/control/operation.ts';
import { errorBody, type Refusal, statusOf } from '../service/http/errors.ts';
import { CHANGES_STOPPED } from '../service/http/refuse-changes.ts';
import type { ServiceChanges } from './changes.ts';
import { awaitsContinue, ClientGoneError } from './event.ts';

/** How often a file in transfer is checked, in milliseconds: whether it is fast enough, and whether its sender may still send it. */
const CHECK_MS = 10_000;

export type FileUpload = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface FileUploadOptions {
  readonly folder: DataFolder;
  readonly changes: Pick<ServiceChanges, 'isStopped' | 'stopping'>;
  /** Reads the `Authorization` header of a request for a path. @returns a function that returns the caller; undefined unless they may (still) act */
  readonly identify: (path: string, authorization: string | undefined) => Promise<() => Promise<Caller | undefined>>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Whether a request sends a file in an upload. */
export function isFileUpload({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'PUT' && targetOf(url) !== undefined;
}

/** Why a transfer was ended before its file was stored. */
class Ended extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Creates the handler. Rejects with ClientGoneError if the client disconnects before the end. */
export function createFileUpload({ folder, changes, identify, clock, onFault }: FileUploadOptions): FileUpload {
  const owned = createOwnedLookups(folder);

  /** Returns why a caller may not (or may no longer) send the file. */
  async function prevented(caller: Caller | undefined, target: ReturnType<typeof targetOf>): Promise<Refusal | undefined> {
    if (caller === undefined || target === undefined) return UNAUTHORIZED;
    if (changes.isStopped()) return CHANGES_STOPPED;
    const { deployment, at } = target;
    const found = await owned.project(caller, deployment.projectId);
    if (!found.ok) return found;
    const account = await folder.accounts.getAccount(found.project.accountId);
    const isAsked = caller.hasSecondFactor !== true && caller.deploysTo === undefined;
    const refusal = account && ((isAsked ? secondFactorRefusal(account) : undefined) ?? suspensionRefusal(account));
    if (refusal !== undefined) return refusal;
    // Another process may have canceled the upload.
    return (await isOpen(folder, deployment, clock())) ? undefined : notFound('file in an upload', `${deployment.id}, ${at}`);
  }

  async function refusalFor(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const target = targetOf(request.url ?? '');
    const currentCaller = await identify(pathOf(request.url ?? ''), request.headers.authorization);
    const refusal = async () => prevented(await currentCaller(), target);
    const refused = await refusal();
    if (refused !== undefined || target === undefined) return refused;
    const { deployment, at } = target;
    if (awaitsContinue(request)) response.writeContinue();
    const { body, stop } = watchedBody(request, refusal, changes.stopping());
    const confirm = async () => {
      const late = await refusal();
      if (late !== undefined) throw new Ended(late);
    };
    try {
      return refusalOf(await folder.uploads.receive(deployment, at, body, confirm), target);
    } catch (error) {
      if (error instanceof Ended) return error.refusal;
      throw error;
    } finally {
      stop();
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

/** Returns the body; fails with Ended if it is too slow, no longer permitted, or changes are stopped. `stop` ends it and the checks. */
function watchedBody(
  request: IncomingMessage,
  refusal: () => Promise<Refusal | undefined>,
  stopping: AbortSignal,
): { readonly body: Readable; readonly stop: () => void } {
  const body = new PassThrough();
  // Once the body has a reader, the reader gets the error as well.
  body.on('error', () => {});
  const isFastEnough = followRate(FILE_RATE);
  let [checks, bytes, checked] = [0, 0, 0];
  const count = ({ byteLength }: Buffer) => {
    bytes += byteLength;
  };
  const check = async () => {
    checks += 1;
    // Time in which the client has to wait for storage does not count.
    const seconds = body.writableNeedDrain ? 0 : CHECK_MS / 1_000;
    if (!isFastEnough(bytes - checked, seconds)) return void body.destroy(new Ended(tooSlow(bytes, (checks * CHECK_MS) / 1_000)));
    checked = bytes;
    // A storage failure is reported only if it lasts until the file is complete.
    const late = await refusal().catch(() => undefined);
    if (late !== undefined) body.destroy(new Ended(late));
  };
  const timer = setInterval(check, CHECK_MS);
  const end = () => body.destroy(new Ended(CHANGES_STOPPED));
  stopping.addEventListener('abort', end);
  request.on('data', count).pipe(body);
  request.once('close', () => {
    if (!request.complete) body.destroy(new ClientGoneError());
  });
  const stop = () => {
    clearInterval(timer);
    stopping.removeEventListener('abort', end);
    request.off('data', count).unpipe(body);
    // The rest of this request must be read before the next one on the connection. If it has not all arrived yet, the connection is closed instead.
    if (request.complete) request.resume();
    else request.pause();
    body.destroy();
  };
  return { body, stop };
}

function tooSlow(bytes: number, seconds: number): Refusal {
  const { bytesPerSecond, slackSeconds } = FILE_RATE;
  return {
    code: 'request_timeout',
    message: `body: got ${bytes} bytes in ${seconds} s; allowed: at least ${bytesPerSecond} bytes a second, with pauses of less than ${slackSeconds} s; send the file again`,
  };
}

function refusalOf(
  received: Awaited<ReturnType<DataFolder['uploads']['receive']>>,
  { deployment, at }: NonNullable<ReturnType<typeof targetOf>>,
): Refusal | undefined {
  switch (received) {
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

const UNAUTHORIZED: Refusal = {
  code: 'unauthorized',
  message: 'the access token is missing or invalid, or its session has ended: sign in again; or the deploy token is not valid',
  headers: { 'www-authenticate': 'Bearer' },
};
const UNAVAILABLE: Refusal = { code: 'unavailable', message: 'storage did not answer; try again', headers: { 'retry-after': '1' } };
const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault in the service; quote X-Request-Id when reporting it' };

function targetOf(target: string) {
  const path = pathOf(target);
  const prefix = [CONTROL_PREFIX, DEPLOY_PREFIX].find((each) => path.startsWith(`${each}/`));
  return prefix === undefined ? undefined : parseUploadPath(path.slice(prefix.length));
}

/** Returns the path of a target, which is a full URL if a proxy's client sends one (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return pathAndQuery(target) ?? target;
}
