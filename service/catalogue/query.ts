// The query parameters of the animal list.

import { type Validated, validate } from '../../core/validate.ts';
import { type ListQuery, listQuerySchema, PAGE_SIZE } from './schemas.ts';

const WITHOUT_QUERY: Validated<ListQuery> = { ok: true, value: { limit: PAGE_SIZE.default } };

/** Query parameters as API Gateway passes them: decoded, with repeated parameters joined by commas. */
export type QueryParameters = Readonly<Record<string, string | undefined>>;

/** Validates the query. A repeated parameter contains a comma, which no value may have. */
export function parseListQuery(parameters: QueryParameters | undefined): Validated<ListQuery> {
  if (parameters === undefined) return WITHOUT_QUERY;
  const { limit } = parameters;
  // Text that is not a canonical integer stays text, so that the schema refuses it.
  const input = limit !== undefined && /^(0|-?[1-9]\d{0,9})$/.test(limit) ? { ...parameters, limit: Number(limit) } : parameters;
  return validate(listQuerySchema, 'query parameter', input);
}
