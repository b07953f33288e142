// The embedded service's edge: HTTPS for every domain in the edge map and for projects' own addresses, and HTTP that redirects to HTTPS.
// A certificate is loaded at its first handshake. A host removed from the map is refused from the next request on.

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { CertificateVault } from '../../core/domains/certificate-ports.ts';
import type { Edge } from '../../core/domains/ports.ts';
import { redirectFrom } from '../../core/domains/redirects.ts';
import type { ServedMap } from '../../core/domains/served.ts';
import { pathAndQuery, requestProblem } from '../../core/http/request-form.ts';
import { type ConnectionLimits, connectionLimits } from '../../core/limits/connections.ts';
import type { Awaitable } from '../../core/ports.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { boundConnections, descriptorLimit } from '../connections/bounded.ts';
import { refuseUnread, serveInTurn } from '../connections/in-turn.ts';
import { expectProxyHeader } from '../connections/proxied.ts';
import type { KeptForms } from '../sites/kept-forms.ts';
import { holdFiles } from './held-files.ts';
import type { OwnAddresses } from './own-addresses.ts';
import { plain, respondWithSite, UNAVAILABLE, unparsedAnswer } from './site-response.ts';
import { CIPHERS, createCertificateContexts, createSessionNames, KEPT_SESSIONS, probe } from './tls.ts';
import { type EdgeObserver, followVisits, handshakeFailureOf, observeHandshake, UnknownHostError, type Visit, type VisitLogger } from './visits.ts';

export interface EdgeServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Sockets that are already listening, to be used instead of these ports. @default none */
  readonly descriptors?: { readonly http?: number | undefined; readonly https?: number | undefined };
  readonly map: ServedMap;
  readonly vault: CertificateVault;
  /** Projects' own addresses, and the certificate for the platform's name. @default none */
  readonly own?: OwnAddresses;
  /** The platform's own name. After the TLS handshake, its connections are passed to another server. @default none */
  readonly platform?: PlatformName | undefined;
  /** The port for HTTPS in links, if a proxy listens on it. @default the listener's own port */
  readonly publicHttpsPort?: number | undefined;
  /** Whether an address is that of a proxy with the PROXY protocol; if set, only such proxies may connect. @default clients connect directly */
  readonly isProxy?: ((address: string) => boolean) | undefined;
  readonly sites: SiteStore;
  readonly forms: KeptForms;
  /** Returns the response to an authority's HTTP challenge (RFC 8555, section 8.3). @default none */
  readonly challenge?: (host: string, token: string) => Awaitable<string | undefined>;
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called when a connection limit is reached, at most once a minute. */
  readonly onLimit: (message: string) => void;
  /** Counts requests and handshakes. @default they are not counted */
  readonly observer?: EdgeObserver | undefined;
  /** Called with a line for each visit to a project whose configuration asks for it. @default no visits are logged */
  readonly logVisit?: VisitLogger | undefined;
  /** @default limits derived from the process's descriptor limit */
  readonly connections?: ConnectionLimits;
  /** Time limit for a handshake, in milliseconds. @default 10,000 */
  readonly handshakeTimeoutMs?: number;
  /** Time limit for receiving a request, in milliseconds; the headers must arrive within a third of this time. @default 30,000 */
  readonly requestTimeoutMs?: number;
  /** How long a client may leave available data unread, in milliseconds. @default 30,000 */
  readonly writeTimeoutMs?: number | undefined;
  /** Number of TLS 1.2 sessions that can be resumed. @default 100,000 */
  readonly keptSessions?: number;
}

/** A name that another server serves. */
export interface PlatformName {
  readonly host: string;
  /** Serves a connection. */
  readonly adopt: (socket: TLSSocket) => void;
}

export interface EdgeServer {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly edge: Edge;
  stop(): Promise<void>;
}

/** Sent with each answer over TLS: for one year, browsers then use only HTTPS (RFC 6797). */
const SECURE_HEADERS = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };
/** Search engines should find a site under its domain, not twice (Google Search Central, "X-Robots-Tag"). */
const OWN_ADDRESS_HEADERS = { ...SECURE_HEADERS, 'x-robots-tag': 'noindex' };

const CHALLENGE_PATH = '/.well-known/acme-challenge/';

const HANDSHAKE_TIMEOUT_MS = 10_000;

const REQUEST_TIMEOUT_MS = 30_000;

/** How long stopping waits for responses in progress, such as downloads, in milliseconds. */
const GRACE_MS = 30_000;
/** How long stopping waits for connections that have not sent a request yet, in milliseconds. */
const OPENING_MS = 2_000;

/** A browser opens at most 6 connections to a host; this leaves room for many browsers behind one address. */
const CONNECTIONS_PER_ADDRESS = 256;

/** Starts both listeners; rejects if either can't listen. */
export async function startEdgeServer(options: EdgeServerOptions): Promise<EdgeServer> {
  const { host, map, own, platform, observer, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const contextFor = createCertificateContexts({ map, own, vault: options.vault, platformHost: platform?.host });
  const checkingInterval = Math.min(1_000, requestTimeoutMs / 3);
  const https = createHttpsServer({
    minVersion: 'TLSv1.2',
    // OpenSSL takes the cipher list from the server's own context, even when SNI selects another.
    ciphers: CIPHERS,
    handshakeTimeout: handshakeTimeoutMs,
    connectionsCheckingInterval: checkingInterval,
    SNICallback: (servername, done) => {
      contextFor(servername.toLowerCase()).then(
        // Without a context, there is no certificate to present, so the handshake ends with an alert.
        (context) => done(context === undefined ? new UnknownHostError('unknown host') : null, context),
        (error) => {
          options.onFault(error);
          done(error as Error);
        },
      );
    },
  });
  const files = holdFiles(options.sites, options.forms);
  /** Responses in progress, and connections passed to another server; stopping waits for them. */
  const inProgress = new Set<NodeJS.EventEmitter>();
  const begin = (work: NodeJS.EventEmitter) => {
    inProgress.add(work);
    work.once('close', () => inProgress.delete(work));
  };
  const beginVisit = followVisits({ observer, logVisit: options.logVisit, clock: options.clock });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    begin(response);
    const visit = beginVisit(request, response);
    handle(request, response, visit).catch((error) => {
      // It is not a fault if the client disconnects midway.
      if (!request.destroyed && !response.destroyed) {
        visit.outcome = 'fault';
        options.onFault(error);
      }
      if (response.headersSent) return response.destroy();
      // If a file can't be opened, for example because descriptors are used up, the error names a system call.
      if (error instanceof StoreFault || 'syscall' in error) return plain(response, 503, UNAVAILABLE, { ...SECURE_HEADERS, 'retry-after': '1' });
      plain(response, 500, 'internal server error', SECURE_HEADERS);
    });
  };

  const names = createSessionNames(options.keptSessions ?? KEPT_SESSIONS);
  // The listeners that read requests.
  const readers = https.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  https.removeAllListeners('secureConnection');
  https.on('secureConnection', (socket) => {
    if (observer !== undefined) observeHandshake(observer, socket);
    if (!names.register(socket)) socket.destroy();
    else if (platform !== undefined && names.nameOf(socket) === platform.host) {
      begin(socket);
      platform.adopt(socket);
    } else for (const read of readers) read.call(https, socket);
  });

  function portSuffix(): string {
    const port = options.publicHttpsPort ?? (https.address() as AddressInfo).port;
    return port === 443 ? '' : `:${port}`;
  }

  async function handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const target = targetOf(request, response);
    if (target === undefined) return;
    visit.outcome = 'not_served';
    const name = hostOf(request);
    const domain = await map.shown(name);
    const shown = domain ?? (await own?.shown(name));
    // A connection serves only the name from its handshake, even if a browser would reuse it for other names (RFC 9110, section 15.5.20).
    if (shown === undefined || name !== names.nameOf(request.socket as TLSSocket)) return plain(response, 421, 'this host is not served here');
    const { projectId, deploymentId, configuration } = shown;
    visit.outcome = 'site';
    const headers = domain === undefined ? OWN_ADDRESS_HEADERS : SECURE_HEADERS;
    if (configuration.logs?.access === true) visit.logged = { host: name, projectId };
    const redirect = redirectFrom(name, configuration.domains.redirects);
    if (redirect !== undefined && (await map.get(redirect.to))?.projectId === projectId) {
      visit.outcome = 'redirect';
      return plain(response, redirect.status, `moved to ${redirect.to}`, { ...headers, location: `https://${redirect.to}${portSuffix()}${target}` });
    }
    const deployment = deploymentId === null ? undefined : { id: deploymentId, projectId };
    await respondWithSite(request, response, target, files, deployment, headers);
  }

  const http = createHttpServer({ requireHostHeader: false, connectionsCheckingInterval: checkingInterval });
  const lead = (request: IncomingMessage, response: ServerResponse) => {
    const visit = beginVisit(request, response);
    answer(request, response, visit).catch((error) => {
      visit.outcome = 'fault';
      options.onFault(error);
      plain(response, 503, UNAVAILABLE, { 'retry-after': '1' });
    });
  };
  async function answer(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const path = targetOf(request, response);
    if (path === undefined) return;
    const name = hostOf(request);
    const token = path.startsWith(CHALLENGE_PATH) ? path.slice(CHALLENGE_PATH.length) : undefined;
    const proof = token === undefined ? undefined : await options.challenge?.(name, token);
    if (proof !== undefined) {
      visit.outcome = 'challenge';
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(proof);
      return;
    }
    if (name !== platform?.host && (await map.get(name)) === undefined && (await own?.shown(name)) === undefined) {
      visit.outcome = 'not_served';
      return plain(response, 404, 'this host is not served here');
    }
    visit.outcome = 'redirect';
    // Permanent, but not to be cached, because the domain may be removed later.
    plain(response, 301, 'use HTTPS', { location: `https://${name}${portSuffix()}${path}` });
  }
  serveInTurn(http, lead, options.writeTimeoutMs);
  serveInTurn(https, serve, options.writeTimeoutMs);

  const sockets = new Set<Socket>();
  for (const server of [http, https]) {
    server.headersTimeout = requestTimeoutMs / 3;
    server.requestTimeout = requestTimeoutMs;
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    server.on('tlsClientError', (error) => observer?.handshakeFailed(handshakeFailureOf(error)));
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => refuseUnread(socket, () => unparsedAnswer(code)));
  }
  boundConnections([http, https], {
    limits: options.connections ?? connectionLimits(descriptorLimit(), CONNECTIONS_PER_ADDRESS),
    clock: options.clock,
    onLimit: options.onLimit,
    onRefused: (limit) => observer?.connectionRefused(limit),
  });
  const { isProxy, onLimit: onRefused, clock } = options;
  const proxied = isProxy && { isProxy, timeoutMs: handshakeTimeoutMs, onRefused, clock };
  // The edge's own requests don't come through a proxy.
  const [, acceptOwn] = proxied === undefined ? [] : [http, https].map((server) => expectProxyHeader(server, proxied));
  await listen(http, options.httpPort, host, options.descriptors?.http);
  await listen(https, options.httpsPort, host, options.descriptors?.https).catch((error) => {
    http.close();
    throw error;
  });
  const httpsPort = (https.address() as AddressInfo).port;
  return {
    httpPort: (http.address() as AddressInfo).port,
    httpsPort,
    edge: {
      publish: map.publish,
      entries: map.entries,
      attach: async ({ host, projectId }, current, certificate) => {
        if (!(await current())?.hosts.includes(host)) return;
        await map.set(host, { projectId, certificate });
        // Compares again: if the host was stopped in storage meanwhile, its entry may have been removed from the map before this call set it.
        await map.publish({ id: projectId }, current, [host]);
      },
      isServing: async (domain, reference) => {
        const certificate = await options.vault.get(reference);
        if (certificate === undefined) return false;
        if (acceptOwn === undefined) return probe({ host, port: httpsPort }, domain.host, certificate.chain);
        const [visitor, edge] = duplexPair();
        acceptOwn(edge);
        return probe({ socket: visitor }, domain.host, certificate.chain);
      },
      // This edge keeps nothing about a domain outside the edge map.
      release: async () => true,
      made: async () => ({ items: [], next: undefined }),
    },
    stop: async () => {
      const closed = [http, https].map((server) => {
        // Once its response is sent, a connection must not wait for another request.
        server.keepAliveTimeout = 1;
        return new Promise((resolve) => server.close(resolve));
      });
      for (const server of [http, https]) server.closeIdleConnections();
      const patience = setTimeout(async () => {
        const late = new Promise((resolve) => setTimeout(resolve, GRACE_MS - OPENING_MS).unref());
        const ended = async () => {
          for (const work of inProgress) await new Promise((resolve) => work.once('close', resolve));
        };
        await Promise.race([ended(), late]);
        for (const socket of sockets) socket.destroy();
      }, OPENING_MS);
      await Promise.all(closed);
      clearTimeout(patience);
    },
  };
}

/** Starts a server; rejects if it can't listen. @param descriptor a socket that is already listening, to be used instead. @default none */
async function listen(server: Server, port: number, host: string, descriptor?: number): Promise<void> {
  await once(server.listen(descriptor === undefined ? { port, host } : { fd: descriptor }), 'listening');
}

/** Returns a request's path and query. An invalid request is answered here, and the result is undefined. */
function targetOf({ httpVersion, rawHeaders, url = '' }: IncomingMessage, response: ServerResponse): string | undefined {
  const target = pathAndQuery(url);
  const problem =
    requestProblem(httpVersion, rawHeaders) ?? (target === undefined ? `request target: got ${JSON.stringify(url)}; allowed: a path` : undefined);
  if (problem === undefined) return target;
  plain(response, 400, problem, { connection: 'close' });
  return undefined;
}

/** Returns the host that a request is for, in lower case and without the port. */
function hostOf({ headers }: IncomingMessage): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
