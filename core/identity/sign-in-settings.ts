// The settings with which the dashboard and the command line sign in: a file beside the dashboard's own.

/** Path of the file, below the dashboard's origin. */
export const SIGN_IN_SETTINGS_PATH = '/dashboard/config.json';

/** How old a sign-in may be for actions that an unlocked computer alone must not allow, in seconds. */
export const RECENT_SIGN_IN_SECONDS = 3_600;

export interface SignInSettings {
  /** The OpenID provider's issuer. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
  /** The catalogue API's URL without `/v1`, for the dashboard's examples. */
  readonly apiUrl: string;
  /** What the provider's discovery document says: saves the dashboard a round trip. */
  readonly metadata: {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
    readonly end_session_endpoint: string;
  };
  /**
   * Path of the page where an invited person without a user chooses a password. It takes the link's token, in a form. @default none: people sign up at
   * the provider's sign-in page, or an administrator creates users
   */
  readonly signUpWithInvitation?: string;
  /** Path of the provider's page where users change what they sign in with. It leads to `/security` if the sign-in is too old. @default none */
  readonly securityPage?: string;
  readonly commandLine: {
    readonly clientId: string;
    /** On this computer. A URI without a port is valid for any port (RFC 8252, section 7.3); otherwise one of these ports must be free. */
    readonly redirectUris: readonly string[];
  };
}
