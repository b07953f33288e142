// Calls the API as a customer would: through its public name, TLS and API Gateway. Alarms on its own metrics stay quiet if no request reaches it.

import { generateApiKey, type KeyMode } from '../../core/access/api-key.ts';

/** No account has this id, because ids are random. */
const NO_ACCOUNT = 'acc_0000000000';
/** A slower response counts as a failure, because customers' clients would give up as well. */
const TIMEOUT_MS = 10_000;

export interface ProbeOptions {
  /** The API's address, such as `https://api.example.com`. */
  readonly url: string;
  readonly keyMode: KeyMode;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Whether this is the body of our own 401, not of API Gateway's. */
function isUnauthorized({ code, message, status, ...others }: Readonly<Record<string, unknown>>): boolean {
  return code === 'unauthorized' && status === 401 && typeof message === 'string' && Object.keys(others).length === 0;
}

/**
 * Requests the API's document, which needs only the function, and a list with an unknown, well-formed key, which also needs storage. Never rejects.
 * @returns a line for each response that is not as documented; empty if the API works
 */
export async function probeApi({ url, keyMode, fetch, randomBytes }: ProbeOptions): Promise<readonly string[]> {
  const key = generateApiKey(keyMode, NO_ACCOUNT, randomBytes);
  const problems = await Promise.all([
    probe('/v1/openapi.json', {}, 200, (body) => typeof body.openapi === 'string' && typeof body.paths === 'object'),
    probe('/v1/pets', { authorization: `Bearer ${key}` }, 401, isUnauthorized),
  ]);
  return problems.flat();

  async function probe(
    path: string,
    headers: Readonly<Record<string, string>>,
    status: number,
    isDocumented: (body: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<readonly string[]> {
    try {
      const response = await fetch(url + path, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (response.status !== status) return [`GET ${path}: got ${response.status}; expected ${status}`];
      return isDocumented(JSON.parse(text)) ? [] : [`GET ${path}: got a different body with ${status}`];
    } catch (error) {
      return [`GET ${path}: ${error instanceof Error ? error.message : String(error)}`];
    }
  }
}
