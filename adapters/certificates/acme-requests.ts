// HTTP settings for requests to ACME authorities. The library sends all clients' requests through one axios instance and has no agent, root or
// timeout per client. Settings common to all authorities are made once on that instance. The root differs, so it is carried in the asynchronous
// context of the work that a request belongs to; several authorities in one process each use their own.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent } from 'node:https';
import acme from 'acme-client';

const REQUEST_MS = 10_000;

/** A problem document from the authority (RFC 8555, section 6.7). */
export class AcmeProblem extends Error {
  readonly type: string;

  constructor(type: string, detail: string) {
    super(detail);
    this.type = type;
  }
}

const agents = new AsyncLocalStorage<Agent | undefined>();

acme.axios.interceptors.request.use((config) => Object.assign(config, { httpsAgent: agents.getStore() }));

// Disables the library's retries, which would sleep for as long as the authority requests: the domain's schedule does the waiting.
Object.assign(acme.axios.defaults, { acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 }, timeout: REQUEST_MS });

// The library throws only a problem's text, but its type decides how to handle it. The library retries a bad nonce itself.
acme.axios.interceptors.response.use((response) => {
  const { type, detail } = (response.data ?? {}) as { type?: string; detail?: string };
  const isProblem = response.status >= 400 && typeof type === 'string' && !type.endsWith(':badNonce');
  if (isProblem) throw new AcmeProblem(type.replace('urn:ietf:params:acme:error:', ''), detail ?? type);
  return response;
});

/**
 * Returns a function that runs work with all its requests verified against one root.
 *
 * @param root PEM of the root for the authority's own server certificate. @default the public roots
 */
export function requestsWith(root: string | undefined): <T>(work: () => Promise<T>) => Promise<T> {
  const agent = root === undefined ? undefined : new Agent({ ca: root });
  return (work) => agents.run(agent, work);
}
