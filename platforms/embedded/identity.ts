// Sign-in on one machine: the OpenID provider for the data folder's users, and verification of its tokens.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  AUDIENCE,
  CLIENT_ID,
  COMMAND_LINE,
  createIdentityProvider,
  type IdentityProviderOptions,
  isSignedIn,
  OIDC_PREFIX,
  SESSION_CLAIM,
} from '../../adapters/identity/provider.ts';
import { createAccessTokenCheck, openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { SECURITY_PATH } from '../../adapters/identity/security-pages.ts';
import { createSignInLog, type SignInLog } from '../../adapters/identity/sign-in-log.ts';
import { html, unavailablePage } from '../../adapters/identity/sign-in-page.ts';
import { SIGN_UP_PATH } from '../../adapters/identity/sign-up.ts';
import { createSqliteSessions } from '../../adapters/identity/sqlite-sessions.ts';
import { findInvitation } from '../../core/access/invitations.ts';
import type { SessionStore } from '../../core/identity/ports.ts';
import type { SignInSettings } from '../../core/identity/sign-in-settings.ts';
import { newUserId } from '../../core/identity/user.ts';
import type { DataFolder } from './folder.ts';

type Claims = NonNullable<Awaited<ReturnType<ReturnType<typeof createAccessTokenCheck>>>>;

export interface EmbeddedIdentity {
  /** The provider's path prefix, without a trailing slash. */
  readonly prefix: string;
  /** Serves a request to the provider. @param address the client's address */
  serve(request: IncomingMessage, response: ServerResponse, address: string): void;
  /** Answers with a page that asks the user to try again in a few seconds. */
  showUnavailable(response: ServerResponse): void;
  /** Returns the claims in an Authorization header's access token; undefined if we did not issue the token or its session has ended. */
  claimsOf(authorization: string | undefined): Promise<Claims | undefined>;
  /** Whether the claims' session still exists. The token may have expired meanwhile; it was valid when the request began. */
  isCurrent(claims: Claims): Promise<boolean>;
  readonly sessions: SessionStore;
  /** The settings of the dashboard and the command line for signing in here. */
  readonly client: SignInSettings;
}

export type IdentityOptions = Pick<
  IdentityProviderOptions,
  'origin' | 'mailer' | 'warn' | 'signInLog' | 'prefetch' | 'clock' | 'machineClock' | 'onFault'
>;

/** Opens the log of sign-ins, to be closed after everything that writes to it. @param clock milliseconds since 1970 */
export function openSignInLog({ audit }: DataFolder, clock: () => number, onFault: (error: unknown) => void): SignInLog {
  return createSignInLog(audit, clock, onFault);
}

/** Opens the OpenID provider; creates its keys if there are none. */
export async function openIdentity(folder: DataFolder, options: IdentityOptions): Promise<EmbeddedIdentity> {
  const { users, factors, database, settings } = folder;
  const { origin, clock } = options;
  const sessions = folder.sessions ?? createSqliteSessions(database, { dashboard: CLIENT_ID, clock, record: folder.recordChange });
  const keys = await openProviderKeys(settings.dataFolder);
  const provider = createIdentityProvider({
    ...options,
    keys,
    users,
    factors,
    store: folder.signIns,
    findInvitation: async (token) => {
      const found = await findInvitation(folder, token, clock());
      return found.ok ? { invitation: found.invitation, accountName: found.account.name } : undefined;
    },
    newUserId: () => newUserId(randomBytes),
    isEnded: sessions.isEnded,
    endGrant: sessions.endGrant,
    endOthers: sessions.endOtherSessions,
  });
  const { issuer, metadata } = provider;
  const check = createAccessTokenCheck({ issuer, audience: AUDIENCE, key: keys.signing, clock });
  const isCurrent = async (claims: Claims) => (await isSignedIn(users, claims)) && !(await sessions.isEnded(String(claims[SESSION_CLAIM])));
  return {
    prefix: OIDC_PREFIX,
    sessions,
    serve: provider.serve,
    showUnavailable: (response) => html(response, 503, unavailablePage(`${origin}/`)),
    claimsOf: async (authorization) => {
      const claims = await check(authorization);
      return claims !== undefined && (await isCurrent(claims)) ? claims : undefined;
    },
    isCurrent,
    client: {
      authority: issuer,
      clientId: CLIENT_ID,
      scope: 'openid email',
      apiUrl: origin,
      metadata,
      signUpWithInvitation: SIGN_UP_PATH,
      securityPage: SECURITY_PATH,
      commandLine: COMMAND_LINE,
    },
  };
}
