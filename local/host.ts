// The embedded HTTP front: what API Gateway is on AWS. It turns requests into events for the same handler, bounds what a
// client may send and how slowly, and answers what HTTP itself gets wrong with the API's own error shape.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Context } from 'aws-lambda';
import { boundConnections, descriptorLimit } from '../adapters/connections/bounded.ts';
import { serveInTurn } from '../adapters/connections/in-turn.ts';
import { type Client, type ForwardingHeaders, forwardingClient } from '../core/http/client.ts';
import { createHostCheck, type HostVerdict, type Listener } from '../core/http/host-names.ts';
import { normalPath } from '../core/http/path.ts';
import { pathAndQuery, requestFormProblem } from '../core/http/request-form.ts';
import { type Network, trustNetworks } from '../core/http/trusted-proxies.ts';
import { type ConnectionLimits, connectionLimits } from '../core/limits/connections.ts';
import { parseAddress } from '../core/limits/ip-address.ts';
import { MAX_BODY_BYTES } from '../service/http/body.ts';
import type { HttpHandler } from '../service/http/engine.ts';
import { ClientGoneError, readBody } from './body.ts';
import { sendResult, toEvent } from './event.ts';
import { CONNECT_REFUSAL, foreignHost, MAX_HEADER_BYTES, refusalOf, refuse, refuseRaw } from './refuse.ts';

/** A page that the host serves beside the API. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** Pages that are found by more than their path. */
export interface PageSource {
  pageFor(request: IncomingMessage, path: string): Page | undefined;
}

/** Everything below a path that is not the API's. */
export interface Mount {
  /** With a slash at the end. */
  readonly prefix: string;
  readonly serve: (request: IncomingMessage, response: ServerResponse, client: Client) => void;
}

export interface HostOptions {
  readonly api: HttpHandler;
  /** Exact paths, such as `/docs`. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Told of a fault of the host itself: the handler answers its own. */
  readonly onFault: (error: unknown) => void;
  /** Called when a limit of connections is reached, at most once a minute. */
  readonly onLimit: (message: string) => void;
  readonly port: number;
  readonly host: string;
  /** The origin that clients use, without a slash at the end. @default the address that it listens on */
  readonly publicUrl?: string | undefined;
  /** Proxies whose forwarding headers are trusted. @default none */
  readonly trustedProxies?: readonly Network[];
  /** How long a request may take to arrive, headers and body, in milliseconds. @default 10,000 */
  readonly requestTimeoutMs?: number;
  /** How long a client may take nothing of what is sent to it, in milliseconds. @default 30,000 */
  readonly writeTimeoutMs?: number | undefined;
  /** Those of an address do not bound trusted proxies. @default those that the process's descriptors allow */
  readonly connections?: ConnectionLimits;
}

export interface Host {
  /** Serves these too, from now on: what needs to know the host's address. */
  mount(mounts: readonly Mount[], dashboard?: PageSource): void;
  /** Without a slash at the end. */
  readonly url: string;
  /** Stops listening and resolves when every request under way has been answered, or after the grace period. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** A program with a pool, and many such programs behind one address, have enough. */
const CONNECTIONS_PER_ADDRESS = 1_024;

/** A proxy that keeps a connection longer than this sends requests into one that is just being closed; nginx keeps them for 60 s. */
const KEEP_ALIVE_MS = 75_000;

/** A year: browsers then come by HTTPS alone (RFC 6797). Over plain HTTP they ignore it. */
const HSTS = 'max-age=31536000';

/** How long a stop waits for requests under way, in milliseconds. */
const GRACE_MS = 10_000;

/** Starts to listen. Rejects if the address can't be had. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { api, pages, clock, onFault, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const isTrusted = trustNetworks(options.trustedProxies ?? []);
  const site = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const scheme: Client['scheme'] | undefined = site && (site.protocol === 'https:' ? 'https' : 'http');
  let stopping = false;
  let hostVerdict: (header: string, localAddress: string, isFromProxy: boolean) => HostVerdict = () => 'refused';
  let mounts: readonly Mount[] = [];
  let dashboard: PageSource | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, headers: asked, httpVersion, rawHeaders } = request;
    // Before the body is read: a connection that is gone has no address.
    const peer = socket.remoteAddress ?? '';
    const problem = requestFormProblem(httpVersion, rawHeaders);
    const verdict = problem === undefined ? hostVerdict(asked.host ?? '', socket.localAddress ?? '', isTrusted(parseAddress(peer) ?? '')) : 'refused';
    if (verdict === 'refused')
      return refuse(response, { code: 'invalid_request', message: problem ?? foreignHost(asked.host, site?.origin ?? url) }, clock());
    const path = pathOf(request.url ?? '/');
    const seen = forwardingClient(peer, asked as ForwardingHeaders, isTrusted);
    const client: Client = scheme === undefined ? seen : { address: seen.address, scheme };
    const mount = mounts.find(({ prefix }) => path.startsWith(prefix));
    if (mount !== undefined) {
      mount.serve(request, response, client);
      return;
    }
    if (request.method === 'GET' || request.method === 'HEAD') {
      const page = dashboard?.pageFor(request, path) ?? pages.get(path);
      if (page !== undefined) return page(request, response);
    }
    const reading = readBody(request, MAX_BODY_BYTES);
    const body = reading instanceof Promise ? await reading : reading;
    const result = await api(
      toEvent(request, client, site?.host ?? (verdict === 'own' ? (asked.host ?? '') : ''), body.bytes, randomUUID(), clock()),
      LOCAL_CONTEXT,
    );
    if (stopping || !body.complete) result.headers.connection = 'close';
    sendResult(response, result);
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
    // It is checked here, so that its refusal has the shape of an error.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  });
  serveInTurn(server, onRequest, options.writeTimeoutMs);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseRaw(socket, refusalOf(error, requestTimeoutMs), clock()));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of it, and ends it at no time.
    socket.once('timeout', () => socket.destroy());
    refuseRaw(socket, CONNECT_REFUSAL, clock());
  });
  boundConnections([server], {
    limits: options.connections ?? connectionLimits(descriptorLimit(), CONNECTIONS_PER_ADDRESS),
    clock,
    onLimit: options.onLimit,
    isProxy: isTrusted,
  });
  const listener = await listen(server, options.port, options.host);
  const url = `http://${listener.address.includes(':') ? `[${listener.address}]` : listener.address}:${listener.port}`;
  hostVerdict = createHostCheck(listener, options.publicUrl);

  return {
    url,
    mount: (more, source) => {
      mounts = [...mounts, ...more];
      dashboard = source;
    },
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        // Connections whose answer is under way wait for no other request.
        server.keepAliveTimeout = 1;
        const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
        server.close(() => {
          clearTimeout(grace);
          resolve();
        });
      }),
  };
}

/** The part of Lambda's context that this service could read: nothing. */
export const LOCAL_CONTEXT = {} as Context;

function listen(server: Server, port: number, host: string): Promise<Listener> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
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
  // `//` is not the root, and `/docs//` is not the reference.
  return path.endsWith('//') ? path : normalPath(path);
}
