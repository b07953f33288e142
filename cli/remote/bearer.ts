// The token for a request: a pipeline's deploy token from the environment, or the signed-in user's token.

import { parseDeployToken } from '../../core/access/deploy-token.ts';
import { CliError } from '../context.ts';
import type { Bearer } from './control-api.ts';
import { type Credentials, credentialsPath, openCredentials, type StoredSession } from './credentials.ts';
import { readSignInSettings } from './installation.ts';

/** The environment variable with a deploy token. */
export const DEPLOY_TOKEN = 'PETSTORE_DEPLOY_TOKEN';
/** A token with less time left than this, in milliseconds, is renewed first. */
const RENEW_BEFORE_MS = 60_000;

/** Returns the token for requests. @param clock milliseconds since 1970 @throws CliError if there is neither a deploy token nor a session */
export function bearerFor(origin: string, environment: Readonly<Record<string, string | undefined>>, clock: () => number): Bearer {
  const deployToken = environment[DEPLOY_TOKEN];
  if (deployToken !== undefined && deployToken !== '') {
    if (parseDeployToken(deployToken.trim()) === undefined)
      throw new CliError(`${DEPLOY_TOKEN}: not a deploy token; allowed: the text that was shown when it was created, petstore_deploy_…`);
    return { isDeployToken: true, token: async () => deployToken.trim() };
  }
  const credentials = openCredentials(credentialsPath(environment));
  if (credentials.get(origin) === undefined) throw new CliError(`you are not signed in to ${origin}; run petstore login --url ${origin}`);
  return { isDeployToken: false, token: () => validToken(origin, credentials, clock) };
}

/** Returns the session's access token, renewed if it expires soon. */
async function validToken(origin: string, credentials: Credentials, clock: () => number): Promise<string> {
  const isGood = (session: StoredSession | undefined) => session !== undefined && session.expiresAt > clock() + RENEW_BEFORE_MS;
  const before = credentials.get(origin);
  if (before !== undefined && isGood(before)) return before.accessToken;
  return credentials.locked(async () => {
    // Another command may have renewed the session meanwhile.
    const session = credentials.get(origin);
    if (session !== undefined && isGood(session)) return session.accessToken;
    const { renew } = await import('./sign-in.ts');
    const renewed = session && (await renew(await readSignInSettings(origin), session, clock));
    credentials.set(origin, renewed);
    if (renewed === undefined) throw new CliError(`your session with ${origin} has ended; run petstore login --url ${origin}`);
    return renewed.accessToken;
  });
}
