// An API with keys in front of something that knows none: it authenticates and admits each request, as the catalogue does, and passes those that are
// admitted to its target.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Scope } from '../../core/access/scopes.ts';
import type { Stores } from '../../core/stores.ts';
import { type Caller, describeCaller, type KeyedOperation } from '../admission/authenticate.ts';
import { authenticateByKey } from '../admission/key-authentication.ts';
import type { Later } from '../admission/refusals.ts';
import { type Event, type Response, refusalResponse, refuse } from '../http/call.ts';
import { cors } from '../http/cors.ts';
import { createPipeline, type HttpHandler } from '../http/pipeline.ts';
import type { Route } from '../http/router.ts';
import { type GateTarget, knownCaller } from './target.ts';

/** The scopes that a key needs. */
export interface GateScopes {
  /** For GET, HEAD and OPTIONS. */
  readonly read: Scope;
  /** For all other methods. */
  readonly write: Scope;
}

export interface GateDependencies {
  readonly stores: Pick<Stores, 'usage' | 'leases'>;
  readonly target: GateTarget;
  readonly scopes: GateScopes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** Runs a function after the given number of milliseconds, unless the process ends first. @default a timer that does not keep the process alive */
  readonly later?: Later | undefined;
  /** @default no metrics are recorded */
  readonly metrics?: Metrics | undefined;
  /** Also send the draft RateLimit headers. @default false */
  readonly draftHeaders?: boolean;
}

type GateOperation = KeyedOperation<'read' | 'write'>;

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
const ALLOW = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Creates the gate's handler. */
export function createGate({ stores, target, scopes, later, draftHeaders = false, ...rest }: GateDependencies): HttpHandler {
  // The target has its own methods and paths; the ones here only group requests.
  const read: Route<GateOperation> = routeOf({ id: 'read', method: 'GET', path: '/', scope: scopes.read });
  const write: Route<GateOperation> = routeOf({ id: 'write', method: 'POST', path: '/', scope: scopes.write });
  return createPipeline<GateOperation, Caller>({
    ...rest,
    findRoute: (event) =>
      isPreflight(event) ? { kind: 'preflight', allow: ALLOW } : READS.includes(event.requestContext.http.method) ? read : write,
    outer: [cors()],
    authenticate: authenticateByKey({ stores, later, draftHeaders }),
    describe: describeCaller,
    dispatch: (event) => dispatch(target, event),
  });
}

function routeOf(operation: GateOperation): Route<GateOperation> {
  return { kind: 'operation', operation, parameters: {} };
}

async function dispatch(target: GateTarget, event: Event<GateOperation, Caller>): Promise<Response> {
  const { call } = event;
  if (call.refusal !== undefined) return refusalResponse(call.refusal);
  if (call.caller === undefined) return { statusCode: 204, headers: { allow: ALLOW }, body: '' };
  const answer = await target(event, knownCaller(call.caller));
  return answer.ok ? answer.response : refuse(call, answer.refusal);
}

/** A browser's question whether a page may send a request (https://fetch.spec.whatwg.org/#cors-preflight-request). It comes without a key. */
function isPreflight({ requestContext, headers }: APIGatewayProxyEventV2): boolean {
  return requestContext.http.method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
