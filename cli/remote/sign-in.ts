// Signing in from the command line: authorization code with PKCE, in the user's browser, with a redirect to this computer (RFC 8252).

import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { CliError } from '../context.ts';
import type { StoredSession } from './credentials.ts';
import { type CommandLineSettings, isSecure, REQUEST_MS, reasonOf } from './installation.ts';

/** How long the command waits for the browser, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

interface Provider {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly options: { readonly signal: () => AbortSignal; readonly [oauth.allowInsecureRequests]?: boolean };
}

async function discover({ authority, commandLine }: CommandLineSettings): Promise<Provider> {
  const issuer = new URL(authority);
  // A provider on this computer needs no TLS.
  const isInsecure = issuer.protocol === 'http:' && isSecure(issuer);
  const options = { signal: () => AbortSignal.timeout(REQUEST_MS), ...(isInsecure && { [oauth.allowInsecureRequests]: true }) };
  const response = await oauth.discoveryRequest(issuer, options);
  return { server: await oauth.processDiscoveryResponse(issuer, response), client: { client_id: commandLine.clientId }, options };
}

/** Signs a user in. @param show called with the URL to open in a browser @param now milliseconds since 1970 */
export async function signIn(settings: CommandLineSettings, show: (url: string) => void, now: () => number): Promise<StoredSession> {
  const provider = await attempt('find the sign-in page', () => discover(settings));
  const { server, client, options } = provider;
  const callback = await listen(settings.commandLine.redirectUris);
  try {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint ?? '');
    // With other URLs, a browser, or the program that opens it, may do more than show a page.
    if (!isSecure(url)) throw new CliError(`the sign-in page is at ${url.href}; allowed: https, or http on this computer; ask the operator about it`);
    const query = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: callback.redirectUri,
      scope: settings.scope,
      // The user may be here because an earlier sign-in is too old.
      prompt: 'login',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    show(url.href);
    return await attempt('sign in', async () => {
      const parameters = oauth.validateAuthResponse(server, client, await callback.next(state), state);
      const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, callback.redirectUri, verifier, options);
      return toSession(await oauth.processAuthorizationCodeResponse(server, client, response), undefined, now());
    });
  } finally {
    callback.close();
  }
}

/** Renews a session. @returns undefined if it has ended */
export async function renew(settings: CommandLineSettings, session: StoredSession, now: () => number): Promise<StoredSession | undefined> {
  return attempt('renew the session', async () => {
    const { server, client, options } = await discover(settings);
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), session.refreshToken, options);
    try {
      return toSession(await oauth.processRefreshTokenResponse(server, client, response), session, now());
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
      throw error;
    }
  });
}

/** Ends a session at the provider. */
export async function endSession(settings: CommandLineSettings, { refreshToken }: StoredSession): Promise<void> {
  await attempt('sign out', async () => {
    const { server, client, options } = await discover(settings);
    const response = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options);
    await oauth.processRevocationResponse(response);
  });
}

function toSession(tokens: oauth.TokenEndpointResponse, before: StoredSession | undefined, now: number): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken = before?.refreshToken, expires_in: seconds = 0 } = tokens;
  if (refreshToken === undefined) throw new CliError('the sign-in page issued no refresh token; report this to the operator');
  const email = oauth.getValidatedIdTokenClaims(tokens)?.email;
  return { email: typeof email === 'string' ? email : (before?.email ?? null), accessToken, refreshToken, expiresAt: now + seconds * 1_000 };
}

interface Callback {
  readonly redirectUri: string;
  /** Returns the parameters of the browser's next request with this state. Rejects after ten minutes. */
  next(state: string): Promise<URLSearchParams>;
  close(): void;
}

/** Listens at one of the URIs that the provider may redirect to. @throws CliError if all ports are taken */
async function listen(redirectUris: readonly string[]): Promise<Callback> {
  for (const uri of redirectUris) {
    const url = new URL(uri);
    const servers = await listenAt(url);
    const port = (servers[0]?.address() as AddressInfo | null | undefined)?.port;
    if (port === undefined) continue;
    if (url.port === '') url.port = String(port);
    return {
      redirectUri: url.href,
      next: (state) => nextVisit(servers, url.pathname, state),
      close: () => {
        for (const server of servers) {
          server.close();
          server.closeAllConnections();
        }
      },
    };
  }
  const ports = redirectUris.map((uri) => new URL(uri).port).join(', ');
  throw new CliError(`petstore login needs one of the ports ${ports} on this computer, and all are in use; close the programs that use them`);
}

/** Listens with IPv4 and IPv6, because a browser may resolve localhost to either. @returns no servers if the port is taken */
async function listenAt({ hostname, port }: URL): Promise<readonly Server[]> {
  const addresses = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer();
    server.listen(Number(port), address);
    try {
      await once(server, 'listening');
      servers.push(server);
    } catch {
      // The machine may lack IPv6, so a failure there is ignored; a port that is taken for IPv4 counts as taken.
      if (address !== '::1') return [];
    }
  }
  return servers;
}

function nextVisit(servers: readonly Server[], path: string, state: string): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new CliError('no one signed in within ten minutes; run petstore login again')), PATIENCE_MS);
    for (const server of servers)
      server.on('request', ({ method, url = '' }, response) => {
        const visited = URL.parse(url, 'http://localhost');
        // Other pages may send the browser here as well, but they don't know the state.
        if (method !== 'GET' || visited?.pathname !== path || visited.searchParams.get('state') !== state)
          return answer(response, 404, 'Nothing here.');
        const hasFailed = visited.searchParams.has('error');
        answer(response, 200, hasFailed ? 'You are not signed in. Return to the terminal.' : 'You are signed in. You can close this page.');
        clearTimeout(timer);
        resolve(visited.searchParams);
      });
  });
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    // The address contains the code.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(
    `<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Petstore</title><p>${text}</p></html>\n`,
  );
}

async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof oauth.AuthorizationResponseError)
      throw new CliError(`could not ${what}: ${error.error_description ?? error.error}`, { cause: error });
    throw new CliError(`could not ${what}: ${reasonOf(error)}`, { cause: error });
  }
}
