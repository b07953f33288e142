// The settings that the dashboard and the command line need to sign in, in a file next to the dashboard's own files.

/** Path of the file, below the dashboard's origin. */
export const SIGN_IN_SETTINGS_PATH = '/dashboard/config.json';

/** Maximum age of a sign-in, in seconds, for sensitive actions, because an unlocked computer may be used by others. */
export const RECENT_SIGN_IN_SECONDS = 3_600;

export interface SignInSettings {
  /** The OpenID provider's issuer. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
  /** The catalogue API's URL without `/v1`, for the dashboard's examples. */
  readonly apiUrl: string;
  /** The provider's discovery document, to save the dashboard a round trip. */
  readonly metadata: {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
    readonly end_session_endpoint: string;
  };
  /**
   * Path of the page where an invited person who is not a user yet chooses a password; a form sends it the link's token. @default none: people sign
   * up at the provider's sign-in page, or an administrator creates users
   */
  readonly signUpWithInvitation?: string;
  /** Path of the provider's page where users change their factors. It redirects to `/security` if the sign-in is too old. @default none */
  readonly securityPage?: string;
  readonly commandLine: {
    readonly clientId: string;
    /** URIs on the user's computer. A URI without a port is valid for any port (RFC 8252, section 7.3); otherwise one of these ports must be free. */
    readonly redirectUris: readonly string[];
  };
}
