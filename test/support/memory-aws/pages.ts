// Lists in pages.

/** Items per page of a list: few, so that code that reads only the first page misses some. */
const PAGE = 2;

/**
 * The items from a token on, and the token of the next page: the key of the next page's first item, so that removals from this page do not shift it.
 *
 * @param size items per page
 */
export function pageOf<Item>(all: ReadonlyMap<string, Item>, token: string | undefined, size = PAGE): { items: Item[]; next: string | undefined } {
  const keys = [...all.keys()];
  const start = token === undefined ? 0 : keys.indexOf(token);
  if (start < 0) throw Object.assign(new Error(`no page begins with ${token}`), { name: 'ValidationException' });
  return { items: [...all.values()].slice(start, start + size), next: keys[start + size] };
}
