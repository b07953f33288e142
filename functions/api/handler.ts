// The Lambda entry: the API on the tables of its stage. Settings come from the environment, read once at cold start.

import { randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { createDynamoDbStores } from '../../adapters/store/dynamodb/stores.ts';
import { METRICS_NAMESPACE } from '../metric-names.ts';
import { createApi } from './create-api.ts';
import { parseFunctionSettings } from './settings.ts';

const settings = parseFunctionSettings(process.env);

export const handler = createApi({
  stores: createDynamoDbStores(createDynamoDbClients(), settings.tables),
  clock: Date.now,
  random32: () => randomInt(2 ** 32),
  logger: new Logger({ serviceName: settings.serviceName }),
  metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.serviceName }),
  draftHeaders: settings.draftHeaders,
});
