// The query of the list.

import { type Validated, validate } from '../../core/validate.ts';
import { type ListQuery, listQuerySchema, PAGE_SIZE } from './schemas.ts';

const WITHOUT_QUERY: Validated<ListQuery> = { ok: true, value: { limit: PAGE_SIZE.default } };

/** Query parameters as API Gateway hands them on: decoded, one that stands more than once joined with commas. */
export type QueryParameters = Readonly<Record<string, string | undefined>>;

/** Validates the query. A parameter that stands more than once has a comma in it, which no value may have. */
export function parseListQuery(parameters: QueryParameters | undefined): Validated<ListQuery> {
  if (parameters === undefined) return WITHOUT_QUERY;
  const { limit } = parameters;
  // Text that is not a canonical integer stays text, and the schema refuses it.
  const input = limit !== undefined && /^(0|-?[1-9]\d{0,9})$/.test(limit) ? { ...parameters, limit: Number(limit) } : parameters;
  return validate(listQuerySchema, 'query parameter', input);
}
