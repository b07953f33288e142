// The control API and its OpenID provider on the embedded host. What API Gateway's authorizer does on AWS is done here: the token is
// checked, and the handler gets its claims.

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@aws-lambda-powertools/logger';
import { createSqliteSandboxRecords } from '../adapters/dns/sqlite-sandbox.ts';
import { createAccessTokenCheck } from '../adapters/identity/access-token.ts';
import { AUDIENCE, createIdentityProvider, isSignedIn, OIDC_PREFIX } from '../adapters/identity/provider.ts';
import { openProviderKeys } from '../adapters/identity/provider-keys.ts';
import { createSqliteUserStore } from '../adapters/identity/sqlite-users.ts';
import { createEmbeddedPlatform } from '../adapters/platform/embedded.ts';
import type { SqliteStores } from '../adapters/store/sqlite/stores.ts';
import { CONTROL_PREFIX } from '../core/control/operations.ts';
import type { Client } from '../core/http/client.ts';
import { createControl } from '../functions/control/create-control.ts';
import { MAX_BODY_BYTES } from '../functions/middleware/body.ts';
import { ClientGoneError, readBody } from './body.ts';
import { toEvent } from './event.ts';
import type { Mount } from './host.ts';
import { nameRules, type Settings, sandboxSuffix } from './settings.ts';

export interface ControlOptions {
  readonly stores: SqliteStores;
  readonly settings: Settings;
  /** That clients use, without a slash at the end. */
  readonly origin: string;
  /** Where domains are served over TLS. */
  readonly httpsPort: number;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

export async function createControlMounts({
  stores,
  settings,
  origin,
  httpsPort,
  logger,
  clock,
  onFault,
}: ControlOptions): Promise<{ readonly mounts: readonly Mount[]; readonly issuer: string }> {
  const { database } = stores;
  const { dataFolder } = settings;
  const keys = await openProviderKeys(dataFolder);
  const users = createSqliteUserStore(database);
  const provider = createIdentityProvider({ origin, keys, users, database, clock, onFault });
  const claimsOf = createAccessTokenCheck({ issuer: provider.issuer, audience: AUDIENCE, key: keys.signing, clock });
  const suffix = sandboxSuffix(settings);
  const control = createControl({
    ports: {
      ...createEmbeddedPlatform({ stores, dataFolder, sandboxSuffix: suffix, rules: nameRules(settings) }),
      httpsPort,
      sandbox: suffix === undefined ? undefined : { suffix, ...createSqliteSandboxRecords(database) },
      directory: { emailOf: (id) => users.get(id)?.email, endSessions: users.endSessions },
      keyMode: 'test',
      randomBytes,
    },
    clock,
    logger,
  });

  async function serveControl(request: IncomingMessage, response: ServerResponse, client: Client): Promise<void> {
    const { bytes, complete } = await readBody(request, MAX_BODY_BYTES);
    const event = toEvent(request, client, '', bytes, randomUUID(), clock());
    const claims = await claimsOf(request.headers.authorization);
    const authorizer = claims === undefined || !isSignedIn(users, claims) ? {} : { authorizer: { jwt: { claims } } };
    const { statusCode, headers, body } = await control({ ...event, requestContext: { ...event.requestContext, ...authorizer } });
    if (!complete) headers.connection = 'close';
    response.writeHead(statusCode ?? 500, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }

  const mounts: readonly Mount[] = [
    { prefix: `${OIDC_PREFIX}/`, serve: (request, response, { address }) => provider.serve(request, response, address) },
    {
      prefix: `${CONTROL_PREFIX}/`,
      serve: (request, response, client) => {
        serveControl(request, response, client).catch((error) => {
          response.destroy();
          if (!(error instanceof ClientGoneError)) onFault(error);
        });
      },
    },
  ];
  return { mounts, issuer: provider.issuer };
}
