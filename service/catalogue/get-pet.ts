// GET /v1/pets/{petId}, deprecated

import { parsePetId } from '../../core/pets/id.ts';
import { petJson } from '../../core/pets/pet.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import { jsonResponse, type Response, refuse } from '../http/call.ts';
import type { CatalogueEvent } from './catalogue-call.ts';

/** Returns an animal by id, or 404. */
export function getPet(pets: PetStore): (event: CatalogueEvent) => Promise<Response> {
  return async ({ call }) => {
    const text = (call.route.kind === 'operation' && call.route.parameters.petId) || '';
    const id = parsePetId(text);
    const pet = id === undefined ? undefined : await pets.get(id);
    if (pet !== undefined) return jsonResponse(200, petJson(pet));
    return refuse(call, { code: 'not_found', message: `no animal with id ${JSON.stringify(text.slice(0, 60))}` });
  };
}
