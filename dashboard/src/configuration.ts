// What the dashboard must know of where it runs: a file beside it, written by whoever serves it.

export interface Configuration {
  /** The OpenID provider. */
  readonly authority: string;
  readonly clientId: string;
  readonly scope: string;
}

export async function readConfiguration(): Promise<Configuration> {
  const response = await fetch('/dashboard/config.json');
  if (!response.ok) throw new Error(`the configuration can't be read: ${response.status}`);
  return response.json();
}
