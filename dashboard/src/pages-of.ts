// Lists that are read in pages: the first page at once, the others when they are needed.

import { useInfiniteQuery } from '@tanstack/react-query';
import { type AnswerOf, type Api, type At, type PageOf, type PathOf, type QueryOf, serviceClockAheadMs } from './api.ts';
import { useApplication } from './context.tsx';
import { afterFailures } from './polling.ts';

/** Items per request: the API's maximum. */
export const REQUEST_SIZE = 100;

/** Access to the pages that have not been read yet. */
export interface More {
  /** Reads the next page. */
  load(): Promise<void>;
  /** Reads all pages, for a search or a sort order that concerns all items. */
  loadAll(): Promise<void>;
}

type ItemOf<P extends PathOf<'GET'>> = AnswerOf<'GET', P> extends readonly (infer Item)[] ? Item : never;

export interface PagesOptions<P extends PathOf<'GET'>> {
  /** @default only the page size */
  readonly query?: QueryOf<'GET', P> | { readonly limit: undefined };
  /** As for useRead, based on the items read so far. */
  readonly interval?: (items: readonly ItemOf<P>[], readAt: number) => number | false;
}

/** Reads a list page by page. */
export function usePages<P extends PathOf<'GET'>>(path: P, at: At<P>, { query, interval = () => false }: PagesOptions<P> = {}) {
  const { api } = useApplication();
  const read = useInfiniteQuery({
    queryKey: ['pages', path, at, query],
    queryFn: ({ pageParam }) => pageOf(api, path, at, pageParam, query),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      afterFailures(interval(itemsOf(state.data?.pages ?? []), state.dataUpdatedAt + serviceClockAheadMs()), state.fetchFailureCount),
  });
  const load = async () => void (await read.fetchNextPage());
  const loadAll = async () => {
    for (let last = await read.fetchNextPage(); last.hasNextPage && last.error === null; ) last = await last.fetchNextPage();
  };
  const more: More | undefined = read.hasNextPage ? { load, loadAll } : undefined;
  return {
    data: read.data && itemsOf(read.data.pages),
    error: read.error,
    refetch: read.refetch,
    /** Undefined once everything is read. */
    more,
  };
}

/** Reads all pages of a list. */
export async function allPages<P extends PathOf<'GET'>>(api: Api, path: P, at: At<P>): Promise<readonly ItemOf<P>[]> {
  const pages = [await pageOf(api, path, at, undefined)];
  for (let cursor = pages[0]?.next; cursor !== undefined; cursor = pages.at(-1)?.next) pages.push(await pageOf(api, path, at, cursor));
  return itemsOf(pages);
}

function pageOf<P extends PathOf<'GET'>>(api: Api, path: P, at: At<P>, cursor: string | undefined, query?: unknown) {
  return api.page(path, at, { limit: REQUEST_SIZE, ...(query as object | undefined), cursor } as QueryOf<'GET', P>) as Promise<
    PageOf<readonly ItemOf<P>[]>
  >;
}

function itemsOf<T>(pages: readonly PageOf<readonly T[]>[]): readonly T[] {
  return pages.flatMap(({ items }) => items);
}
