// The control API and its OpenID provider on the embedded host, which plays the part of API Gateway's authorizer on AWS: it verifies the token and
// passes the claims to the handler.

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { ZoneInspector } from '../core/domains/ports.ts';
import type { Readiness } from '../core/health.ts';
import type { Client } from '../core/http/client.ts';
import { pathAndQuery } from '../core/http/request-form.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { EmbeddedIdentity } from '../platforms/embedded/identity.ts';
import { actingAs } from '../service/audit/acting.ts';
import { callerWithToken, hasSecondFactor } from '../service/control/authenticate.ts';
import { createControl } from '../service/control/create-control.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../service/control/operation.ts';
import { isForDeployTokens, OPERATIONS } from '../service/control/operations.ts';
import { MAX_BODY_BYTES } from '../service/http/input.ts';
import type { AccessLogger } from '../service/http/log.ts';
import type { RequestObserver } from '../service/http/observe.ts';
import { createRouter } from '../service/http/router.ts';
import { awaitsContinue, ClientGoneError } from './body.ts';
import { receive, sendResult, toEvent } from './event.ts';
import { createFileUpload, isFileUpload } from './file-upload.ts';
import { LOCAL_CONTEXT, type Mount } from './host.ts';
import { FILE_UPLOAD, SIGN_IN } from './watch.ts';

export interface ControlOptions {
  readonly folder: DataFolder;
  readonly identity: EmbeddedIdentity;
  readonly inspector: ZoneInspector;
  /** Checks the service's parts. */
  readonly readiness: () => Promise<Readiness>;
  /** The edge's HTTPS port. */
  readonly httpsPort: number;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
  /** Gets a line for each request; `off`: nothing does. @default the logger does, from INFO */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** @default nothing counts requests */
  readonly observer?: RequestObserver | undefined;
}

/** Creates the handlers of the control API and the OpenID provider. */
export function createControlMounts({
  folder,
  identity,
  inspector,
  readiness,
  httpsPort,
  logger,
  clock,
  onFault,
  accessLogger,
  observer,
}: ControlOptions): readonly Mount[] {
  const { users, settings } = folder;
  const sendsMail = folder.mailer !== undefined || settings.mail !== undefined;
  const control = createControl({
    ports: {
      ...folder,
      inspector,
      httpsPort,
      readiness,
      operators: settings.operators,
      outbox: sendsMail ? folder.outbox : undefined,
      directory: {
        emailOf: (id) => users.get(id)?.email,
        userOf: (email) => users.byEmail(email)?.id,
        addressOf: async (_caller, id) => users.get(id)?.email,
        endSessions: ({ id }) => users.endSessions(id),
      },
      sessions: identity.sessions,
      knowsSecondFactors: true,
      sendsMail,
      keyMode: 'test',
      randomBytes,
    },
    clock,
    logger,
    accessLogger,
    observer,
  });

  const receiveFile = createFileUpload({
    folder,
    clock,
    identify: async (path, authorization) => {
      if (isForDeployTokens(path)) return () => callerWithToken(folder.deployTokens, authorization, clock());
      const claims = await identity.claimsOf(authorization);
      return async () =>
        typeof claims?.sub === 'string' && identity.isCurrent(claims)
          ? { id: claims.sub, email: undefined, hasSecondFactor: hasSecondFactor(claims) }
          : undefined;
    },
    onFault,
  });
  const findRoute = createRouter(OPERATIONS);

  async function serveControl(request: IncomingMessage, response: ServerResponse, client: Client): Promise<void> {
    if (isFileUpload(request)) return receiveFile(request, response);
    const route = findRoute(request.method ?? '', (pathAndQuery(request.url ?? '') ?? request.url ?? '').split('?')[0] ?? '');
    const limit = route.kind === 'operation' ? route.operation.maxBodyBytes : undefined;
    const make = (body: Buffer | undefined) => toEvent(request, client, '', body, randomUUID(), clock());
    const { event, isComplete } = await receive(request, response, limit ?? MAX_BODY_BYTES, make);
    const claims = isForDeployTokens(event.rawPath) ? undefined : await identity.claimsOf(request.headers.authorization);
    const authorizer = claims === undefined ? {} : { authorizer: { jwt: { claims } } };
    const result = await control({ ...event, requestContext: { ...event.requestContext, ...authorizer } }, LOCAL_CONTEXT);
    if (!isComplete()) result.headers.connection = 'close';
    sendResult(response, result);
  }

  return [
    {
      prefix: `${identity.prefix}/`,
      areaOf: () => SIGN_IN,
      serve: (request, response, { address }) => {
        if (awaitsContinue(request)) response.writeContinue();
        actingAs({ kind: 'visitor', address }, () => identity.serve(request, response, address));
      },
    },
    ...[CONTROL_PREFIX, DEPLOY_PREFIX].map(
      (prefix): Mount => ({
        prefix: `${prefix}/`,
        isLong: isFileUpload,
        areaOf: (request) => (isFileUpload(request) ? FILE_UPLOAD : undefined),
        serve: (request, response, client) => {
          serveControl(request, response, client).catch((error) => {
            response.destroy();
            if (!(error instanceof ClientGoneError)) onFault(error);
          });
        },
      }),
    ),
  ];
}
