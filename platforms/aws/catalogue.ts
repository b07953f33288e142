// The catalogue's stores of a stage: apart from the rest of the platform, because its function is read at each cold start.

import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { createDynamoDbStores } from '../../adapters/store/dynamodb/stores.ts';
import type { TableNames } from '../../adapters/store/dynamodb/tables.ts';
import type { Stores } from '../../core/stores.ts';

export function createCatalogueStores(tables: TableNames): Stores {
  return createDynamoDbStores(createDynamoDbClients(), tables);
}
