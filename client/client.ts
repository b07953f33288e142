// Typed client for the catalogue API. The types come from the OpenAPI document (generated.ts). This file adds what every integration needs:
// backoff, safe retries of POST, and pagination.

import { ApiKeyBannedError, type ErrorCode, PetstoreError, readError } from './errors.ts';
import { type Outcome, openGate, throughGate } from './gate.ts';
import { BIGINT_MEMBERS, type components, type operations } from './generated.ts';
import { type CallOptions, checkAttempts, checkSecret, checkUrl, type Query, requestSignal, searchOf } from './request.ts';
import { nextCursor, parseJson, retryAfterSeconds, whole, writeJson } from './responses.ts';
import { isRetried, newIdempotencyKey, type RetryOptions, wait, waitBeforeRetry } from './retry.ts';

// Users of the package import these from here.
export type { CallOptions, ErrorCode, RetryOptions };
export { ApiKeyBannedError, PetstoreError };

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];
export type ListPetsQuery = Query<NonNullable<operations['listPets']['parameters']['query']>>;

export interface ClientOptions extends RetryOptions {
  /** The API's URL without `/v1`, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Timeout for a single request, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number;
  /** @default the global fetch */
  readonly fetch?: typeof fetch;
}

export interface Page {
  readonly pets: readonly Pet[];
  /** The cursor of the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

export interface CreatePetOptions extends CallOptions {
  /** The key of a call by an earlier process, to repeat that call. @default a new key */
  readonly idempotencyKey?: string | undefined;
}

export interface PetstoreClient {
  /**
   * Returns one page, by ascending id.
   *
   * @throws PetstoreError
   * @example const { pets, nextCursor } = await petstore.listPets({ status: 'available', limit: 50 });
   */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Page>;
  /**
   * Iterates over all animals; each page is fetched when it is needed.
   *
   * @throws PetstoreError
   * @example for await (const pet of petstore.allPets({ status: 'available' })) console.log(pet.id, pet.name);
   */
  allPets(query?: Omit<ListPetsQuery, 'cursor'>, options?: CallOptions): AsyncIterable<Pet>;
  /**
   * Adds an animal exactly once, even if the request has to be retried.
   *
   * @param options a string is the idempotency key
   * @throws PetstoreError
   * @example const rex = await petstore.createPet({ name: 'Rex', categoryId: 7n }, { signal: AbortSignal.timeout(60_000) });
   */
  createPet(pet: NewPet, options?: string | CreatePetOptions): Promise<Pet>;
  /**
   * @deprecated the operation will be removed on 5 December 2030; use listPets
   * @returns undefined if the animal does not exist
   * @throws PetstoreError
   * @example const pet = await petstore.getPet(244011122335744);
   */
  getPet(id: number, options?: CallOptions): Promise<Pet | undefined>;
  /**
   * Resumes sending before a limit or ban has expired, after an upgrade or a lifted ban. Both take up to 60 seconds to take effect, and requests sent
   * earlier may lead to a ban. Waiting calls continue, including those by other clients with the same key.
   *
   * @example petstore.resume();
   */
  resume(): void;
}

/**
 * Creates a client. Calls are retried, and share a gate with all of the process's clients that have the same URL and key. A call that gets no
 * response in any attempt rejects with the error from `fetch`.
 *
 * @throws TypeError if an option can't work
 * @example const petstore = createClient({ baseUrl: 'http://127.0.0.1:8080', apiKey: process.env.PETSTORE_KEY ?? '' });
 */
export function createClient(options: ClientOptions): PetstoreClient {
  const { baseUrl, apiKey, timeoutMs = 30_000, fetch: send = fetch, sleep = wait } = options;
  checkUrl(baseUrl);
  checkSecret('apiKey', apiKey);
  checkAttempts(options.maxAttempts);
  const root = `${baseUrl.replace(/\/$/, '')}/v1`;

  const gate = JSON.stringify([root, apiKey]);

  async function sendOnce(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Outcome> {
    try {
      const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${apiKey}` };
      const response = await whole(await send(`${root}${path}`, { ...init, headers, signal: requestSignal(timeoutMs, signal) }));
      return response.ok ? { kind: 'answered', response } : { kind: 'refused', response, error: readError(response) };
    } catch (error) {
      return signal?.aborted ? { kind: 'aborted', error: signal.reason } : { kind: 'lost', error };
    }
  }

  async function request(path: string, { signal }: CallOptions, init: RequestInit = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await throughGate(gate, Math.max(1, attempt - 1), () => sendOnce(path, init, signal), { ...options, signal });
      if (outcome.kind === 'answered') return outcome.response;
      if (outcome.kind === 'aborted') throw outcome.error;
      const refusal = outcome.kind === 'refused' ? outcome.response : undefined;
      const seconds = refusal && retryAfterSeconds(refusal.headers);
      const pause = refusal === undefined || isRetried(refusal.status) ? waitBeforeRetry(attempt, seconds, options) : undefined;
      if (pause === undefined) throw await outcome.error;
      // A ban is not waited out. The gate waits for the end of a limit.
      if (refusal?.status === 429 && (await outcome.error) instanceof ApiKeyBannedError) throw await outcome.error;
      if (refusal?.status !== 429 || seconds === undefined || seconds === 0) await sleep(pause, signal);
    }
  }

  async function listPets(query: ListPetsQuery = {}, call: CallOptions = {}): Promise<Page> {
    const response = await request(`/pets${searchOf(query)}`, call);
    return { pets: parseJson(await response.text(), BIGINT_MEMBERS) as Pet[], nextCursor: nextCursor(response.headers) };
  }

  return {
    listPets,
    async *allPets(query = {}, call = {}) {
      let cursor: string | undefined;
      do {
        const page: Page = await listPets({ limit: 100, ...query, ...(cursor !== undefined && { cursor }) }, call);
        yield* page.pets;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
    },
    createPet: async (pet, options = {}) => {
      const { idempotencyKey = newIdempotencyKey(), ...call } = typeof options === 'string' ? { idempotencyKey: options } : options;
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      return readPet(await request('/pets', call, { method: 'POST', headers, body: writeJson(pet) }));
    },
    getPet: async (id, call = {}) => {
      try {
        return await readPet(await request(`/pets/${id}`, call));
      } catch (error) {
        if (error instanceof PetstoreError && error.status === 404) return undefined;
        throw error;
      }
    },
    resume: () => openGate(gate),
  };
}

async function readPet(response: Response): Promise<Pet> {
  return parseJson(await response.text(), BIGINT_MEMBERS) as Pet;
}
