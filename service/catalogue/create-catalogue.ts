// The API as one Lambda handler: middlewares around a dispatch by operation. The embedded host calls the same handler.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Stores } from '../../core/stores.ts';
import { createAddressLimiter } from '../admission/address-limiter.ts';
import { createAdmitter } from '../admission/admitter.ts';
import { createLeasedUsage } from '../admission/leases.ts';
import type { Later } from '../admission/refusals.ts';
import { body } from '../http/body.ts';
import { type ApiEvent, type ApiMiddleware, type ApiResponse, jsonResponse, refusalResponse } from '../http/call.ts';
import { cors } from '../http/cors.ts';
import { deprecation } from '../http/deprecation.ts';
import { etag } from '../http/etag.ts';
import { errors } from '../http/faults.ts';
import { log } from '../http/log.ts';
import { metrics } from '../http/metrics.ts';
import { requestId } from '../http/request-id.ts';
import { route } from '../http/route.ts';
import { authenticate } from './authenticate.ts';
import { createPet } from './create-pet.ts';
import { getPet } from './get-pet.ts';
import { listPets } from './list-pets.ts';
import { openApiJson } from './openapi.ts';
import type { OperationId } from './operations.ts';

export interface ApiDependencies {
  readonly stores: Pick<Stores, 'pets' | 'usage' | 'leases'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** An integer from 0 to 2^32 - 1. */
  readonly random32: () => number;
  readonly logger: Logger;
  /** Does some work after so many milliseconds, unless the process ends first. @default a timer, which keeps no process alive */
  readonly later?: Later | undefined;
  /** @default none are recorded */
  readonly metrics?: Metrics | undefined;
  /** Send the draft RateLimit headers too. @default false */
  readonly draftHeaders?: boolean;
}

export type ApiHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<ApiResponse>;

export function createApi(dependencies: ApiDependencies): ApiHandler {
  const { stores, clock, random32, logger, later = byTimer, draftHeaders = false } = dependencies;
  const operations: Record<OperationId, (event: ApiEvent) => Promise<ApiResponse> | ApiResponse> = {
    listPets: listPets(stores.pets),
    createPet: createPet(stores.pets, random32),
    getPet: getPet(stores.pets),
    getOpenApi: () => jsonResponse(200, openApiJson()),
  };

  const dispatch = (event: ApiEvent): Promise<ApiResponse> | ApiResponse => {
    const { call } = event;
    if (call.refusal === undefined) {
      switch (call.route.kind) {
        case 'operation':
          return operations[call.route.operation.id](event);
        case 'preflight':
          return { statusCode: 204, headers: { allow: call.route.allow }, body: '' };
        case 'method_not_allowed':
          call.refusal = {
            code: 'method_not_allowed',
            message: `method ${event.requestContext.http.method}: not allowed here; allowed: ${call.route.allow}`,
            headers: { allow: call.route.allow },
          };
          break;
        case 'not_found':
          call.refusal = { code: 'not_found', message: 'no such path; GET /v1/openapi.json lists those that exist' };
      }
    }
    return refusalResponse(call.refusal);
  };

  // Before the handler they run in this order, after it and on a fault in the reverse one.
  const middlewares: ApiMiddleware[] = [
    requestId(clock),
    log(logger, clock),
    ...(dependencies.metrics ? [metrics(dependencies.metrics, clock)] : []),
    cors(),
    route(),
    authenticate({
      admitter: createAdmitter(stores.leases ? createLeasedUsage(stores.usage, stores.leases) : stores.usage, later),
      addresses: { keyless: createAddressLimiter(), unknownKeys: createAddressLimiter() },
      draftHeaders,
    }),
    deprecation(),
    body(),
    etag(),
    errors(),
  ];
  // Every wait inside has its own time limit, so middy's race against Lambda's is switched off.
  const api = middy({ timeoutEarlyInMillis: 0 }).use(middlewares as never[]);
  return api.handler(dispatch as never) as unknown as ApiHandler;
}

const byTimer: Later = (milliseconds, work) => {
  setTimeout(work, milliseconds).unref();
};
