// The typed client of the catalogue API. Types come from the OpenAPI document (generated.ts); this file adds what every
// integration needs: backing off, repeating a POST safely, walking the pages.

import { PetstoreError, retryAfterSeconds } from './errors.ts';
import type { components, operations } from './generated.ts';
import { isRetried, type RetryOptions, waitBeforeRetry } from './retry.ts';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];
export type ListPetsQuery = NonNullable<operations['listPets']['parameters']['query']>;

export interface ClientOptions extends RetryOptions {
  /** Where the API is, without `/v1`, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How long one request may take, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number;
  /** @default the global fetch */
  readonly fetch?: typeof fetch;
}

export interface Page {
  readonly pets: readonly Pet[];
  /** The cursor of the next page; undefined on the last. */
  readonly nextCursor: string | undefined;
}

export interface PetstoreClient {
  /** One page, id ascending. @throws PetstoreError */
  listPets(query?: ListPetsQuery): Promise<Page>;
  /** All animals, page by page, as they are asked for. @throws PetstoreError */
  allPets(query?: Omit<ListPetsQuery, 'cursor'>): AsyncIterable<Pet>;
  /**
   * Adds an animal, once, however often the request has to be repeated.
   *
   * @param idempotencyKey to repeat a call of an earlier process; a new one if none is given
   * @throws PetstoreError
   */
  createPet(pet: NewPet, idempotencyKey?: string): Promise<Pet>;
  /**
   * @deprecated the operation is removed on 5 December 2030; use listPets
   * @returns undefined if there is no such animal
   * @throws PetstoreError
   */
  getPet(id: number): Promise<Pet | undefined>;
}

export function createClient(options: ClientOptions): PetstoreClient {
  const { baseUrl, apiKey, timeoutMs = 30_000, fetch: send = fetch, sleep = wait } = options;
  const root = `${baseUrl.replace(/\/$/, '')}/v1`;

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${apiKey}` };
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(`${root}${path}`, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => ({
        error,
      }));
      if (!('error' in outcome) && outcome.ok) return outcome;
      const retryable = 'error' in outcome || isRetried(outcome.status);
      const pause = retryable ? waitBeforeRetry(attempt, 'error' in outcome ? undefined : retryAfterSeconds(outcome.headers), options) : undefined;
      if (pause === undefined) throw 'error' in outcome ? outcome.error : await toError(outcome);
      if (!('error' in outcome)) await outcome.body?.cancel();
      await sleep(pause);
    }
  }

  async function listPets(query: ListPetsQuery = {}): Promise<Page> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const response = await request(search.size === 0 ? '/pets' : `/pets?${search}`);
    return { pets: (await readJson(response)) as Pet[], nextCursor: nextCursor(response.headers.get('link')) };
  }

  return {
    listPets,
    async *allPets(query = {}) {
      let cursor: string | undefined;
      do {
        const page: Page = await listPets({ limit: 100, ...query, ...(cursor !== undefined && { cursor }) });
        yield* page.pets;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
    },
    createPet: async (pet, idempotencyKey = crypto.randomUUID()) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      return (await readJson(await request('/pets', { method: 'POST', headers, body: writeJson(pet) }))) as Pet;
    },
    getPet: async (id) => {
      try {
        return (await readJson(await request(`/pets/${id}`))) as Pet;
      } catch (error) {
        if (error instanceof PetstoreError && error.status === 404) return undefined;
        throw error;
      }
    },
  };
}

/** JSON as TypeScript's library does not know it yet: the source of a number, and text that is put in as it is (ES2025). */
const json = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

async function readJson(response: Response): Promise<unknown> {
  return json.parse(await response.text(), (key, value, { source }) => (key === 'categoryId' && source !== undefined ? BigInt(source) : value));
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? json.rawJSON(String(member)) : member));
}

/** An error body as it should be, or one made of what came: a proxy in between may answer HTML. */
async function toError(response: Response): Promise<PetstoreError> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body && 'status' in body) {
      return new PetstoreError(body as components['schemas']['Error'], response.headers);
    }
  } catch {
    // Not JSON: below.
  }
  return new PetstoreError(
    { code: 'internal_error', message: `HTTP ${response.status} with an unknown body`, status: response.status },
    response.headers,
  );
}

function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : (new URL(target, 'http://relative').searchParams.get('cursor') ?? undefined);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
