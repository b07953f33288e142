// Lists in pages, read to the end.

import type { Page } from '../core/page.ts';

/** All items of a list. @param read returns one page */
export async function allPages<Item>(read: (after: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await read(after);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}
