// Signs in as the dashboard does: the code flow with PKCE (RFC 7636), with cookies handled as in a browser.

import { createHash, randomBytes } from 'node:crypto';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';

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

/**
 * Opens the sign-in page.
 *
 * @param more parameters of the request
 * @returns its URL, and the PKCE verifier for exchanging the code
 */
export async function openSignIn(
  browser: Browser,
  origin: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly page: string; readonly verifier: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'dashboard',
    response_type: 'code',
    redirect_uri: `${origin}/signed-in`,
    scope: 'openid email',
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const response = await browser.fetch(`${origin}/oidc/auth?${query}`);
  return { page: new URL(response.headers.get('location') ?? '', origin).href, verifier };
}

/** Submits the sign-in form. */
export function submit(browser: Browser, page: string, email: string, password: string): Promise<Response> {
  return browser.fetch(page, { method: 'POST', body: new URLSearchParams({ email, password }) });
}

/**
 * Signs in, following all redirects.
 *
 * @param browser a new one, unless it is given
 * @param more parameters of the request
 * @returns what gets tokens for the code
 * @throws Error if no code is returned
 */
export async function codeFor(
  origin: string,
  email: string,
  password: string,
  browser = new Browser(),
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const { page, verifier } = await openSignIn(browser, origin, more);
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

/** Calls the token endpoint. @param host what answers for the origin. @throws Error with the response, if the endpoint refuses */
export async function exchange(origin: string, fields: Record<string, string>, host = origin): Promise<Tokens> {
  const response = await fetch(`${host}/oidc/token`, {
    method: 'POST',
    // Browsers name their origin with each POST, to the same one, too.
    headers: { origin },
    body: new URLSearchParams({ client_id: 'dashboard', ...fields }),
  });
  const answer = (await response.json()) as Tokens & { error?: string };
  if (!response.ok) throw new Error(`token: ${JSON.stringify(answer)}`);
  return answer;
}

/** Makes all sign-ins at the embedded provider older; tokens show it once they are renewed. @param folder the data folder */
export function ageSignIns(folder: string, seconds: number): void {
  const { database, close } = openSqliteStores(folder);
  for (const time of ['loginTs', 'authTime'])
    database.exec(
      `UPDATE oidc SET payload = json_set(payload, '$.${time}', payload ->> '${time}' - ${seconds}) WHERE payload ->> '${time}' IS NOT NULL`,
    );
  close();
}
