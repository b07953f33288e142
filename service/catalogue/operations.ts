// The catalogue API's operations in one table: the source of routing, scopes, documentation and API Gateway's routes.

import type { Caller, KeyedOperation } from '../admission/authenticate.ts';
import type { Call, Event } from '../http/call.ts';
import { listQuerySchema, newPetSchema } from './schemas.ts';

export type OperationId = 'listPets' | 'createPet' | 'getPet' | 'getOpenApi';

export type CatalogueOperation = KeyedOperation<OperationId>;

/** The prefix of all paths. */
export const CATALOGUE_PREFIX = '/v1';

export const OPERATIONS: readonly CatalogueOperation[] = [
  { id: 'listPets', method: 'GET', path: '/v1/pets', scope: 'pets:read', query: listQuerySchema },
  { id: 'createPet', method: 'POST', path: '/v1/pets', scope: 'pets:write', body: newPetSchema },
  {
    id: 'getPet',
    method: 'GET',
    path: '/v1/pets/{petId}',
    scope: 'pets:read',
    deprecation: { since: Date.UTC(2025, 11, 5), sunset: Date.UTC(2030, 11, 5), successor: '/v1/pets' },
  },
  { id: 'getOpenApi', method: 'GET', path: '/v1/openapi.json', scope: undefined },
];

// The input of the catalogue's handlers.

export type CatalogueCall = Call<CatalogueOperation, Caller>;
export type CatalogueEvent = Event<CatalogueOperation, Caller>;
