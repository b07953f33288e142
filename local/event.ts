// Converts a node:http request to the event that API Gateway would send (HTTP API, payload format 2.0).
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Client } from '../core/http/client.ts';
import type { IncomingEvent, Response } from '../service/http/call.ts';

/**
 * Builds the event. @param client its address and scheme, whatever the request's forwarding headers say @param timeEpoch milliseconds since 1970
 * @param domainName the service's host name and port, for links; empty if unknown @param body the part that was read; undefined if none
 */
export function toEvent(
  request: IncomingMessage,
  client: Client,
  domainName: string,
  body: Buffer | undefined,
  requestId: string,
  timeEpoch: number,
): APIGatewayProxyEventV2 {
  const { method = 'GET', headers } = request;
  const { path, query } = splitTarget(request.url ?? '/');
  // Node joins repeated headers with a comma, as API Gateway does.
  const flat = headers as Record<string, string>;
  flat['x-forwarded-proto'] = client.scheme;
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: flat,
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName,
      domainPrefix: 'local',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: client.address, userAgent: headers['user-agent'] ?? '' },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch,
    },
    isBase64Encoded: false,
  };
  if (query !== '') event.queryStringParameters = parametersOf(query);
  return body === undefined ? event : { ...event, ...bodyOf(body) };
}

function bodyOf(body: Buffer): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  const text = body.toString('utf8');
  // Bytes that are not valid UTF-8 would be lost in a string.
  if (Buffer.byteLength(text) === body.byteLength && !text.includes('\uFFFD')) return { body: text, isBase64Encoded: false };
  return { body: body.toString('base64'), isBase64Encoded: true };
}

/** An event, and the state of its body. */
export interface Received {
  readonly event: IncomingEvent;
  /** Whether the body was read to its end, so that the connection can be reused. */
  readonly isComplete: () => boolean;
}

/**
 * Receives a request. A body that the client announces with `Expect: 100-continue` is read when the handler asks for it.
 * @param limit maximum size of the body, in bytes @param make builds the event from the part of the body that was read: see toEvent
 */
export function receive(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  make: (body: Buffer | undefined) => APIGatewayProxyEventV2,
): Promise<Received> | Received {
  if (awaitsContinue(request)) {
    let isRead = false;
    const awaitBody = async () => {
      response.writeContinue();
      const { bytes, complete } = await readBody(request, limit);
      isRead = complete;
      return bytes === undefined ? {} : bodyOf(bytes);
    };
    return { event: { ...make(undefined), awaitBody }, isComplete: () => isRead };
  }
  const reading = readBody(request, limit);
  const received = ({ bytes, complete }: ReadBody): Received => ({ event: make(bytes), isComplete: () => complete });
  return reading instanceof Promise ? reading.then(received) : received(reading);
}

/** Decodes the query; repeated parameters are joined with commas, as API Gateway does. */
function parametersOf(query: string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) parameters[name] = name in parameters ? `${parameters[name]},${value}` : value;
  return parameters;
}

/** Splits a request target, usually a path; but a proxy's client may send a full URL, and OPTIONS an asterisk (RFC 9112, section 3.2). */
function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const at = origin.indexOf('?');
  const path = at < 0 ? origin : origin.slice(0, at);
  return { path: path === '' ? '/' : path, query: at < 0 ? '' : origin.slice(at + 1) };
}

/** Sends the handler's response, as API Gateway does. */
export function sendResult(response: ServerResponse, { statusCode, headers, body, isBase64Encoded = false }: Response): void {
  const content = isBase64Encoded ? Buffer.from(body, 'base64') : body;
  if (statusCode !== 204 && statusCode !== 304) headers['content-length'] ??= String(Buffer.byteLength(content));
  response.writeHead(statusCode, headers);
  response.end(content);
}

export interface ReadBody {
  /** Undefined if the request has no body; has at most one byte more than the limit. */
  readonly bytes: Buffer | undefined;
  /** False if the rest was left unread, so the connection can't be reused. */
  readonly complete: boolean;
}

/** The client closed the connection before its request was complete, so no response is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Whether the client sends the body only after `100 Continue`, which has not been sent yet. The condition is Node's own. */
export function awaitsContinue({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Reads the body. Rejects with ClientGoneError if the client disconnects before the end. */
function readBody(request: IncomingMessage, limitBytes: number): Promise<ReadBody> | ReadBody {
  const { headers } = request;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return { bytes: undefined, complete: true };
  // A body that is announced as too large is refused unread.
  if (Number(length) > limitBytes) return { bytes: Buffer.alloc(0), complete: false };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limitBytes) return;
      request.pause();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, limitBytes + 1), complete: false });
    });
    request.on('end', () => resolve({ bytes: Buffer.concat(chunks), complete: true }));
    request.on('error', () => reject(new ClientGoneError()));
    // The error, with its stack, is created only if needed, because requests that end normally emit `close`, too.
    request.on('close', () => {
      if (!request.complete) reject(new ClientGoneError());
    });
  });
}
