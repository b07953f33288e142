// Invalid options are refused when a client is created. Otherwise, the first call would fail, after retries, with an error that does not point to the
// mistake. The parts of a call's path are checked for the same reason.

/** Checks a base URL. @throws TypeError that says what was given and what is allowed */
export function checkUrl(url: unknown): void {
  if (typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url)) return;
  throw new TypeError(`baseUrl: got ${shown(url)}; allowed: the API's URL, such as https://pets.example.com`);
}

/** @param name of the option. @throws TypeError that says what is allowed, without the value, which may be a secret */
export function checkSecret(name: 'apiKey' | 'token' | 'deployToken', value: unknown): void {
  if (value === undefined || value === null || value === '')
    throw new TypeError(`${name}: got ${shown(value)}; is the environment variable for it set?`);
  if (typeof value !== 'string' && !(name === 'token' && typeof value === 'function'))
    throw new TypeError(`${name}: got a ${typeof value}; allowed: text${name === 'token' ? ' or a function that returns it' : ''}`);
}

/** Checks a number of attempts. @throws TypeError that says what was given and what is allowed */
export function checkAttempts(maxAttempts: unknown): void {
  if (maxAttempts === undefined || (Number.isInteger(maxAttempts) && Number(maxAttempts) >= 1)) return;
  throw new TypeError(`maxAttempts: got ${shown(maxAttempts)}; allowed: an integer of at least 1`);
}

/** Returns a part of a path, encoded. @throws TypeError with what was given and allowed; a part with only dots would lead to another path */
export function checkedPart(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new TypeError(`${name}: got ${shown(value)}; allowed: the id, as text`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

// Ends calls when their callers' signals are aborted.

export interface CallOptions {
  /** Ends the call, whether it is waiting or in flight: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when `start` calls its argument or the signal is aborted, whichever is first. After that, the signal has no listener. */
export function doneOrAborted(signal: AbortSignal | undefined, start: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done);
    start(done);
    if (signal?.aborted) done();
  });
}

/** Returns a signal for one request, which aborts after this time or with the call. */
export function requestSignal(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

/** A query whose optional parameters may also be undefined. */
export type Query<T> = { [Name in keyof T]: object extends Pick<T, Name> ? T[Name] | undefined : T[Name] };

/** Returns the query as part of a URL, beginning with `?`, without undefined values; an empty string if no values are left. */
export function searchOf(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}
