// Operations on deploy tokens. Each `now` is in milliseconds since 1970.

import { DAY_MS, MINUTE_MS } from '../limits/windows.ts';
import { type ActionResult, refused } from '../refusal.ts';
import { nameRefusal } from './account.ts';
import type { RandomBytes } from './base62.ts';
import { type DeployToken, generateDeployToken, parseDeployToken, projectIdOfTokenId } from './deploy-token.ts';
import type { DeployTokenStore } from './ports.ts';

export const MAX_TOKENS_PER_PROJECT = 10;
/** Lifetimes have a maximum, because a token that is not renewed must not work forever. */
export const MAX_TOKEN_LIFETIME_DAYS = 366;
/** How long an expired token is kept, and listed, in milliseconds. */
export const EXPIRED_TOKEN_KEPT_MS = 30 * DAY_MS;

export interface DeployTokenRequest {
  readonly projectId: string;
  readonly name: string;
  /** Id of the user. */
  readonly createdBy: string;
  /** A whole number from 1 to MAX_TOKEN_LIFETIME_DAYS. */
  readonly lifetimeDays: number;
  readonly now: number;
}

/** Creates a token; only this result contains its text. Refuses an invalid name or lifetime, and more than MAX_TOKENS_PER_PROJECT tokens. */
export async function createDeployToken(
  tokens: Pick<DeployTokenStore, 'addToken' | 'listTokens' | 'removeToken'>,
  randomBytes: RandomBytes,
  { projectId, name, createdBy, lifetimeDays, now }: DeployTokenRequest,
): Promise<ActionResult<{ readonly record: DeployToken; readonly token: string }>> {
  const wrong = nameRefusal(name);
  if (wrong !== undefined) return wrong;
  if (!(Number.isInteger(lifetimeDays) && lifetimeDays >= 1 && lifetimeDays <= MAX_TOKEN_LIFETIME_DAYS))
    return refused('invalid_request', `lifetime: got ${lifetimeDays} days; allowed: a whole number of days from 1 to ${MAX_TOKEN_LIFETIME_DAYS}`);
  const token = generateDeployToken(projectId, randomBytes);
  const parsed = parseDeployToken(token);
  if (parsed === undefined) return refused('not_found', `no project ${JSON.stringify(projectId)}`);
  const record = { ...parsed, name, createdBy, createdAt: now, expiresAt: now + lifetimeDays * DAY_MS };
  const known = await tokens.listTokens(projectId);
  // Tokens created at the same moment may exceed the maximum by a few, which does no harm, because the maximum only bounds storage.
  if (known.filter(({ expiresAt }) => expiresAt > now).length >= MAX_TOKENS_PER_PROJECT)
    return refused('conflict', `the project already has ${MAX_TOKENS_PER_PROJECT} deploy tokens, the maximum; revoke one first`);
  for (const { id, expiresAt } of known) if (expiresAt + EXPIRED_TOKEN_KEPT_MS <= now) await tokens.removeToken(id);
  await tokens.addToken(record);
  return { ok: true, record, token };
}

/** Revokes a project's token: it is refused once this resolves. */
export async function revokeDeployToken(
  tokens: Pick<DeployTokenStore, 'removeToken'>,
  projectId: string,
  tokenId: string,
): Promise<ActionResult<object>> {
  const isGone = projectIdOfTokenId(tokenId) === projectId && (await tokens.removeToken(tokenId));
  return isGone ? { ok: true } : refused('not_found', `no deploy token ${JSON.stringify(tokenId)} in this project`);
}

/** Returns the token with this text, and records its use to the minute; undefined if it does not exist, was revoked or has expired. */
export async function verifyDeployToken(
  tokens: Pick<DeployTokenStore, 'getToken' | 'useToken'>,
  text: string,
  now: number,
): Promise<DeployToken | undefined> {
  const parsed = parseDeployToken(text);
  if (parsed === undefined) return undefined;
  const token = await tokens.getToken(parsed.id);
  // This comparison need not take constant time, because it compares digests of 178 random bits.
  if (token === undefined || token.digest !== parsed.digest || token.expiresAt <= now) return undefined;
  if (now - (token.lastUsedAt ?? 0) >= MINUTE_MS) await tokens.useToken(token.id, now);
  return token;
}
