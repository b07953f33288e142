// `petstore-platform/adapters/dynamodb`: every store for a stage. Needs @aws-sdk/client-dynamodb.

import '../../platforms/node-version.ts';

export { createDynamoDbClients, type DynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
export { createDynamoDbProjectStores, createDynamoDbStores, type DynamoDbProjectStores } from '../../adapters/store/dynamodb/stores.ts';
export { type TableNames, tableDefinitions } from '../../adapters/store/dynamodb/tables.ts';
