// Pages of lists by age, while items come and go.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Aged, CURSOR_PATTERN, MAX_PAGE_SIZE, pageByAge } from '../../core/page.ts';

type Order = 'oldest first' | 'newest first';

const id = fc.integer({ min: 0, max: 999 }).map((number) => `prj_${String(number).padStart(10, '0')}`);
const list = fc.uniqueArray(fc.record({ id, createdAt: fc.integer({ min: 0, max: 5 }).map((step) => 1_795_000_000_000 + step) }), {
  selector: (item) => item.id,
  maxLength: 40,
});

function sort(items: readonly Aged[], order: Order): Aged[] {
  const sorted = items.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return order === 'oldest first' ? sorted : sorted.reverse();
}

describe.each(['oldest first', 'newest first'] as const)('%s', (order) => {
  test('the pages together are the list', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 12 }), (items, limit) => {
        const sorted = sort(items, order);
        const seen: Aged[] = [];
        let cursor: string | undefined;
        do {
          const page = pageByAge(sorted, order, { limit, cursor });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          expect(page.items.length === 0 && cursor !== undefined).toBe(false);
          if (page.next !== undefined) expect(page.next).toMatch(new RegExp(CURSOR_PATTERN));
          seen.push(...page.items);
          cursor = page.next;
        } while (cursor !== undefined);
        expect(seen).toEqual(sorted);
      }),
    );
  });

  test('what is deleted or added between two pages neither hides nor repeats anything else', () => {
    fc.assert(
      fc.property(
        list,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        list,
        fc.integer({ min: 1, max: 12 }),
        (items, kept, others, limit) => {
          const sorted = sort(items, order);
          const first = pageByAge(sorted, order, { limit });
          const left = sorted.filter((_, index) => kept[index]);
          const added = others.filter((other) => !sorted.some((item) => item.id === other.id));
          const rest = first.next === undefined ? [] : pageByAge(sort([...left, ...added], order), order, { limit: 100, cursor: first.next }).items;
          const expected = first.next === undefined ? [] : left.filter((item) => !first.items.includes(item));
          expect(rest.filter((item) => !added.includes(item))).toEqual(expected);
        },
      ),
    );
  });
});

test('without a query, it is the whole list; with a cursor alone, the largest page', () => {
  const items = Array.from({ length: 250 }, (_, index) => ({ id: `dpl_${index}`, createdAt: index }));
  expect(pageByAge(items, 'oldest first', {})).toEqual({ items, next: undefined });
  const { next } = pageByAge(items, 'oldest first', { limit: 1 });
  expect(pageByAge(items, 'oldest first', { cursor: next }).items).toHaveLength(MAX_PAGE_SIZE);
});
