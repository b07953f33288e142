// The store on AWS: all ports on the tables of one stage.

import type { Stores } from '../../../core/ports.ts';
import { createDynamoDbAccountStore } from './accounts.ts';
import type { DynamoDbClients } from './clients.ts';
import { createDynamoDbPetStore } from './pets.ts';
import type { TableNames } from './tables.ts';
import { createDynamoDbUsageStore } from './usage.ts';

export function createDynamoDbStores(clients: DynamoDbClients, tables: TableNames): Required<Stores> {
  return {
    pets: createDynamoDbPetStore(clients.retrying, tables.pets),
    accounts: createDynamoDbAccountStore(clients.retrying, tables),
    ...createDynamoDbUsageStore(clients, tables.usage),
  };
}
