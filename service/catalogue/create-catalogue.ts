// Assembles the catalogue API.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { Stores } from '../../core/ports.ts';
import { authenticateByKey, type Caller, describeCaller, type KeyAdvice } from '../admission/authenticate.ts';
import type { Later } from '../admission/refusals.ts';
import { cors } from '../http/cors-headers.ts';
import { documentHandler } from '../http/document.ts';
import { createEngine } from '../http/engine.ts';
import type { AccessLogger, RequestObserver } from '../http/observe.ts';
import type { HttpHandler } from '../http/pipeline.ts';
import { createPet } from './create-pet.ts';
import { getPet, listPets } from './list-pets.ts';
import { openApiJson } from './openapi.ts';
import { type CatalogueOperation, OPERATIONS } from './operations.ts';

export interface CatalogueDependencies {
  readonly stores: Pick<Stores, 'pets' | 'usage' | 'leases'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** An integer from 0 to 2^32 - 1. */
  readonly random32: () => number;
  readonly logger: Logger;
  /** Runs a function after the given number of milliseconds, unless the process ends first. @default a timer that does not keep the process alive */
  readonly later?: Later | undefined;
  /** @default no metrics are recorded */
  readonly metrics?: Metrics | undefined;
  /** Called with a line for each request; `off` for no lines. @default the logger, at level INFO */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** Counts requests in this process. @default requests are not counted */
  readonly observer?: RequestObserver | undefined;
  /** Whether to send the draft RateLimit headers as well. @default false */
  readonly draftHeaders?: boolean;
  /** Whether changes are currently refused. @default never */
  readonly areChangesStopped?: (() => boolean) | undefined;
}

const ADVICE: KeyAdvice = { accessToken: ', the control API (/dashboard/v1/) takes access tokens', ban: 'have a member of the account lift the ban' };

/**
 * Creates the catalogue API's handler, for API Gateway events.
 *
 * @example export const handler = createCatalogue({ stores, clock: Date.now, random32: () => randomInt(2 ** 32), logger: new Logger() });
 */
export function createCatalogue(dependencies: CatalogueDependencies): HttpHandler {
  const { stores, clock, random32, logger, accessLogger, metrics, observer, later, draftHeaders = false, areChangesStopped } = dependencies;
  const list = listPets(stores.pets);
  return createEngine<CatalogueOperation, Caller>({
    operations: OPERATIONS,
    handlers: {
      listPets: list,
      createPet: createPet(stores.pets, list, random32),
      getPet: getPet(stores.pets),
      getOpenApi: documentHandler(openApiJson),
    },
    documentPath: '/v1/openapi.json',
    cacheControl: 'private, no-cache',
    outer: [cors()],
    authenticate: authenticateByKey({ stores, advice: ADVICE, later, draftHeaders }),
    describe: describeCaller,
    areChangesStopped,
    clock,
    logger,
    accessLogger,
    metrics,
    observer,
  });
}
