// GET /v1/pets/{petId}, deprecated

import { parsePetId } from '../../core/pets/id.ts';
import { petJson } from '../../core/pets/pet.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import { type ApiEvent, type ApiResponse, jsonResponse, refusalResponse } from '../http/call.ts';

export function getPet(pets: PetStore): (event: ApiEvent) => Promise<ApiResponse> {
  return async ({ call }) => {
    const text = (call.route.kind === 'operation' && call.route.parameter) || '';
    const id = parsePetId(text);
    const pet = id === undefined ? undefined : await pets.get(id);
    if (pet !== undefined) return jsonResponse(200, petJson(pet));
    call.refusal = { code: 'not_found', message: `no animal with id ${JSON.stringify(text.slice(0, 60))}` };
    return refusalResponse(call.refusal);
  };
}
