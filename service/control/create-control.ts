// Assembles the control API.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { UNSUBSCRIBE_PATH } from '../../core/notifications/message.ts';
import { createUserLimiter } from '../admission/minute-limiter.ts';
// Loaded now, because createProject imports this module only when it runs, and by then an upgrade may have replaced the file.
import '../catalogue/placeholder-site.ts';
import { type Response, refusalResponse } from '../http/call.ts';
import { documentHandler } from '../http/document.ts';
import { createEngine } from '../http/engine.ts';
import type { AccessLogger, RequestObserver } from '../http/observe.ts';
import { CHANGES_STOPPED, isSafe } from '../http/refuse-changes.ts';
import { answerUnsubscribe } from '../notifications/unsubscribe.ts';
import { createHandlers } from './answer.ts';
import { authenticate, type ControlEvent } from './authenticate.ts';
import { type Caller, type ControlPorts, createOwnedLookups } from './context.ts';
import { controlOpenApi } from './openapi.ts';
import { CONTROL_PREFIX } from './operation.ts';
import { type ControlOperation, OPERATIONS } from './operations.ts';
import { ACCOUNT_OPERATIONS, accountHandlers } from './resources/accounts.ts';
import { DEPLOY_TOKEN_OPERATIONS, deployTokenHandlers } from './resources/deploy-tokens.ts';
import { DEPLOYMENT_OPERATIONS, deploymentHandlers } from './resources/deployments.ts';
import { DOMAIN_OPERATIONS, domainHandlers } from './resources/domains.ts';
import { KEY_OPERATIONS, keyHandlers } from './resources/keys.ts';
import { MEMBER_OPERATIONS, memberHandlers } from './resources/members.ts';
import { OPERATOR_OPERATIONS, operatorHandlers } from './resources/operator.ts';
import { PROJECT_OPERATIONS, projectHandlers } from './resources/projects.ts';
import { SANDBOX_OPERATIONS, sandboxHandlers } from './resources/sandbox.ts';
import { USER_OPERATIONS, userHandlers } from './resources/user.ts';

export interface ControlDependencies {
  readonly ports: ControlPorts;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** Called with a line for each request; `off` for no lines. @default the logger, at level INFO */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** Counts requests in this process. @default requests are not counted */
  readonly observer?: RequestObserver | undefined;
  /** Whether changes are currently refused. @default never */
  readonly areChangesStopped?: (() => boolean) | undefined;
}

export type ControlHandler = (event: ControlEvent, context: Context) => Promise<Response>;

/** Creates the control API's handler. */
export function createControl({ ports, clock, logger, accessLogger, observer, areChangesStopped }: ControlDependencies): ControlHandler {
  const owned = createOwnedLookups(ports);
  const handlersOf = createHandlers(ports, owned);
  const answer = createEngine<ControlOperation, Caller>({
    operations: OPERATIONS,
    handlers: {
      getOpenApi: documentHandler(() => JSON.stringify(controlOpenApi())),
      ...handlersOf(USER_OPERATIONS, userHandlers(ports, owned)),
      ...handlersOf(ACCOUNT_OPERATIONS, accountHandlers(ports, owned)),
      ...handlersOf(MEMBER_OPERATIONS, memberHandlers(ports)),
      ...handlersOf(KEY_OPERATIONS, keyHandlers(ports)),
      ...handlersOf(PROJECT_OPERATIONS, projectHandlers(ports)),
      ...handlersOf(DEPLOYMENT_OPERATIONS, deploymentHandlers(ports)),
      ...handlersOf(DEPLOY_TOKEN_OPERATIONS, deployTokenHandlers(ports)),
      ...handlersOf(DOMAIN_OPERATIONS, domainHandlers(ports)),
      ...handlersOf(SANDBOX_OPERATIONS, sandboxHandlers(ports, owned)),
      ...handlersOf(OPERATOR_OPERATIONS, operatorHandlers(ports)),
    },
    documentPath: `${CONTROL_PREFIX}/openapi.json`,
    cacheControl: 'no-store',
    authenticate: authenticate(createUserLimiter(ports.userRequests), ports.deployTokens),
    numbers: 'plain',
    describe: ({ id, deploysTo }) => (deploysTo === undefined ? { userId: id } : { deployTokenId: id }),
    clock,
    logger,
    accessLogger,
    observer,
    areChangesStopped,
  });
  return async (event, context) => {
    const { rawPath, queryStringParameters: query = {}, requestContext } = event;
    // Not an operation of the API: it is for mail programs and people, needs no token, and its responses are pages.
    if (rawPath !== UNSUBSCRIBE_PATH) return answer(event, context);
    const { method, sourceIp } = requestContext.http;
    if (areChangesStopped?.() && !isSafe(method)) return refusalResponse(CHANGES_STOPPED);
    const request = { method, query, address: ports.seesClients === false ? undefined : sourceIp };
    return answerUnsubscribe(ports.notificationSettings, request, (error) => logger.error('unsubscribing: fault', { error }));
  };
}
