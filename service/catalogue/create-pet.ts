// POST /v1/pets

import { DAY_MS } from '../../core/limits/windows.ts';
import type { NewPet } from '../../core/pets/fields.ts';
import { IDS_PER_MILLISECOND, nextPetId } from '../../core/pets/id.ts';
import { type Pet, petFingerprint, petJson } from '../../core/pets/pet.ts';
import type { Idempotency, PetStore } from '../../core/pets/ports.ts';
import { StoreFault } from '../../core/refusal.ts';
import { validate } from '../../core/validate.ts';
import { jsonResponse, type Response, refuse } from '../http/call.ts';
import type { Refusal } from '../http/errors.ts';
import { parseIdempotencyKey } from '../http/input.ts';
import { isConditional, preconditionRefusal } from '../http/reading.ts';
import type { CatalogueCall, CatalogueEvent } from './operations.ts';
import { newPetSchema } from './schemas.ts';

const IDEMPOTENCY_MS = DAY_MS;

/** Maximum attempts to find a free id. With 12 random bits per millisecond, a second attempt is rare; a fifth practically never happens. */
const TRIES = 5;

/** @param list handles a GET of the same path, for conditions @param random32 an integer from 0 to 2^32 - 1 */
export function createPet(
  pets: PetStore,
  list: (event: CatalogueEvent) => Promise<Response> | Response,
  random32: () => number,
): (event: CatalogueEvent) => Promise<Response> {
  let lastId = 0;

  return async (event) => {
    const { call, headers } = event;
    const key = parseIdempotencyKey(headers['idempotency-key']);
    if (!key.ok) return refuse(call, { code: 'invalid_request', message: key.message });
    const body = validate(newPetSchema, 'body', call.body);
    if (!body.ok) return refuse(call, { code: 'invalid_request', message: body.message });
    if (key.value !== undefined && isConditional(headers)) return refuse(call, TWO_GUARDS);
    const changed = isConditional(headers) ? preconditionRefusal(headers, (await list(event)).body) : undefined;
    if (changed !== undefined) return refuse(call, changed);
    const idempotency = key.value === undefined ? undefined : recordOf(call, key.value, body.value);
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      // Ids that another process assigns in a burst are consecutive, so later attempts skip over them.
      const step = attempt === 1 ? 0 : random32() % IDS_PER_MILLISECOND;
      lastId = nextPetId(lastId + step, call.now, random32());
      const pet: Pet = { id: lastId, ...body.value };
      const result = await pets.create({ pet, idempotency }, call.now);
      switch (result.kind) {
        case 'created':
          return created(pet);
        case 'replayed':
          return created(result.pet, { 'idempotent-replayed': 'true' });
        case 'key_reused':
          return refuse(call, KEY_REUSED);
        case 'in_progress':
          return refuse(call, IN_PROGRESS);
        case 'id_taken':
      }
    }
    throw new StoreFault('unavailable', `no free id in ${TRIES} attempts`);
  };
}

/** With both a condition and an Idempotency-Key, a retry would fail, because the first attempt's animal has changed the list. */
const TWO_GUARDS: Refusal = {
  code: 'invalid_request',
  message: 'If-Match or If-None-Match: got one together with an Idempotency-Key; allowed: one or the other; the Idempotency-Key makes a repeat safe',
};
const KEY_REUSED: Refusal = {
  code: 'idempotency_key_reused',
  message: 'this Idempotency-Key was used with a different body within the last 24 hours; use a new key for a new animal',
};
const IN_PROGRESS: Refusal = {
  code: 'idempotency_in_progress',
  message: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  headers: { 'retry-after': '1' },
};

function created(pet: Pet, headers: Record<string, string> = {}): Response {
  headers.location = `/v1/pets/${pet.id}`;
  return jsonResponse(201, petJson(pet), headers);
}

/** Bodies that describe the same animal have the same fingerprint, regardless of their notation. */
function recordOf(call: CatalogueCall, key: string, pet: NewPet): Idempotency {
  return { owner: call.caller?.accountId ?? '', key, fingerprint: petFingerprint(pet), expiresAt: call.now + IDEMPOTENCY_MS };
}
