// The dashboard's environment: in the start page, and in a file alongside the dashboard's own files; both are written by the server that hosts it.

export interface Configuration {
  /** The OpenID provider. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
  /** The catalogue API's URL without `/v1`. @default unknown: the stage was deployed before the dashboard had it */
  readonly apiUrl?: string;
  /** Path of the page where an invited person without a user chooses a password. @default none */
  readonly signUpWithInvitation?: string;
  /** Path of the provider's page where users change what they sign in with. @default none */
  readonly securityPage?: string;
  /** What the provider's discovery document says. @default it is requested before signing in: one more round trip */
  readonly metadata?: {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
    readonly end_session_endpoint: string;
  };
}

/** Loads the configuration. Throws if the server does not provide it. */
export async function readConfiguration(): Promise<Configuration> {
  const inPage = document.getElementById('configuration')?.textContent?.trim() ?? '';
  if (inPage !== '') return JSON.parse(inPage);
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error(`the configuration can't be loaded: ${response.status}`);
  return response.json();
}
