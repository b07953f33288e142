// The dashboard's environment: a file alongside the dashboard's own files, written by the server that hosts it.

export interface Configuration {
  /** The OpenID provider. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
}

/** Loads the configuration. Throws if the server does not provide it. */
export async function readConfiguration(): Promise<Configuration> {
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error(`the configuration can't be loaded: ${response.status}`);
  return response.json();
}
