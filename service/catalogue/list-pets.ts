// GET /v1/pets

import { PET_STATUSES, type PetStatus } from '../../core/pets/fields.ts';
import { decodeCursor, encodeCursor, parsePetId } from '../../core/pets/id.ts';
import { petJson, petsJson } from '../../core/pets/pet.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import { type Validated, validate } from '../../core/validate.ts';
import { jsonResponse, type Response, refuse } from '../http/call.ts';
import type { CatalogueEvent } from './operations.ts';
import { cursorMessage, type ListQuery, listQuerySchema, PAGE_SIZE } from './schemas.ts';

/** Creates the handler that returns a page of animals, with a link to the next page. */
export function listPets(pets: PetStore): (event: CatalogueEvent) => Promise<Response> {
  return async (event) => {
    const query = parseListQuery(event.queryStringParameters);
    if (!query.ok) return refuse(event.call, { code: 'invalid_request', message: query.message });
    const { limit, status, cursor } = query.value;
    const start = cursor === undefined ? { after: 0 } : startOf(cursor, status);
    if (start === undefined) return refuse(event.call, { code: 'invalid_request', message: cursorMessage(cursor ?? '') });
    // Reads one animal more than the page has, to find out whether there is a next page.
    const found = await pets.list({ after: start.after, status, limit: limit + 1 });
    const page = found.length > limit ? found.slice(0, limit) : found;
    const last = page.at(-1);
    if (found.length <= limit || last === undefined) return jsonResponse(200, petsJson(page));
    return jsonResponse(200, petsJson(page), { link: nextLink(event, query.value, last.id) });
  };
}

/** Returns where the page starts. A cursor is only valid with the filter that it was issued for. */
function startOf(cursor: string, status: PetStatus | undefined): { after: number } | undefined {
  const decoded = decodeCursor(cursor);
  return decoded.ok && decoded.cursor.status === status ? decoded.cursor : undefined;
}

/** Returns a link to the next page (RFC 8288), which is absolute if the request has a Host header. */
export function nextLink(
  { headers, requestContext }: Pick<CatalogueEvent, 'headers' | 'requestContext'>,
  { limit, status }: ListQuery,
  after: number,
): string {
  const host = requestContext.domainName;
  const origin = /^[\w.\-:[\]]+$/.test(host) ? `${headers['x-forwarded-proto'] === 'http' ? 'http' : 'https'}://${host}` : '';
  const query = [
    ...(limit === PAGE_SIZE.default ? [] : [`limit=${limit}`]),
    ...(status === undefined ? [] : [`status=${status}`]),
    `cursor=${encodeCursor({ after, status })}`,
  ];
  return `<${origin}/v1/pets?${query.join('&')}>; rel="next"`;
}

const WITHOUT_QUERY: Validated<ListQuery> = { ok: true, value: { limit: PAGE_SIZE.default } };

/** Query parameters as API Gateway passes them: decoded, with repeated parameters joined by commas. */
export type QueryParameters = Readonly<Record<string, string | undefined>>;

/** Cache of valid queries without a cursor, by status and limit (at most 404 entries), because clients repeat them. */
const known = new Map(
  [undefined, ...PET_STATUSES].map((status) => [status as string | undefined, new Map<string | undefined, Validated<ListQuery>>()]),
);

/** Validates the query. A repeated parameter contains a comma, which no value may have. */
export function parseListQuery(parameters: QueryParameters | undefined): Validated<ListQuery> {
  if (parameters === undefined) return WITHOUT_QUERY;
  const { limit, status } = parameters;
  const alike = Object.keys(parameters).every((name) => name === 'limit' || name === 'status') ? known.get(status) : undefined;
  const before = alike?.get(limit);
  if (before !== undefined) return before;
  // Text that is not a canonical integer is kept as text, so that the schema rejects it.
  const input = limit !== undefined && /^(0|-?[1-9]\d{0,9})$/.test(limit) ? { ...parameters, limit: Number(limit) } : parameters;
  const result = validate(listQuerySchema, 'query parameter', input);
  if (result.ok) alike?.set(limit, result);
  return result;
}

/** Creates the handler that returns an animal by id, or 404. Its operation is deprecated. */
export function getPet(pets: PetStore): (event: CatalogueEvent) => Promise<Response> {
  return async ({ call }) => {
    const text = (call.route.kind === 'operation' && call.route.parameters.petId) || '';
    const id = parsePetId(text);
    const pet = id === undefined ? undefined : await pets.get(id);
    if (pet !== undefined) return jsonResponse(200, petJson(pet));
    return refuse(call, { code: 'not_found', message: `no animal with id ${JSON.stringify(text.slice(0, 60))}` });
  };
}
