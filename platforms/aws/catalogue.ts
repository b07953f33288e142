// The catalogue's stores in a stage. Separate from the rest of the platform because the catalogue's function loads this file at each cold start.

import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbStores } from '../../adapters/store/dynamodb/stores.ts';
import type { TableNames } from '../../adapters/store/dynamodb/tables.ts';
import type { Stores } from '../../core/ports.ts';

/** Creates the stores with the environment's credentials and region. */
export function createCatalogueStores(tables: TableNames): Stores {
  return createDynamoDbStores(createDynamoDbClients(), tables);
}
