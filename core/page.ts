// Pages of lists that are too long to be in memory as a whole.

/** One page. There may be further pages after an empty one. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The position where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

/** Thrown if a list can no longer be continued from a position, such as when a service no longer knows its token. Begin with the first page. */
export class StalePage extends Error {
  override readonly name = 'StalePage';
}

// Pages of a list that is sorted by age. A cursor is a position in the list, not an item, so it stays valid when an item is deleted.

/** An item of a list that is sorted by age. */
export interface Aged {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface PageQuery {
  /** Items per page. @default MAX_PAGE_SIZE with a cursor; otherwise the whole list */
  readonly limit?: number | undefined;
  /** `next` of the previous page. @default the first page */
  readonly cursor?: string | undefined;
}

export const MAX_PAGE_SIZE = 100;

/** Matches cursors: the time in base 36, and the id. */
export const CURSOR_PATTERN = '^[0-9a-z]{1,11}\\.[a-z]{3}_[0-9A-Za-z]{1,64}$';

/**
 * Returns a page of a list.
 *
 * @param sorted the whole list, by age and then by id
 * @param order which item is first
 * @param query with a cursor that matches CURSOR_PATTERN
 */
export function pageByAge<T extends Aged>(sorted: readonly T[], order: 'oldest first' | 'newest first', { limit, cursor }: PageQuery): Page<T> {
  if (limit === undefined && cursor === undefined) return { items: sorted, next: undefined };
  const start = cursor === undefined ? 0 : startAfter(sorted, positionOf(cursor), order === 'newest first');
  const end = start + (limit ?? MAX_PAGE_SIZE);
  const last = sorted[end - 1];
  return { items: sorted.slice(start, end), next: end < sorted.length && last !== undefined ? cursorAt(last) : undefined };
}

/** Compares by age and then by id, the oldest first. */
export function byAge(a: Aged, b: Aged): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function startAfter(sorted: readonly Aged[], position: Aged, isNewestFirst: boolean): number {
  const start = sorted.findIndex((item) => (isNewestFirst ? byAge(item, position) : byAge(position, item)) < 0);
  return start === -1 ? sorted.length : start;
}

function cursorAt({ createdAt, id }: Aged): string {
  return `${createdAt.toString(36)}.${id}`;
}

function positionOf(cursor: string): Aged {
  const [time = '', id = ''] = cursor.split('.');
  return { createdAt: Number.parseInt(time, 36), id };
}
