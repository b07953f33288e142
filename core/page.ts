// Lists in pages, for lists that are too long to be in memory at once.

/** One page. There may be further pages after an empty one. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

/** The list can't be continued from there any more, for instance because a service has forgotten its token: begin again. */
export class StalePage extends Error {
  override readonly name = 'StalePage';
}
