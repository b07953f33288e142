// Positions in the list of due domains, which is ordered by the time of the next check and then by id.

import type { Page } from '../page.ts';
import type { Domain } from './domain.ts';
import { nextCheckAt } from './states.ts';

/** Builds a page of due domains, for DomainStore.dueDomains. @param limit the number that was queried for: a shorter page is the last one */
export function duePage(items: readonly Domain[], limit: number): Page<Domain> {
  const last = items.length < limit ? undefined : items.at(-1);
  return { items, next: last && `${nextCheckAt(last.state) ?? 0} ${last.id}` };
}

/** Parses the position after which a page begins. @param after @default before the first domain */
export function parseDuePosition(after: string | undefined): { readonly wakeAt: number; readonly id: string } {
  const [wakeAt = '', id = ''] = (after ?? '-1 ').split(' ');
  return { wakeAt: Number(wakeAt), id };
}
