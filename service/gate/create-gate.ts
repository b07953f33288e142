// A gate puts API keys in front of a target that does not use them: it authenticates and admits each request, as the catalogue does, and passes admitted
// requests on to its target.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Scope } from '../../core/access/plans.ts';
import type { Stores } from '../../core/ports.ts';
import { authenticateByKey, type Caller, describeCaller, type KeyAdvice, type KeyedOperation } from '../admission/authenticate.ts';
import type { Later } from '../admission/refusals.ts';
import { type Event, methodRefusal, type Response, refusalResponse, refuse } from '../http/call.ts';
import { cors } from '../http/cors-headers.ts';
import { withTrace } from '../http/observe.ts';
import { createPipeline, type HttpHandler } from '../http/pipeline.ts';
import type { Route } from '../http/router.ts';
import { type GateTarget, knownCaller, type TimeLeft, timeLeft } from './target.ts';

/** The scopes that a key needs. */
export interface GateScopes {
  /** For GET, HEAD and OPTIONS. */
  readonly read: Scope;
  /** For POST, PUT, PATCH and DELETE. */
  readonly write: Scope;
}

export interface GateDependencies {
  readonly stores: Pick<Stores, 'usage' | 'leases'>;
  readonly target: GateTarget;
  /** Maximum time that the target may take for a request, in milliseconds. The target gets less if API Gateway or Lambda leaves less. */
  readonly timeoutMs: number;
  readonly scopes: GateScopes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** Runs a function after the given number of milliseconds, unless the process ends first. @default a timer that does not keep the process alive */
  readonly later?: Later | undefined;
  /** @default no metrics are recorded */
  readonly metrics?: Metrics | undefined;
  /** Whether to send the draft RateLimit headers as well. @default false */
  readonly draftHeaders?: boolean;
}

/** Mentions neither a dashboard nor access tokens, because a gate's accounts may have no users. */
const ADVICE: KeyAdvice = { accessToken: '', ban: 'ask for the ban to be lifted' };
/** Only admission uses storage, and it comes before the request is passed on. */
const UNAVAILABLE = 'the request has not been passed on; retry';

type GateOperation = KeyedOperation<'read' | 'write'>;

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOW = ['GET', 'HEAD', ...WRITES, 'OPTIONS'].join(', ');

/** Creates the gate's handler. */
export function createGate({ stores, target, timeoutMs, scopes, later, draftHeaders = false, ...rest }: GateDependencies): HttpHandler {
  // The target has its own methods and paths; the operations here only group requests.
  const read: Route<GateOperation> = routeOf({ id: 'read', method: 'GET', path: '/', scope: scopes.read });
  const writeOperation: GateOperation = { id: 'write', method: 'POST', path: '/', scope: scopes.write };
  const write: Route<GateOperation> = routeOf(writeOperation);
  return createPipeline<GateOperation, Caller>({
    ...rest,
    findRoute: (event) => {
      const { method } = event.requestContext.http;
      if (isPreflight(event)) return { kind: 'preflight', allow: ALLOW };
      if (READS.includes(method)) return read;
      // Other methods, such as TRACE, can't be passed on, and method names are case-sensitive (RFC 9110, section 9.1).
      return WRITES.includes(method) ? write : { kind: 'method_not_allowed', allow: ALLOW, operations: [writeOperation] };
    },
    outer: [cors()],
    authenticate: authenticateByKey({ stores, advice: ADVICE, later, draftHeaders }),
    unavailable: UNAVAILABLE,
    describe: describeCaller,
    dispatch: (event, context: Context) => dispatch(target, event, timeLeft(timeoutMs, event, context, rest.clock)),
  });
}

function routeOf(operation: GateOperation): Route<GateOperation> {
  return { kind: 'operation', operation, parameters: {} };
}

async function dispatch(target: GateTarget, event: Event<GateOperation, Caller>, left: TimeLeft): Promise<Response> {
  const { call } = event;
  if (call.refusal !== undefined) return refusalResponse(call.refusal);
  if (call.route.kind === 'method_not_allowed') return refuse(call, methodRefusal(event.requestContext.http.method, call.route.allow));
  if (call.caller === undefined) return { statusCode: 204, headers: { allow: ALLOW }, body: '' };
  const answer = await target(withTrace(event), knownCaller(call.caller), left);
  return answer.ok ? answer.response : refuse(call, answer.refusal);
}

/** Whether this is a CORS preflight request (https://fetch.spec.whatwg.org/#cors-preflight-request), which browsers send without a key. */
function isPreflight({ requestContext, headers }: APIGatewayProxyEventV2): boolean {
  return requestContext.http.method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
