// The embedded OpenID provider (code flow with PKCE, for the dashboard and the command line), the counterpart of Cognito on AWS. The library
// implements the protocol; the sign-in page is ours.

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWTPayload } from 'jose';
import { errors, Provider } from 'oidc-provider';
import type { FactorStore } from '../../core/identity/factors.ts';
import type { ProviderStore, UserStore } from '../../core/identity/ports.ts';
import type { SignInSettings } from '../../core/identity/sign-in-settings.ts';
import { createSignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { agentInWords } from '../../core/identity/user.ts';
import { addressGroup } from '../../core/limits/address.ts';
import type { Mailer } from '../../core/notifications/ports.ts';
import type { Awaitable } from '../../core/ports.ts';
import { createFactorSecrets } from './authenticator-app.ts';
import { browserOf, cookieNames, createKnownDevices, newBrowser } from './cookies.ts';
import { createRequestBounds, type RequestRefusal } from './form.ts';
import { createOidcStorage, DASHBOARD, digestOf, type Sender } from './oidc-storage.ts';
import { createPasskeys } from './passkeys.ts';
import { createPasswordCheck } from './passwords.ts';
import { createProviderFaults, UserGone } from './provider-faults.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { createReset, type ResetOptions } from './reset.ts';
import { createSecurity } from './security.ts';
import { messagePage, RESET_PATH, SECURITY_PATH } from './security-pages.ts';
import { createSignIn, type SignIn, withUnit } from './sign-in.ts';
import type { SignInLog } from './sign-in-log.ts';
import { FORGOT_PATH, html, PAGE_HEADERS, problemPage, signOutPage } from './sign-in-page.ts';
import { createSignUp, type FindInvitation, SIGN_UP_PATH } from './sign-up.ts';

export const CLIENT_ID = DASHBOARD;
/** `petstore login`, a native app. Any program can impersonate it (RFC 8252, section 8.6), so the library always asks for the user's consent. */
export const COMMAND_LINE = { clientId: 'petstore-cli', redirectUris: ['http://127.0.0.1/callback'] };
/** Path prefix of the provider. */
export const OIDC_PREFIX = '/oidc';
/** The control API's name in tokens. */
export const AUDIENCE = 'petstore-control';
const SCOPE = 'control';
/** The access token claim with the generation of the user's sessions. */
const GENERATION_CLAIM = 'session_generation';
/** The access token claim with the id of the session: the digest of its grant. Older tokens lack it. */
export const SESSION_CLAIM = 'session_id';

const ACCESS_TOKEN_SECONDS = 600;
const SESSION_SECONDS = 12 * 3_600;
/** How long a sign-in may take, in seconds. */
const INTERACTION_SECONDS = 600;

export interface IdentityProviderOptions {
  /** The origin that clients use, without a trailing slash. */
  readonly origin: string;
  readonly keys: ProviderKeys;
  readonly users: UserStore;
  readonly factors: FactorStore;
  /** Sends links for new passwords. @default undefined: no links are sent */
  readonly mailer?: Mailer | undefined;
  /** Logs what became of such a link's message. */
  readonly warn: ResetOptions['warn'];
  /** Stores what the library keeps about signed-in users. */
  readonly store: ProviderStore;
  readonly signInLog: SignInLog;
  /** Finds the invitations with which people sign up. */
  readonly findInvitation: FindInvitation;
  readonly newUserId: () => string;
  /** Whether the user has ended the session with this id. */
  readonly isEnded: (sessionId: string) => Awaitable<boolean>;
  /** Ends all of the user's sessions except this one. */
  readonly endOthers: (userId: string, sessionId: string) => Promise<void>;
  /** As in OidcStorageOptions. */
  readonly endGrant: (grantId: string) => Promise<void>;
  /** Paths of files for browsers to load while the user types. @default none */
  readonly prefetch?: readonly string[];
  /** The clock by which stored data expires, in milliseconds since 1970. It may lag behind the machine's clock. */
  readonly clock: () => number;
  /** The clock for users' codes and the library's tokens. */
  readonly machineClock: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Whether the user of an access token with these claims still exists, and their sessions have not all been ended since. */
export async function isSignedIn(users: Pick<UserStore, 'sessionGeneration'>, claims: JWTPayload): Promise<boolean> {
  const generation = await users.sessionGeneration(claims.sub ?? '');
  return generation !== undefined && claims[GENERATION_CLAIM] === generation;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly metadata: SignInSettings['metadata'];
  /** Serves a request below the provider's prefix. @param address the client's address, by which sign-in attempts are counted */
  serve(request: IncomingMessage, response: ServerResponse, address: string): void;
}

/** Creates the provider with the dashboard and the command line as its only clients. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { origin, keys, users, factors, prefetch = [], clock, onFault } = options;
  const issuer = `${origin}${OIDC_PREFIX}`;
  const resource = `urn:${AUDIENCE}`;
  const start = `${origin}/`;
  const secure = origin.startsWith('https:');
  const faults = createProviderFaults(start, onFault);
  const senders = new AsyncLocalStorage<Sender>();
  const sender = () => senders.getStore() ?? { addressGroup: '', agent: '', browser: '' };
  const storage = createOidcStorage(options.store, users, { sender, isEnded: options.isEnded, endGrant: options.endGrant, clock });
  const provider: Provider = new Provider(issuer, {
    adapter: storage,
    clients: [
      { ...PUBLIC_CLIENT, client_id: CLIENT_ID, redirect_uris: [`${origin}/signed-in`], post_logout_redirect_uris: [`${origin}/`] },
      { ...PUBLIC_CLIENT, client_id: COMMAND_LINE.clientId, application_type: 'native', redirect_uris: COMMAND_LINE.redirectUris },
    ],
    jwks: { keys: [keys.signing] },
    cookies: { names: cookieNames(secure), keys: [keys.cookies], long: { sameSite: 'lax', signed: true }, short: { sameSite: 'lax', signed: true } },
    pkce: { required: () => true },
    // Browsers send an Origin header with each POST, even within one origin; other programs need no permission.
    clientBasedCORS: (_context, from) => from === origin,
    scopes: ['openid', 'email', 'offline_access'],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: async ({ oidc: { session } }, id) => {
      const user = await users.get(id);
      if (user === undefined && session !== undefined) {
        // The user was removed while signing in, so the session is deleted as well.
        await session.destroy();
        throw new UserGone();
      }
      return user && { accountId: user.id, claims: () => ({ sub: user.id, email: user.email }) };
    },
    extraTokenClaims: async ({ oidc: { entities } }, token) => {
      if (!('accountId' in token)) return undefined;
      // A renewal copies these claims from one refresh token to the next, so the time remains that of the sign-in (RFC 9470, section 6.2).
      const { acr, amr, authTime, grantId = '' } = entities.RefreshToken ?? entities.AuthorizationCode ?? {};
      const { email } = (await users.get(String(token.accountId))) ?? {};
      return { email, auth_time: authTime, amr, [GENERATION_CLAIM]: acr, [SESSION_CLAIM]: digestOf(grantId) };
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.set(PAGE_HEADERS);
          context.body = signOutPage(form);
        },
        postLogoutSuccessSource: (context) => {
          context.set(PAGE_HEADERS);
          context.body = messagePage('You are signed out', 'Other browsers stay signed in.', [start, 'Sign in']);
        },
      },
      revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
      // Meant for clients that can keep a secret; without a secret, anyone could leave requests here.
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, indicator) => {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return {
            scope: SCOPE,
            audience: AUDIENCE,
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          };
        },
      },
    },
    // All clients are our own, so users are not asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const known = oidc.session?.grantIdFor(String(oidc.client?.clientId));
      const existing = known === undefined ? undefined : await provider.Grant.find(known);
      if (existing !== undefined) return existing;
      const grant = new provider.Grant({ clientId: String(oidc.client?.clientId), accountId: String(oidc.session?.accountId) });
      grant.addOIDCScope('openid email offline_access');
      grant.addResourceScope(resource, SCOPE);
      await grant.save();
      return grant;
    },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    interactions: { url: (_context, { uid }) => `${OIDC_PREFIX}/sign-in/${uid}` },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      Session: SESSION_SECONDS,
      Grant: SESSION_SECONDS,
      RefreshToken: SESSION_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
    },
    renderError: faults.renderError,
  });
  faults.watch(provider);
  const callback = provider.callback();
  const devices = createKnownDevices(keys.cookies, secure);
  // The library verifies the cookie's signature before it looks up the session.
  const stored = (request: IncomingMessage, response: ServerResponse) => provider.Session.get(provider.createContext(request, response));
  const userOf = async (request: IncomingMessage, response: ServerResponse) => (await stored(request, response)).accountId;
  const sessionOf = async (request: IncomingMessage, response: ServerResponse) => {
    const { accountId = '', uid, loginTs = 0, authorizations = {} } = await stored(request, response);
    const user = await users.get(accountId);
    const { grantId = '' } = authorizations[CLIENT_ID] ?? Object.values(authorizations)[0] ?? {};
    return user && { user, id: digestOf(grantId), uid, signedInAt: loginTs * 1_000 };
  };
  const bounds = createRequestBounds(userOf, clock);
  const throttle = createSignInThrottle();
  const secrets = createFactorSecrets(keys.cookies);
  const passkeys = createPasskeys(origin, keys.cookies, factors);
  const log = options.signInLog;
  const checkPassword = createPasswordCheck({ users, throttle, log, clock });
  const shared = { users, factors, passkeys, secrets, checkPassword, clock: options.machineClock };
  const signIn = createSignIn({
    ...shared,
    provider,
    throttle,
    log,
    devices,
    sendsLinks: options.mailer !== undefined,
    commandLine: COMMAND_LINE.clientId,
    start,
    prefetch,
  });
  const reset = createReset({ ...options, log, devices, throttle: createSignInThrottle(), randomBytes, mailer: options.mailer });
  const pages: Readonly<Record<string, SignIn>> = {
    [SIGN_UP_PATH]: createSignUp({ users, find: options.findInvitation, newUserId: options.newUserId, userOf, origin }),
    [SECURITY_PATH]: createSecurity({ ...shared, sessionOf, endOthers: options.endOthers, origin }),
    [FORGOT_PATH]: reset.forgot,
    [RESET_PATH]: reset.reset,
  };
  const { host, protocol } = new URL(origin);
  // The library builds URLs and decides on Secure cookies from the request's host headers, so these must not come from the client.
  provider.proxy = true;
  const ownHeaders = { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': undefined };

  async function serveSignIn(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const waitSeconds = bounds.signInWaitSeconds(address);
    if (waitSeconds > 0) {
      response.setHeader('retry-after', String(waitSeconds));
      return html(response, 429, problemPage(`Too many requests from this address. Try again in ${withUnit(waitSeconds, 'second')}.`, start));
    }
    const path = request.url?.split('?')[0] ?? '';
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) {
      response.setHeader('allow', 'GET, HEAD, POST');
      return html(response, 405, problemPage('You can only open this page, or submit its form.', start));
    }
    return (Object.hasOwn(pages, path) ? pages[path] : signIn)?.(request, response, address);
  }

  async function serveLibrary(request: IncomingMessage, response: ServerResponse, address: string, url: string): Promise<void> {
    const path = url.slice(OIDC_PREFIX.length) || '/';
    const refusal = await bounds.refusalOf(request, response, path, address);
    if (refusal !== undefined) return refuse(response, refusal);
    // Lets the library know that it is mounted below its prefix.
    Object.assign(request, { originalUrl: url, url: path });
    await callback(request, response);
  }

  return {
    issuer,
    metadata: {
      issuer,
      authorization_endpoint: origin + provider.pathFor('authorization'),
      token_endpoint: origin + provider.pathFor('token'),
      end_session_endpoint: origin + provider.pathFor('end_session'),
    },
    serve: (request, response, address) => {
      const url = request.url ?? '';
      Object.assign(request.headers, ownHeaders);
      const [path = ''] = url.split('?');
      const isSignIn = /^\/oidc\/sign-in\/[\w-]+$/.test(path) || Object.hasOwn(pages, path);
      const isBeginning = path === provider.pathFor('authorization');
      const sender = {
        addressGroup: addressGroup(address),
        agent: agentInWords(request.headers['user-agent'] ?? ''),
        browser: browserOf(request, secure) ?? (isBeginning ? newBrowser(response, secure) : ''),
      };
      senders
        .run(sender, () => (isSignIn ? serveSignIn(request, response, address) : serveLibrary(request, response, address, url)))
        .catch((error) => faults.answer(response, error));
    },
  };
}

/** Neither a page in a browser nor a program on its user's machine can keep a secret, so they use PKCE instead. */
const PUBLIC_CLIENT = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  id_token_signed_response_alg: 'ES256',
} as const;

function refuse(response: ServerResponse, { status, message, headers }: RequestRefusal): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(`${message}\n`);
}
