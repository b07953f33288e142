// A target that is reached over HTTP. Whatever a client sends, requests go to one origin, and stay below one path.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Response } from '../http/call.ts';
import {
  CALLER_HEADERS,
  FAILED,
  type GateTarget,
  type KnownCaller,
  noResponse,
  SECRET_HEADER,
  type TargetAnswer,
  TOO_LATE,
  TOO_SLOW,
  withoutKey,
} from './target.ts';

export interface UrlTargetOptions {
  /** Where requests go: an origin, or an origin with a path below which all requests stay. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Called with the reason why there was no response. */
  readonly onFault: (error: unknown) => void;
  /** Sent with each request; if it can't be read, no request is sent. @default no secret is sent */
  readonly secret?: TargetSecret | undefined;
}

/** A response of 4 MiB is 5.6 MB in base64 and, with headers, less than the 6 MB that a Lambda function can return. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Headers of one connection (RFC 9110, section 7.6.1), and those that this client sets itself. The target is not asked for compressed bodies, because
 * this client would decompress them.
 */
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'];
const HOP_BY_HOP = new Set([...OF_CONNECTION, 'transfer-encoding', 'upgrade', 'expect', 'host', 'content-length', 'accept-encoding']);
const NOT_RETURNED = new Set([...HOP_BY_HOP, 'content-encoding', 'set-cookie']);

const OUTSIDE = noResponse({ code: 'not_found', message: 'no such path' });
const BODY_IN_READ = noResponse({ code: 'invalid_request', message: 'body: not allowed with GET and HEAD; send it with another method' });

/** Creates the target. */
export function createUrlTarget({ url, fetch, onFault, secret }: UrlTargetOptions): GateTarget {
  const base = new URL(url);
  return async (event, caller, left) => {
    const { method } = event.requestContext.http;
    const target = targetOf(base, event);
    if (target === undefined) return OUTSIDE;
    const isRead = method === 'GET' || method === 'HEAD';
    const body = bodyOf(event);
    if (isRead && body.byteLength > 0) return BODY_IN_READ;
    const secretText = await secret?.();
    if (secret !== undefined && secretText === undefined) {
      onFault(new Error(`request ${event.requestContext.requestId}: not sent, because the target's secret could not be read`));
      return FAILED;
    }
    const timeoutMs = left();
    if (timeoutMs <= 0) return TOO_LATE;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const headers = requestHeaders(withoutKey(event), caller);
      if (secretText !== undefined) headers.set(SECRET_HEADER, secretText);
      // Redirects may point anywhere, so they are left to the caller to follow.
      const response = await fetch(target, { method, headers, redirect: 'manual', signal, ...(!isRead && { body }) });
      const answer = await answerOf(response);
      if (!answer.ok) onFault(new Error(`request ${event.requestContext.requestId}: a response of more than ${MAX_RESPONSE_BYTES} bytes`));
      return answer;
    } catch (error) {
      onFault(new Error(`request ${event.requestContext.requestId}: no response from the target`, { cause: error }));
      return signal.aborted ? TOO_SLOW : FAILED;
    }
  };
}

/** Returns the request's URL; undefined if it would not be below the target's. The URL parser resolves any `..`; servers may resolve more. */
function targetOf(base: URL, { rawPath, rawQueryString }: APIGatewayProxyEventV2): URL | undefined {
  if (leadsUpwards(rawPath)) return undefined;
  const root = base.pathname.replace(/\/$/, '');
  // The setters of a URL's path and query can't change its origin.
  const target = new URL(base);
  // API Gateway has decoded the path once, so a percent sign may be a literal one.
  target.pathname = `${root}/${rawPath.replace(/^\//, '').replace(/%(?![0-9a-f]{2})/gi, '%25')}`;
  target.search = rawQueryString;
  return target.pathname === root || target.pathname.startsWith(`${root}/`) ? target : undefined;
}

/** Whether a path has a `..` segment, even one that is percent-encoded repeatedly, separated by `\\`, or followed by `;` and parameters. */
function leadsUpwards(path: string): boolean {
  let text = path;
  for (let before = ''; text !== before; ) {
    before = text;
    text = text.replace(/%(2e|2f|5c|3b|25)/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  }
  return text.split(/[/\\]/).some((segment) => segment.split(';')[0] === '..');
}

function bodyOf({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

function requestHeaders({ headers, cookies = [] }: APIGatewayProxyEventV2, caller: KnownCaller): Headers {
  const perHop = namedIn(headers.connection);
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.has(name.toLowerCase()) && !perHop.has(name.toLowerCase())) passed.set(name, asBytes(value));
  if (cookies.length > 0) passed.set('cookie', asBytes(cookies.join('; ')));
  passed.set('accept-encoding', 'identity');
  passed.set(CALLER_HEADERS.accountId, caller.accountId);
  passed.set(CALLER_HEADERS.keyId, caller.keyId);
  passed.set(CALLER_HEADERS.plan, caller.plan);
  return passed;
}

/** Returns a header's value as `Headers` requires it: one character for each byte of its UTF-8 form. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1');
}

/** Returns the headers that a Connection header names. */
function namedIn(connection: string | null | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}

async function answerOf(received: globalThis.Response): Promise<TargetAnswer> {
  const perHop = namedIn(received.headers.get('connection'));
  const headers = Object.fromEntries([...received.headers].filter(([name]) => !NOT_RETURNED.has(name) && !perHop.has(name)));
  const body = await boundedBody(received);
  if (body === undefined) return FAILED;
  const cookies = received.headers.getSetCookie();
  const response: Response = { statusCode: received.status, headers, body: body.toString('base64'), isBase64Encoded: true };
  return { ok: true, response: cookies.length > 0 ? { ...response, cookies } : response };
}

/** Returns the body, or undefined if it is longer than allowed, in which case the rest is not read. */
async function boundedBody({ body }: globalThis.Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (bytes > MAX_RESPONSE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// The secret with which a URL target recognizes the gate's requests. It can be replaced at any time, because the gate reads it again every few minutes.

export interface TargetSecretOptions {
  /** Reads the secret. Rejects if there is none. */
  readonly read: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with the reason why the secret could not be read. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the secret, read at most `REREAD_MS` ago; the last one if rereading failed; undefined if it could never be read. */
export type TargetSecret = () => Promise<string | undefined>;

/** The longest time until a replaced secret is used, in milliseconds. */
export const REREAD_MS = 5 * 60_000;
/** Without a secret, all requests fail, so it is read again soon, but not for each request, because Parameter Store allows 40 reads a second. */
export const RETRY_MS = 1_000;

/** Secrets that are valid in a header, and too long to guess. */
const PATTERN = /^[\x21-\x7e]{16,1024}$/;

/** Creates the secret, which is read when it is first used. */
export function createTargetSecret({ read, clock, onFault }: TargetSecretOptions): TargetSecret {
  let secret: string | undefined;
  let readAgainAt = Number.NEGATIVE_INFINITY;
  // Concurrent requests share one read.
  let reading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      secret = checked(await read());
    } catch (error) {
      onFault(error);
    }
    readAgainAt = clock() + (secret === undefined ? RETRY_MS : REREAD_MS);
    reading = undefined;
  }

  return async () => {
    if (clock() >= readAgainAt) reading ??= refresh();
    await reading;
    return secret;
  };
}

/** Returns the secret. @throws Error that does not contain the value, because errors are logged */
function checked(value: string): string {
  if (!PATTERN.test(value)) throw new Error(`the secret has ${value.length} characters; allowed: 16 to 1024 visible ASCII characters, no spaces`);
  return value;
}
