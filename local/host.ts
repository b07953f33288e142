// The embedded HTTP server. Like API Gateway, it turns requests into events and limits their size and duration. It reports errors as the API does.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Context } from 'aws-lambda';
import { boundConnections, descriptorLimit } from '../adapters/connections/bounded.ts';
import { serveInTurn } from '../adapters/connections/in-turn.ts';
import { type Client, clientOf, type ForwardingHeaders } from '../core/http/client.ts';
import { type Network, trustNetworks } from '../core/http/forwarded.ts';
import { createHostCheck, type Listener } from '../core/http/host-names.ts';
import { normalPath, pathAndQuery, requestProblem } from '../core/http/request-form.ts';
import { parseAddress } from '../core/limits/address.ts';
import { type ConnectionLimits, connectionLimits } from '../core/limits/connections.ts';
import type { Refusal } from '../service/http/errors.ts';
import { MAX_BODY_BYTES } from '../service/http/input.ts';
import type { HttpHandler } from '../service/http/pipeline.ts';
import { ClientGoneError, receive, sendResult, toEvent } from './event.ts';
import { CONNECT_REFUSAL, foreignHostMessage, MAX_HEADER_BYTES, type ParserError, refusalOf, refuse, refuseRaw } from './refuse.ts';
import { type Area, areaOf, DASHBOARD, type HostWatch, isHealthCheck } from './watch.ts';

/** A page that the host serves alongside the API. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** Chooses pages by more than their path. */
export interface PageSource {
  pageFor(request: IncomingMessage, path: string): Page | undefined;
}

/** Handles everything below a path prefix outside the API. */
export interface Mount {
  /** With a trailing slash. */
  readonly prefix: string;
  /** Whether a request may take longer to arrive than others; `serve` then limits its time. @default no request may */
  readonly isLong?: (request: IncomingMessage) => boolean;
  /** The area under which a request is counted and logged. @default undefined: the handler of an API watches its own requests */
  readonly areaOf?: (request: IncomingMessage) => Area | undefined;
  readonly serve: (request: IncomingMessage, response: ServerResponse, client: Client) => void;
}

export interface HostOptions {
  readonly api: HttpHandler;
  /** Pages by exact path, such as `/docs`. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with faults in the host itself; the handler reports its own. */
  readonly onFault: (error: unknown) => void;
  /** Called when a connection limit is reached, at most once a minute. */
  readonly onLimit: (message: string) => void;
  /** @default nothing is watched */
  readonly watch?: HostWatch | undefined;
  readonly port: number;
  readonly host: string;
  /** A socket that is already listening, to be used instead. @default none */
  readonly descriptor?: number | undefined;
  /** The origin that clients use, without a trailing slash. @default the address that the host listens on */
  readonly publicUrl?: string | undefined;
  /** Proxies whose forwarding headers are trusted. @default none */
  readonly trustedProxies?: readonly Network[];
  /** Time limit for receiving a request, headers and body, in milliseconds. @default 10,000 */
  readonly requestTimeoutMs?: number;
  /** How long a client may leave available data unread, in milliseconds. @default 30,000 */
  readonly writeTimeoutMs?: number | undefined;
  /** Trusted proxies are exempt from the per-address limit. @default limits derived from the process's descriptor limit */
  readonly connections?: ConnectionLimits;
}

export interface Host {
  /** Adds handlers after startup, because some of them need the host's address. */
  mount(mounts: readonly Mount[], dashboard?: PageSource): void;
  /** Without a trailing slash. */
  readonly url: string;
  /** Serves a connection that another listener has accepted, such as one that it has decrypted. */
  adopt(socket: Duplex): void;
  /** Stops listening; resolves when all requests in progress have been answered, or after a grace period of 10 s. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Enough for many programs with connection pools behind one address. */
const CONNECTIONS_PER_ADDRESS = 1_024;

/** Longer than proxies keep idle connections, so that they don't send a request on a connection that is being closed; nginx keeps them for 60 s. */
const KEEP_ALIVE_MS = 75_000;

/** One year: browsers then use only HTTPS (RFC 6797). Over plain HTTP they ignore the header. */
const HSTS = 'max-age=31536000';

/** How long stopping waits for requests in progress, in milliseconds. */
const GRACE_MS = 10_000;

/** Starts the server; rejects if it can't listen. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { api, pages, clock, onFault, watch, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const isProxy = trustNetworks(options.trustedProxies ?? []);
  /** Connections that were encrypted until they reached this process, so no proxy can have added a header. */
  const adopted = new WeakSet<Duplex>();
  const site = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const scheme: Client['scheme'] | undefined = site && (site.protocol === 'https:' ? 'https' : 'http');
  let stopping = false;
  let hostVerdict: ReturnType<typeof createHostCheck> = () => 'refused';
  let mounts: readonly Mount[] = [];
  let dashboard: PageSource | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, headers: asked, httpVersion, rawHeaders } = request;
    const isOfEdge = adopted.has(socket);
    const isTrusted = isOfEdge ? () => false : isProxy;
    // Read before the body, because a closed connection no longer has an address.
    const peer = socket.remoteAddress ?? '';
    const problem = requestProblem(httpVersion, rawHeaders);
    const path = pathOf(request.url ?? '/');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const from = isOfEdge ? 'edge' : isTrusted(parseAddress(peer) ?? '') ? 'proxy' : 'client';
    const judge = () => hostVerdict(asked.host ?? '', socket.localAddress ?? '', from);
    // Load balancers check health by address or without a host name. These answers are public, so even a page that sent a browser here may read them.
    const verdict = problem === undefined ? (isRead && isHealthCheck(path) ? 'unknown' : judge()) : 'refused';
    if (verdict === 'refused') {
      watch?.refused('invalid_request');
      return refuse(response, { code: 'invalid_request', message: problem ?? foreignHostMessage(asked.host, site?.origin ?? url) }, clock());
    }
    const seen = clientOf(peer, asked as ForwardingHeaders, isTrusted);
    const client: Client = scheme === undefined ? seen : { address: seen.address, scheme };
    const mount = mounts.find(({ prefix }) => path.startsWith(prefix));
    if (mount?.isLong?.(request) !== true) limitTime(request);
    if (mount !== undefined) {
      const area = watch === undefined ? undefined : mount.areaOf?.(request);
      if (area !== undefined) watch?.follow(request, response, client, area);
      mount.serve(request, response, client);
      return;
    }
    if (isRead) {
      const ofDashboard = dashboard?.pageFor(request, path);
      const page = ofDashboard ?? pages.get(path);
      if (page !== undefined) {
        watch?.follow(request, response, client, ofDashboard === undefined ? areaOf(path) : DASHBOARD);
        return page(request, response);
      }
    }
    const domainName = site?.host ?? (verdict === 'own' ? (asked.host ?? '') : '');
    const receiving = receive(request, response, MAX_BODY_BYTES, (body) => toEvent(request, client, domainName, body, randomUUID(), clock()));
    const { event, isComplete } = receiving instanceof Promise ? await receiving : receiving;
    const result = await api(event, LOCAL_CONTEXT);
    if (stopping || !isComplete()) result.headers.connection = 'close';
    sendResult(response, result);
  }

  function refuseConnection(socket: Socket, refusal: Refusal): void {
    if (refuseRaw(socket, refusal, clock())) watch?.refused(refusal.code);
  }

  /** Refuses a request whose body does not arrive in time. */
  function limitTime(request: IncomingMessage): void {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
    const timer = setTimeout(() => refuseConnection(socket, refusalOf({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, requestTimeoutMs)), requestTimeoutMs);
    const stop = () => clearTimeout(timer);
    request.once('end', stop).once('close', stop);
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (stopping) response.setHeader('connection', 'close');
    if (scheme === 'https') response.setHeader('strict-transport-security', HSTS);
    answer(request, response).catch((error: unknown) => {
      response.destroy();
      if (!(error instanceof ClientGoneError)) onFault(error);
    });
  };

  const server = createServer({
    // Checked below instead, so that the refusal has the API's error format.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs,
    // The time for a body is limited below, because some bodies may take longer.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  });
  serveInTurn(server, onRequest, options.writeTimeoutMs);
  server.on('clientError', (error: ParserError, socket: Socket) => refuseConnection(socket, refusalOf(error, requestTimeoutMs)));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node no longer manages this socket, so nothing else would close it.
    socket.once('timeout', () => socket.destroy());
    refuseConnection(socket, CONNECT_REFUSAL);
  });
  boundConnections([server], {
    limits: options.connections ?? connectionLimits(descriptorLimit(), CONNECTIONS_PER_ADDRESS),
    clock,
    onLimit: options.onLimit,
    onRefused: (limit) => watch?.connectionRefused(limit),
    isProxy,
  });
  const listener = await listen(server, options);
  const url = `http://${listener.address.includes(':') ? `[${listener.address}]` : listener.address}:${listener.port}`;
  hostVerdict = createHostCheck(listener, options.publicUrl);

  return {
    url,
    adopt: (socket) => {
      adopted.add(socket);
      server.emit('connection', socket);
    },
    mount: (more, source) => {
      mounts = [...mounts, ...more];
      dashboard = source;
    },
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        // Once its response is sent, the connection must not wait for another request.
        server.keepAliveTimeout = 1;
        const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
        server.close(() => {
          clearTimeout(grace);
          resolve();
        });
      }),
  };
}

/** The service reads nothing from Lambda's context. */
export const LOCAL_CONTEXT = {} as Context;

function listen(server: Server, { port, host, descriptor }: HostOptions): Promise<Listener> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(descriptor === undefined ? { port, host } : { fd: descriptor }, () => {
      server.off('error', reject);
      const bound = server.address() as AddressInfo;
      resolve({ host, address: bound.address, port: bound.port });
    });
  });
}

function pathOf(target: string): string {
  const asked = pathAndQuery(target) ?? target;
  const at = asked.indexOf('?');
  const path = at < 0 ? asked : asked.slice(0, at);
  // `//` is not the root, and `/docs//` is not the API reference.
  return path.endsWith('//') ? path : normalPath(path);
}
