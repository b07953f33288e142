// The animals of a stage, which not every stage has: a gate, and custom domains on their own, come without a catalogue.

import type { AuditWrites } from '../../adapters/store/dynamodb/audit.ts';
import type { DynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbPetStore } from '../../adapters/store/dynamodb/pets.ts';
import { createDynamoDbAccessStores } from '../../adapters/store/dynamodb/stores.ts';
import type { AccessTableNames } from '../../adapters/store/dynamodb/tables.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import type { Stores } from '../../core/stores.ts';
import { PlatformError } from '../platform.ts';

/** A stage's tables. */
export interface StageTables extends AccessTableNames {
  /** Undefined: the stage has no catalogue. */
  readonly pets: string | undefined;
}

/**
 * Creates the stores for animals, accounts and admission. Without a catalogue, whatever needs one rejects with a PlatformError.
 *
 * @param audit how changes are recorded
 */
export function createStageStores(clients: DynamoDbClients, tables: StageTables, audit?: AuditWrites): Required<Stores> {
  const pets = tables.pets === undefined ? absentPetStore() : createDynamoDbPetStore(clients.retrying, tables.pets);
  return { pets, ...createDynamoDbAccessStores(clients, tables, undefined, audit) };
}

function absentPetStore(): PetStore {
  const refuse = () => Promise.reject(new PlatformError('this stage has no catalogue, and so no animals; it has accounts, keys and usage'));
  return { create: refuse, createAll: refuse, get: refuse, list: refuse, remove: refuse };
}
