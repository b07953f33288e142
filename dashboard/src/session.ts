// The dashboard's environment, which is in the start page, and in a file next to the dashboard's own files. The dashboard's server writes both.

import { ErrorResponse, type SigninRedirectArgs, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { SIGN_IN_QUERY } from '../../core/access/invitation-link.ts';
import { RECENT_SIGN_IN_SECONDS } from '../../core/identity/sign-in-settings.ts';
import { forgetIssuedKeys } from './key-rows.ts';

export interface Configuration {
  /** The OpenID provider. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
  /** The catalogue API's URL without `/v1`. @default unknown: the stage was deployed before this existed */
  readonly apiUrl?: string;
  /** Path of the page where an invited person who is not a user yet chooses a password. @default none */
  readonly signUpWithInvitation?: string;
  /** Path of the provider's page where users change their factors. @default none */
  readonly securityPage?: string;
  /** The provider's discovery document. @default it is requested before signing in, which costs a round trip */
  readonly metadata?: {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
    readonly end_session_endpoint: string;
  };
}

/** Loads the configuration. Throws if the server does not provide it. */
async function readConfiguration(): Promise<Configuration> {
  const inPage = document.getElementById('configuration')?.textContent?.trim() ?? '';
  if (inPage !== '') return JSON.parse(inPage);
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error(`the configuration can't be loaded: ${response.status}`);
  return response.json();
}

// The session (authorization code flow with PKCE). Tokens are stored in this tab's session storage and lost when the tab is closed.

export type Session = Awaited<ReturnType<typeof openSession>>;

/** Shown if the configuration is older than the dashboard. */
const UNKNOWN_API = 'https://the-address-of-the-api';
const RENEW_BEFORE_SECONDS = 60;
/** In milliseconds: a token that is rejected this soon after sign-in would be rejected again. */
const FRESH_MS = 10_000;
/** A minute less than the security page allows, so that a sign-in that the provider accepts as recent is also recent enough for the page. */
const RECENT_SECONDS = RECENT_SIGN_IN_SECONDS - 60;
const SIGNED_IN_AT = 'petstore.signed-in-at';
/** How long a tab that reloads may take to let go of its lock, in milliseconds. */
const UNLOADED_MS = 1_000;
/** Set while a user signs in again because the session had ended. */
const ENDED = 'petstore.session-ended';

/** Loads the configuration and creates the session. */
export async function openSession() {
  const { authority, clientId, scope, metadata, apiUrl = UNKNOWN_API, signUpWithInvitation, securityPage } = await readConfiguration();
  const manager = new UserManager({
    authority,
    client_id: clientId,
    scope,
    ...(metadata !== undefined && { metadata }),
    redirect_uri: `${location.origin}/signed-in`,
    post_logout_redirect_uri: `${location.origin}/`,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: false,
  });
  let renewing: Promise<string | undefined> | undefined;

  async function renew({ refresh_token }: User): Promise<string | undefined> {
    try {
      if (refresh_token === undefined) throw new ErrorResponse({ error: 'no_refresh_token' });
      return (await manager.signinSilent())?.access_token;
    } catch (error) {
      // Without a response, the result is unknown, so the token is kept, and the renewal is retried.
      if (!(error instanceof ErrorResponse)) throw new TypeError('the session could not be renewed', { cause: error });
      // The session has ended, or the refresh token was used elsewhere.
      await manager.removeUser();
      return undefined;
    } finally {
      renewing = undefined;
    }
  }

  const isOpen = () => sessionStorage.getItem(`oidc.user:${authority}:${clientId}`) !== null;
  // A duplicated tab has a copy of the tokens. The provider takes a refresh token that is used twice for stolen, so the copy signs in anew.
  if (isOpen() && !(await isOnlyTab())) await manager.removeUser();

  const signIn = (more: SigninRedirectArgs = {}) =>
    manager.signinRedirect({ state: location.pathname === '/signed-in' ? '/' : location.pathname + searchToKeep(), ...more });

  return {
    apiUrl,
    signUpPath: signUpWithInvitation,
    securityPage,
    /** Whether this tab has tokens, which may have expired. */
    isOpen,
    /** Returns the access token for the API, renewed before it expires; undefined if no user is signed in. */
    token: async () => {
      const user = await manager.getUser();
      if (user === null) return undefined;
      if ((user.expires_in ?? 0) > RENEW_BEFORE_SECONDS) return user.access_token;
      renewing ??= renew(user);
      return renewing;
    },
    /** Redirects to the sign-in page, which returns to the current page. */
    signIn: () => signIn(),
    /** Like `signIn`, but requires a new sign-in even if the provider knows the user. */
    // Cognito does not support max_age, and supports prompt only on its newer pages; its session lasts an hour on all pages.
    signInAgain: () => signIn({ max_age: 3_600, prompt: 'login' }),
    /** Opens the security page, which accepts a sign-in that is at most an hour old; an older one is repeated first. */
    openSecurityPage: () => signIn({ max_age: RECENT_SECONDS, state: securityPage, redirectMethod: 'replace' }),
    /** Redirects to the sign-in page if the service rejected the token, but not right after a sign-in, so that new tokens can't cause a loop. */
    renewSignIn: async () => {
      if (Date.now() - Number(sessionStorage.getItem(SIGNED_IN_AT)) <= FRESH_MS) return;
      sessionStorage.setItem(ENDED, 'yes');
      await signIn();
    },
    /** Completes sign-in after the redirect. @returns the path at which to continue */
    finishSignIn: async () => {
      const user = await manager.signinRedirectCallback();
      sessionStorage.setItem(SIGNED_IN_AT, String(Date.now()));
      void isOnlyTab();
      return typeof user.state === 'string' && isPath(user.state) ? user.state : '/';
    },
    signOut: async () => {
      forgetIssuedKeys(sessionStorage);
      try {
        // Cognito has a different name for the standard's post_logout_redirect_uri.
        await manager.signoutRedirect({ extraQueryParams: { client_id: clientId, logout_uri: `${location.origin}/` } });
      } catch {
        await manager.removeUser();
        location.assign('/');
      }
    },
    /** Whether the user has signed in again because the session had ended. Returns true only once. */
    hadEnded: () => {
      const had = sessionStorage.getItem(ENDED) !== null;
      sessionStorage.removeItem(ENDED);
      return had;
    },
    email: async () => (await manager.getUser())?.profile.email,
  };
}

/** Holds a lock for this tab's sign-in until the tab closes. @returns whether no other tab has it */
function isOnlyTab(): Promise<boolean> {
  const name = `${SIGNED_IN_AT}:${sessionStorage.getItem(SIGNED_IN_AT)}`;
  return new Promise((resolve) => {
    const held = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks.request(name, { signal: AbortSignal.timeout(UNLOADED_MS) }, held).catch(() => resolve(false));
  });
}

/** Returns the query to return to after sign-in: the page's, except for SIGN_IN_QUERY, which is no longer needed. */
function searchToKeep(): string {
  return location.search === SIGN_IN_QUERY ? '' : location.search;
}

/** Whether the text is a path on this host. Browsers take two slashes, or a slash and a backslash, for the start of another host. */
function isPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text);
}
