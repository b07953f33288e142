// How requests to ACME authorities are made. The library sends those of all its clients over one axios instance and takes no agent, root or
// time limit for one client. What holds for every authority is set there once; the root, which does not, goes with the asynchronous context
// of the work that a request is part of, so that authorities in one process are each asked with their own.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent } from 'node:https';
import acme from 'acme-client';

const REQUEST_MS = 10_000;

/** A problem document of the authority (RFC 8555, section 6.7). */
export class AcmeProblem extends Error {
  readonly type: string;

  constructor(type: string, detail: string) {
    super(detail);
    this.type = type;
  }
}

const agents = new AsyncLocalStorage<Agent | undefined>();

acme.axios.interceptors.request.use((config) => Object.assign(config, { httpsAgent: agents.getStore() }));

// Who waits is the domain's timer, not the library, which would sleep for as long as the authority says.
Object.assign(acme.axios.defaults, { acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 }, timeout: REQUEST_MS });

// The library throws a problem's text alone; its type says what to make of it. A bad nonce it asks for anew by itself.
acme.axios.interceptors.response.use((response) => {
  const { type, detail } = (response.data ?? {}) as { type?: string; detail?: string };
  const isProblem = response.status >= 400 && typeof type === 'string' && !type.endsWith(':badNonce');
  if (isProblem) throw new AcmeProblem(type.replace('urn:ietf:params:acme:error:', ''), detail ?? type);
  return response;
});

/**
 * Runs work whose requests all go to one authority.
 *
 * @param root PEM of what its certificate is checked against. @default the public roots
 */
export function requestsWith(root: string | undefined): <T>(work: () => Promise<T>) => Promise<T> {
  const agent = root === undefined ? undefined : new Agent({ ca: root });
  return (work) => agents.run(agent, work);
}
