// The query string of the list.

import { type ListQuery, listQuerySchema, PAGE_SIZE, type Validated, validate } from './schemas.ts';

const WITHOUT_QUERY: Validated<ListQuery> = { ok: true, value: { limit: PAGE_SIZE.default } };

/** Reads and validates the query; a parameter that stands twice or is not known is refused. */
export function parseListQuery(rawQueryString: string): Validated<ListQuery> {
  if (rawQueryString === '') return WITHOUT_QUERY;
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    if (name in input) return { ok: false, message: `query parameter ${JSON.stringify(name.slice(0, 60))}: given more than once; allowed: once` };
    // Text that is not a canonical integer stays text, and the schema refuses it.
    input[name] = name === 'limit' && /^(0|-?[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
  }
  return validate(listQuerySchema, 'query parameter', { ...input });
}
