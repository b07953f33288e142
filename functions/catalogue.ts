// Lambda entry point for the catalogue API. Settings are read from the environment at the cold start.

import { randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createCatalogueStores } from '../platforms/aws/catalogue.ts';
import { catalogueSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { createCatalogue } from '../service/catalogue/create-catalogue.ts';
import { METRICS_NAMESPACE } from '../service/metric-names.ts';

const settings = parseEnvironment(catalogueSettings, process.env);

export const handler = createCatalogue({
  stores: createCatalogueStores({ pets: settings.PETS_TABLE, usage: settings.USAGE_TABLE, control: settings.CONTROL_TABLE }),
  clock: Date.now,
  random32: () => randomInt(2 ** 32),
  logger: new Logger({ serviceName: settings.SERVICE_NAME }),
  metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.SERVICE_NAME }),
  draftHeaders: settings.DRAFT_HEADERS,
});
