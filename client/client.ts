// The typed client of the catalogue API. Types come from the OpenAPI document (generated.ts); this file adds what every
// integration needs: backing off, repeating a POST safely, walking the pages.

import { ApiKeyBannedError, PetstoreError, readError, retryAfterSeconds } from './errors.ts';
import type { Outcome } from './gate.ts';
import { openGate, throughGate } from './gates.ts';
import { BIGINT_MEMBERS, type components, type operations } from './generated.ts';
import { isRetried, type RetryOptions, wait, waitBeforeRetry } from './retry.ts';

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
  /**
   * Sends again, though a limit or a ban that came before has not run out: for an upgrade or a lifted ban, once it has taken effect, which takes
   * up to 60 seconds. Calls that wait go on, those of other clients with the same key too. Anything sent too early may lead to a ban.
   */
  resume(): void;
}

export function createClient(options: ClientOptions): PetstoreClient {
  const { baseUrl, apiKey, timeoutMs = 30_000, fetch: send = fetch, sleep = wait } = options;
  const root = `${baseUrl.replace(/\/$/, '')}/v1`;

  // All clients of this process with the same key and address share a gate.
  const gate = JSON.stringify([root, apiKey]);

  async function sendOnce(path: string, init: RequestInit): Promise<Outcome> {
    try {
      const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${apiKey}` };
      const response = await send(`${root}${path}`, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) });
      return response.ok ? { kind: 'answered', response } : { kind: 'refused', response, error: readError(response) };
    } catch (error) {
      return { kind: 'lost', error };
    }
  }

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await throughGate(gate, Math.max(1, attempt - 1), () => sendOnce(path, init), options);
      if (outcome.kind === 'answered') return outcome.response;
      const refusal = outcome.kind === 'refused' ? outcome.response : undefined;
      const seconds = refusal && retryAfterSeconds(refusal.headers);
      const pause = refusal === undefined || isRetried(refusal.status) ? waitBeforeRetry(attempt, seconds, options) : undefined;
      if (pause === undefined) throw await outcome.error;
      // A ban is not waited out; the wait of a limit is at the gate.
      if (refusal?.status === 429 && (await outcome.error) instanceof ApiKeyBannedError) throw await outcome.error;
      if (refusal?.status !== 429 || seconds === undefined || seconds === 0) await sleep(pause);
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
    resume: () => openGate(gate),
  };
}

/** Text that is put into JSON as it is (ES2025); TypeScript's library does not know it yet. */
const { rawJSON } = JSON as JSON & { readonly rawJSON: (text: string) => unknown };

/** ES2025 gives the source of a number. */
function withDigits(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return BIGINT_MEMBERS.has(key) && context?.source !== undefined ? BigInt(context.source) : value;
}

async function readJson(response: Response): Promise<unknown> {
  return JSON.parse(await response.text(), withDigits);
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? rawJSON(String(member)) : member));
}

function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : (new URL(target, 'http://relative').searchParams.get('cursor') ?? undefined);
}
