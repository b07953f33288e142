// The dashboard's environment: a file next to the dashboard's own, written by the server that hosts it.

export interface Configuration {
  /** The OpenID provider. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
}

/** Loads the configuration. Throws if the server does not have it. */
export async function readConfiguration(): Promise<Configuration> {
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error(`the configuration can't be loaded: ${response.status}`);
  return response.json();
}
