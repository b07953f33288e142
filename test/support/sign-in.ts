// Signs in as the dashboard does: the code flow with PKCE (RFC 7636), with cookies handled as in a browser.

import { createHash, randomBytes } from 'node:crypto';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** A fetch with cookies, which does not follow redirects. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers sent with all of its requests */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
  }

  /** Deletes a cookie and its signature. */
  forget(name: string): void {
    for (const each of [name, `${name}.sig`]) this.#cookies.delete(each);
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...this.#headers, ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}

/** Opens the sign-in page. @returns its URL, and the PKCE verifier for exchanging the code */
export async function openSignIn(browser: Browser, origin: string): Promise<{ readonly page: string; readonly verifier: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'dashboard',
    response_type: 'code',
    redirect_uri: `${origin}/signed-in`,
    scope: 'openid email',
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const response = await browser.fetch(`${origin}/oidc/auth?${query}`);
  return { page: new URL(response.headers.get('location') ?? '', origin).href, verifier };
}

/** Submits the sign-in form. */
export function submit(browser: Browser, page: string, email: string, password: string): Promise<Response> {
  return browser.fetch(page, { method: 'POST', body: new URLSearchParams({ email, password }) });
}

/** Signs in with a new browser, following all redirects. @returns what gets tokens for the code @throws Error if no code is returned */
export async function codeFor(origin: string, email: string, password: string): Promise<Record<string, string>> {
  const browser = new Browser();
  const { page, verifier } = await openSignIn(browser, origin);
  let response = await submit(browser, page, email, password);
  for (let hops = 0; hops < 5; hops += 1) {
    const location = new URL(response.headers.get('location') ?? '', origin);
    const code = location.searchParams.get('code');
    if (code !== null) return { grant_type: 'authorization_code', code, redirect_uri: `${origin}/signed-in`, code_verifier: verifier };
    response = await browser.fetch(location.href);
  }
  throw new Error(`no code: ${response.status} ${await response.text()}`);
}

/** Signs in with a new browser. */
export async function signIn(origin: string, email: string, password: string): Promise<Tokens> {
  return exchange(origin, await codeFor(origin, email, password));
}

/** Calls the token endpoint. @throws Error with the response, if the endpoint refuses */
export async function exchange(origin: string, fields: Record<string, string>): Promise<Tokens> {
  const response = await fetch(`${origin}/oidc/token`, {
    method: 'POST',
    // Browsers name their origin with each POST, to the same one, too.
    headers: { origin },
    body: new URLSearchParams({ client_id: 'dashboard', ...fields }),
  });
  const answer = (await response.json()) as Tokens & { error?: string };
  if (!response.ok) throw new Error(`token: ${JSON.stringify(answer)}`);
  return answer;
}
