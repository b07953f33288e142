// The addresses of the page's APIs, and the secrets for them that this tab keeps.

import { type ApiName, type OpenApiDocument, parseDocument } from './document.ts';

export interface Api {
  readonly name: ApiName;
  readonly document: OpenApiDocument;
  readonly url: string;
  /** Where requests are sent. */
  readonly origin: string;
}

/** Whether the page is a copy in the documentation, which sends no requests. */
export const isCopy = document.querySelector('meta[name="petstore:copy"]') !== null;

/** Returns the API that the page's URL selects: `?api=control`, or the catalogue. */
export function apiIn(search: string): ApiName {
  return new URLSearchParams(search).get('api') === 'control' ? 'control' : 'catalogue';
}

/** Loads an API's document: the catalogue's from this host or, on AWS, from the configured URL. @throws Error with a message for the reader */
export async function loadApi(name: ApiName): Promise<Api> {
  if (name === 'control') return read(name, location.origin, '/dashboard/v1/openapi.json');
  try {
    return await read(name, location.origin, '/v1/openapi.json');
  } catch (error) {
    const { apiUrl } = await fetch('/dashboard/config.json').then(
      (response) => response.json() as Promise<{ apiUrl?: string }>,
      () => ({ apiUrl: undefined }),
    );
    if (apiUrl === undefined || apiUrl === location.origin) throw error;
    return read(name, apiUrl, '/v1/openapi.json');
  }
}

async function read(name: ApiName, origin: string, path: string): Promise<Api> {
  const url = `${origin}${path}`;
  const response = await fetch(url);
  // For unknown paths, the dashboard's host may respond with the dashboard's page.
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) throw new Error(`${url} returned ${response.status}`);
  return { name, document: parseDocument(await response.text()), url, origin: isCopy ? 'https://api.example.com' : origin };
}

/** A key or an access token kept in this tab. */
export interface Secret {
  readonly label: string;
  readonly value: string;
}

/** Returns the secrets for an API that the dashboard keeps in this tab: keys that are not saved yet, or the user's access token. */
export function secretsFor(name: ApiName, storage: Storage): readonly Secret[] {
  const stored = (prefix: string) =>
    Object.keys(storage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => JSON.parse(storage.getItem(key) ?? '{}') as Readonly<Record<string, string>>);
  return name === 'catalogue'
    ? stored('petstore.issued-key:').map(({ name: label = '', key = '' }) => ({ label: `Use the key ${label}`, value: key }))
    : stored('oidc.user:').map(({ access_token: value = '' }) => ({ label: 'Use my session', value }));
}
