// One HTTPS request to an ACME authority (RFC 8555, section 6), and what its answer says about errors and waiting.

import { Agent, request } from 'node:https';

/** Time limit for a whole exchange, in milliseconds. */
const DEADLINE_MS = 10_000;
/** Maximum size of a body, in bytes. Certificate chains take a few kilobytes. */
const LONGEST_BODY = 1_000_000;

export interface AcmeAnswer {
  readonly status: number;
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
  readonly location: string | undefined;
  readonly nonce: string | undefined;
  /** How long the authority asks clients to wait (RFC 9110, section 10.2.3), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** The authority did not answer, or its answer violates the protocol. */
export class AcmeSilence extends Error {
  readonly retryAfterMs: number | undefined;
  /** The status of an answer without a problem document. @default there was no answer, or it was invalid */
  readonly status: number | undefined;

  constructor(message: string, retryAfterMs?: number, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** A problem document from the authority (RFC 8555, section 6.7). */
export class AcmeProblem extends Error {
  /** The type without the common prefix. */
  readonly type: string;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** URL of a page for the operator, such as terms to agree to. */
  readonly instance: string | undefined;

  constructor(problem: { readonly type: string; readonly detail?: unknown; readonly instance?: unknown }, { status, retryAfterMs }: AcmeAnswer) {
    super(typeof problem.detail === 'string' ? problem.detail : problem.type);
    this.type = problemType(problem.type);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.instance = typeof problem.instance === 'string' ? problem.instance : undefined;
  }
}

/** Returns the type of a problem without the common prefix. */
export function problemType(type: unknown): string {
  return String(type).replace('urn:ietf:params:acme:error:', '');
}

export type AcmeFetch = (method: 'GET' | 'HEAD' | 'POST', url: string, body?: object) => Promise<AcmeAnswer>;

/**
 * Creates a function that sends requests. It rejects with AcmeProblem for a problem document, and with AcmeSilence for any other failure.
 * @param root trusted for the authority's server, in PEM. @default the public roots @param version for the User-Agent (RFC 8555, section 6.1)
 */
export function createAcmeFetch(root: string | undefined, version: string): AcmeFetch {
  const agent = new Agent({ keepAlive: true, ...(root !== undefined && { ca: root }) });
  return async (method, url, body) => {
    // URLs come from the authority's answers, so anything but HTTPS is refused.
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') throw new AcmeSilence(`its answer has no https URL where one is needed (${url})`);
    const answer = await exchange(agent, method, url, body, version);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const problem = answer.body as { type?: unknown } | string | undefined;
    if (typeof problem === 'object' && problem !== null && typeof problem.type === 'string')
      throw new AcmeProblem({ ...problem, type: problem.type }, answer);
    throw new AcmeSilence(`it answers ${answer.status}`, answer.retryAfterMs, { status: answer.status });
  };
}

function exchange(agent: Agent, method: string, url: string, body: object | undefined, version: string): Promise<AcmeAnswer> {
  return new Promise((resolve, reject) => {
    const silent = (error: Error) => {
      clearTimeout(deadline);
      sent.destroy();
      // Owners read this, so it contains no addresses.
      const { code } = error as NodeJS.ErrnoException;
      reject(new AcmeSilence(code === undefined ? error.message : `no connection (${code})`, undefined, { cause: error }));
    };
    const sent = request(url, {
      method,
      agent,
      headers: { 'user-agent': `petstore-platform/${version}`, ...(body !== undefined && { 'content-type': 'application/jose+json' }) },
    });
    const deadline = setTimeout(() => silent(new Error(`no answer within ${DEADLINE_MS / 1_000} s`)), DEADLINE_MS);
    sent.once('error', silent);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.byteLength;
        if (length > LONGEST_BODY) silent(new Error(`an answer of more than ${LONGEST_BODY} bytes`));
        else chunks.push(chunk);
      });
      response.once('error', silent);
      response.once('end', () => {
        clearTimeout(deadline);
        const { 'content-type': type = '', location, 'replay-nonce': nonce, 'retry-after': retryAfter, date } = response.headers;
        const text = Buffer.concat(chunks).toString('utf8');
        try {
          resolve({
            status: response.statusCode ?? 0,
            body: type.includes('json') && text !== '' ? JSON.parse(text) : text,
            // An empty value counts as missing; a relative URL is resolved against the request's URL (RFC 9110, section 10.2.2).
            location: location && URL.canParse(location, url) ? new URL(location, url).href : undefined,
            nonce: typeof nonce === 'string' ? nonce : undefined,
            retryAfterMs: retryAfterOf(retryAfter, date),
          });
        } catch {
          reject(new AcmeSilence('its answer is not JSON'));
        }
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Parses a number of seconds, or a date, which is compared with the authority's own clock. */
function retryAfterOf(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const ms = Date.parse(value) - Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
