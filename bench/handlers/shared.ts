// The work that every handler in the comparison does for a request, as briefly as possible: the same key, admission rules, memory store, headers
// and body. The handlers differ in how a request gets in and how its answer gets out.

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parseApiKey } from '../../core/access/api-key.ts';
import { addRateLimitHeaders, headerQuota } from '../../core/limits/headers.ts';
import { petsJson } from '../../core/pets/pet.ts';
import type { Stores } from '../../core/ports.ts';
import { createAdmitter } from '../../service/admission/admitter.ts';
import { nextLink } from '../../service/catalogue/list-pets.ts';
import type { ListQuery } from '../../service/catalogue/schemas.ts';
import { entityTag } from '../../service/http/reading.ts';

export type Outcome = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };

/** Authenticates, admits and lists. */
export function createList(stores: Stores): (event: APIGatewayProxyEventV2, query: ListQuery) => Promise<Outcome> {
  const admitter = createAdmitter(stores.usage, () => {});
  return async (event, query) => {
    const { authorization } = event.headers;
    const key = authorization?.startsWith('Bearer ') ? parseApiKey(authorization.slice(7)) : undefined;
    const decision = key && (await admitter.admit(key, Date.now()));
    const headers: Record<string, string> = { 'content-type': 'application/json', vary: 'Origin', 'x-request-id': event.requestContext.requestId };
    if (decision === undefined || decision.kind === 'unknown_key') return { status: 401, headers, body: '{}' };
    addRateLimitHeaders(headers, headerQuota(decision));
    if (decision.kind !== 'admitted') return { status: 429, headers, body: '{}' };
    if (!decision.scopes.includes('pets:read')) return { status: 403, headers, body: '{}' };
    const found = await stores.pets.list({ after: 0, status: query.status, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    const body = petsJson(page);
    headers.link = nextLink(event, query, page.at(-1)?.id ?? 0);
    headers.etag = entityTag(body);
    headers['cache-control'] = 'private, no-cache';
    return { status: 200, headers, body };
  };
}
