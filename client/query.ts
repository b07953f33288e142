// Queries of both APIs.

/** A query whose optional parameters may also be undefined. */
export type Query<T> = { [Name in keyof T]: object extends Pick<T, Name> ? T[Name] | undefined : T[Name] };

/** Returns the query as part of a URL, beginning with `?`, without what is undefined; the empty string if nothing is left. */
export function searchOf(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}
