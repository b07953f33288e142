// A provider that does what Cognito documents and our own one doesn't: its endpoints have another origin than the issuer, which has a path; redirects
// are compared with the port; its answers name no issuer; a refresh token is not replaced when it is used; tokens are signed with RS256.
// "Amazon Cognito user pools, OAuth 2.0 endpoints": https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-userpools-server-contract-reference.html

import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { SIGN_IN_SETTINGS_PATH } from '../../core/identity/sign-in-settings.ts';

const CLIENT = '7commandline';

export interface CognitoStandIn {
  /** The dashboard's origin. */
  readonly url: string;
  readonly email: string;
  /** Access tokens that the dashboard's API has seen. */
  readonly seen: string[];
  /** The refresh tokens that are valid. */
  readonly refreshTokens: Set<string>;
  stop(): Promise<void>;
}

type Handler = (path: string, request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

export interface StandInOptions {
  /** The only redirects that are allowed, compared as text. */
  readonly redirectUris: readonly string[];
  /** The user's address. @default ann@example.com */
  readonly email?: string;
  /** Issues an access token. @default a random text */
  readonly accessToken?: () => Promise<string>;
  /** The address that users are sent to. @default its own */
  readonly signInPage?: string | undefined;
  /** The origin that answers everything but the sign-in settings. @default empty lists */
  readonly dashboard?: string;
}

/** Starts it. */
export async function startCognitoStandIn({
  redirectUris,
  email = 'ann@example.com',
  accessToken = async () => randomUUID(),
  signInPage,
  dashboard: forwardTo,
}: StandInOptions): Promise<CognitoStandIn> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, URLSearchParams>();
  const state = { seen: [] as string[], refreshTokens: new Set<string>() };

  const endpoints = await listen(async (path, request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (path === '/oauth2/authorize') return authorize(url.searchParams, response);
    const form = new URLSearchParams(await text(request));
    if (path === '/oauth2/revoke') {
      state.refreshTokens.delete(form.get('token') ?? '');
      return response.end();
    }
    if (path === '/oauth2/token') return token(form, response);
    return undefined;
  });

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== CLIENT || !redirectUris.includes(redirect)) return void response.writeHead(400).end('redirect_mismatch');
    const code = randomUUID();
    codes.set(code, query);
    const location = new URL(redirect);
    location.search = String(new URLSearchParams({ code, state: query.get('state') ?? '' }));
    response.writeHead(302, { location: location.href }).end();
  }

  async function token(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const refused = () => json(response, 400, { error: 'invalid_grant' });
    if (form.get('grant_type') === 'refresh_token') {
      if (!state.refreshTokens.has(form.get('refresh_token') ?? '')) return refused();
      return json(response, 200, await tokens());
    }
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.get('code_challenge') !== challenge || asked.get('redirect_uri') !== form.get('redirect_uri')) return refused();
    const refreshToken = randomUUID();
    state.refreshTokens.add(refreshToken);
    json(response, 200, { ...(await tokens()), refresh_token: refreshToken });
  }

  async function tokens(): Promise<object> {
    const idToken = await new SignJWT({ email, token_use: 'id', 'cognito:username': 'ann' })
      .setProtectedHeader({ alg: 'RS256', kid: '1' })
      .setIssuer(issuer)
      .setAudience(CLIENT)
      .setSubject('ann')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    return { access_token: await accessToken(), id_token: idToken, token_type: 'Bearer', expires_in: 300 };
  }

  const pool = await listen((path, _, response) => {
    if (path !== '/eu-west-1_pool/.well-known/openid-configuration') return response.writeHead(404).end();
    return json(response, 200, {
      issuer,
      authorization_endpoint: signInPage ?? `${endpoints.origin}/oauth2/authorize`,
      token_endpoint: `${endpoints.origin}/oauth2/token`,
      revocation_endpoint: `${endpoints.origin}/oauth2/revoke`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'token'],
      subject_types_supported: ['public'],
    });
  });
  const issuer = `${pool.origin}/eu-west-1_pool`;

  const dashboard = await listen((path, request, response) => {
    if (path === SIGN_IN_SETTINGS_PATH)
      return json(response, 200, { authority: issuer, scope: 'openid email', commandLine: { clientId: CLIENT, redirectUris } });
    state.seen.push(request.headers.authorization ?? '');
    return forwardTo === undefined ? json(response, 200, []) : forward(`${forwardTo}${request.url}`, request, response);
  });

  return Object.assign(state, {
    url: dashboard.origin,
    email,
    stop: async () => {
      for (const { server } of [endpoints, pool, dashboard]) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  });
}

async function listen(handler: Handler): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => void handler((request.url ?? '/').split('?')[0] ?? '', request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', headers } = request;
  const kept = ['authorization', 'content-type', 'idempotency-key'].flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  );
  const body = await text(request);
  const answer = await fetch(url, { method, headers: Object.fromEntries(kept), ...(body !== '' && { body }) });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(await answer.text());
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
