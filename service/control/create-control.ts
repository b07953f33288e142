// Assembles the control API.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { createUserLimiter } from '../admission/minute-limiter.ts';
import type { Response } from '../http/call.ts';
import { documentHandler } from '../http/document.ts';
import { createEngine } from '../http/engine.ts';
import type { AccessLogger } from '../http/log.ts';
import type { RequestObserver } from '../http/observe.ts';
import { accountHandlers } from './accounts.ts';
import { createAnswerer } from './answer.ts';
import { auditHandlers } from './audit.ts';
import { authenticate, type ControlEvent } from './authenticate.ts';
import { type Caller, type ControlPorts, createOwnedLookups } from './context.ts';
import { deployTokenHandlers } from './deploy-tokens.ts';
import { domainHandlers } from './domains.ts';
import { invitationHandlers } from './invitations.ts';
import { keyHandlers } from './keys.ts';
import { notificationHandlers } from './notifications.ts';
import { controlOpenApi } from './openapi.ts';
import { CONTROL_PREFIX, type ControlOperation, OPERATIONS } from './operations.ts';
import { projectHandlers } from './projects.ts';
import { sandboxHandlers } from './sandbox.ts';
import { sessionHandlers } from './sessions.ts';
import { uploadHandlers } from './uploads.ts';

export interface ControlDependencies {
  readonly ports: ControlPorts;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** Gets a line for each request; `off`: nothing does. @default the logger does, from INFO */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** Counts requests in this process. @default nothing does */
  readonly observer?: RequestObserver | undefined;
}

export type ControlHandler = (event: ControlEvent, context: Context) => Promise<Response>;

/** Creates the control API's handler. */
export function createControl({ ports, clock, logger, accessLogger, observer }: ControlDependencies): ControlHandler {
  const owned = createOwnedLookups(ports);
  const answer = createAnswerer(ports, owned);
  return createEngine<ControlOperation, Caller>({
    operations: OPERATIONS,
    handlers: {
      getOpenApi: documentHandler(() => JSON.stringify(controlOpenApi())),
      ...accountHandlers(answer, ports, owned),
      ...auditHandlers(answer, ports, owned),
      ...sessionHandlers(answer, ports),
      ...invitationHandlers(answer, ports, owned),
      ...notificationHandlers(answer, ports),
      ...keyHandlers(answer, ports, owned),
      ...projectHandlers(answer, ports, owned),
      ...uploadHandlers(answer, ports, owned),
      ...deployTokenHandlers(answer, ports, owned),
      ...domainHandlers(answer, ports, owned),
      ...sandboxHandlers(answer, ports, owned),
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
  });
}
