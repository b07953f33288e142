// The control API and its OpenID provider on one machine. Like API Gateway's authorizer, the host verifies tokens and passes on their claims.

import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
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
import type { AccessLogger, RequestObserver } from '../service/http/observe.ts';
import { CHANGES_STOPPED, isSafe } from '../service/http/refuse-changes.ts';
import { createRouter } from '../service/http/router.ts';
import type { ServiceChanges } from './changes.ts';
import { awaitsContinue, ClientGoneError, receive, sendResult, toEvent } from './event.ts';
import { createFileUpload, isFileUpload } from './file-upload.ts';
import { LOCAL_CONTEXT, type Mount } from './host.ts';
import { refuse } from './refuse.ts';
import { FILE_UPLOAD, SIGN_IN } from './watch.ts';

export interface ControlOptions {
  readonly folder: DataFolder;
  readonly changes: ServiceChanges;
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
  /** Receives a line for each request; `off` for no lines. @default the logger receives them, if its level is INFO or lower */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** @default nothing counts requests */
  readonly observer?: RequestObserver | undefined;
}

/** Paths at which the provider stores something for each answer: a session, a code. */
const STORED = /^\/oidc\/(auth|session)(\/|\?|$)/;

/** Whether a request to the provider changes nothing. */
function isReadOfSignIn({ method, url = '' }: IncomingMessage): boolean {
  return isSafe(method) && !STORED.test(url);
}

/** Creates the handlers of the control API and the OpenID provider. */
export function createControlMounts({
  folder,
  changes,
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
        emailOf: async (id) => (await users.get(id))?.email,
        userOf: async (email) => (await users.byEmail(email))?.id,
        addressOf: async (_caller, id) => (await users.get(id))?.email,
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
    areChangesStopped: changes.isStopped,
  });

  const receiveFile = createFileUpload({
    folder,
    changes,
    clock,
    identify: async (path, authorization) => {
      if (isForDeployTokens(path)) return () => callerWithToken(folder.deployTokens, authorization, clock());
      const claims = await identity.claimsOf(authorization);
      return async () =>
        typeof claims?.sub === 'string' && (await identity.isCurrent(claims))
          ? { id: claims.sub, email: undefined, hasSecondFactor: hasSecondFactor(claims) }
          : undefined;
    },
    onFault,
  });
  const findRoute = createRouter(OPERATIONS);

  async function serveControl(request: IncomingMessage, response: ServerResponse, client: Client): Promise<void> {
    if (isFileUpload(request)) return changes.follow(receiveFile(request, response));
    const route = findRoute(request.method ?? '', (pathAndQuery(request.url ?? '') ?? request.url ?? '').split('?')[0] ?? '');
    const limit = route.kind === 'operation' ? route.operation.maxBodyBytes : undefined;
    const make = (body: Buffer | undefined) => toEvent(request, client, '', body, randomUUID(), clock());
    const { event, isComplete } = await receive(request, response, limit ?? MAX_BODY_BYTES, make);
    const claims = isForDeployTokens(event.rawPath) ? undefined : await identity.claimsOf(request.headers.authorization);
    const authorizer = claims === undefined ? {} : { authorizer: { jwt: { claims } } };
    const answer = control({ ...event, requestContext: { ...event.requestContext, ...authorizer } }, LOCAL_CONTEXT);
    const result = await (isSafe(request.method) ? answer : changes.follow(answer));
    if (!isComplete()) result.headers.connection = 'close';
    sendResult(response, result);
  }

  /** Refuses in the form that the client expects, which is a page for browsers. */
  function refuseSignIn(request: IncomingMessage, response: ServerResponse): void {
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
      refuse(response, CHANGES_STOPPED, clock());
      return;
    }
    for (const [name, value] of Object.entries({ ...CHANGES_STOPPED.headers, connection: 'close' })) response.setHeader(name, value);
    identity.showUnavailable(response);
  }

  return [
    {
      prefix: `${identity.prefix}/`,
      areaOf: () => SIGN_IN,
      serve: (request, response, { address }) => {
        if (changes.isStopped() && !isReadOfSignIn(request)) return refuseSignIn(request, response);
        if (awaitsContinue(request)) response.writeContinue();
        void changes.follow(once(response, 'close'));
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
