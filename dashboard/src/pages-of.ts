// Lists that are read in pages: the first one at once, the others when they are needed.

import { type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type Api, serviceClockAheadMs, unwrap } from './api.ts';
import { useApplication } from './context.tsx';
import { afterFailures } from './polling.ts';

/** Items per request; as many as the API gives. */
export const REQUEST_SIZE = 100;

/** A page of a list. */
export interface PageOf<T> {
  readonly items: readonly T[];
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

/** The pages that are not read yet. */
export interface More {
  /** Reads the next page. */
  load(): Promise<void>;
  /** Reads all pages, for a search or an order that concerns all items. */
  loadAll(): Promise<void>;
}

/** What is read of a list. */
export interface Pages<T> extends Pick<UseQueryResult<readonly T[]>, 'data' | 'error'> {
  /** Reads the pages again that were read. */
  refetch(): Promise<unknown>;
  /** Undefined once everything is read. */
  readonly more: More | undefined;
}

/** Reads a list page by page. @param interval as of useRead, for the items that are read */
export function usePages<T>(
  key: readonly unknown[],
  read: (api: Api, query: { readonly limit: number; readonly cursor?: string }) => Promise<PageOf<T>>,
  interval: (items: readonly T[], readAt: number) => number | false = () => false,
): Pages<T> {
  const { api } = useApplication();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(api, { limit: REQUEST_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: PageOf<T>) => page.next,
    refetchInterval: ({ state }) =>
      afterFailures(interval(itemsOf(state.data?.pages ?? []), state.dataUpdatedAt + serviceClockAheadMs()), state.fetchFailureCount),
  });
  const load = async () => void (await query.fetchNextPage());
  const loadAll = async () => {
    for (let last = await query.fetchNextPage(); last.hasNextPage && last.error === null; ) last = await last.fetchNextPage();
  };
  return {
    data: query.data && itemsOf(query.data.pages),
    error: query.error,
    refetch: query.refetch,
    more: query.hasNextPage ? { load, loadAll } : undefined,
  };
}

/** Returns a page, or throws the refusal. */
export async function unwrapPage<T>(answer: Promise<{ data?: readonly T[]; error?: unknown; response: Response }>): Promise<PageOf<T>> {
  const items = await unwrap(answer);
  const { response } = await answer;
  const [, query] = /\?([^>]*)>/.exec(response.headers.get('link') ?? '') ?? [];
  return { items, next: new URLSearchParams(query).get('cursor') ?? undefined };
}

/** Reads all pages of a list. */
export async function allPages<T>(read: (query: { readonly limit: number; readonly cursor?: string }) => Promise<PageOf<T>>): Promise<readonly T[]> {
  const pages: PageOf<T>[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: REQUEST_SIZE, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = page.next;
  } while (cursor !== undefined);
  return itemsOf(pages);
}

function itemsOf<T>(pages: readonly PageOf<T>[]): readonly T[] {
  return pages.flatMap(({ items }) => items);
}
