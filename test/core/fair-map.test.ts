import { expect, test } from 'vitest';
import { FairMap } from '../../core/bounded-map.ts';

/** Returns the keys that are still present. */
function kept(map: FairMap<number, unknown>, keys: readonly number[]): number[] {
  return keys.filter((key) => map.get(key) !== undefined);
}

test('over capacity, the largest group loses its oldest entry, whichever group adds one', () => {
  const map = new FairMap<number, string>(4);
  map.set('quiet', 1, 'a');
  for (const key of [2, 3, 4, 5, 6]) map.set('loud', key, 'b');
  expect(kept(map, [1, 2, 3, 4, 5, 6])).toEqual([1, 4, 5, 6]);
  map.set('new', 7, 'c');
  expect(kept(map, [1, 4, 5, 6, 7])).toEqual([1, 5, 6, 7]);
  map.set('quiet', 8, 'd');
  expect(kept(map, [1, 5, 6, 7, 8])).toEqual([5, 6, 7, 8]);
  map.set('loud', 9, 'b');
  expect(kept(map, [1, 5, 6, 7, 8, 9])).toEqual([6, 7, 8, 9]);
});

test('among groups of equal size, the least recently used group loses an entry', () => {
  const map = new FairMap<number, string>(2);
  for (const key of [1, 2, 3]) map.set(`group ${key}`, key, 'a');
  expect(kept(map, [1, 2, 3])).toEqual([2, 3]);
});

test('an entry that is set again is the newest, and counts towards the group that set it last', () => {
  const map = new FairMap<number, string>(3);
  for (const key of [1, 2, 1, 3]) map.set('one', key, 'a');
  map.set('one', 4, 'a');
  expect(kept(map, [1, 2, 3, 4])).toEqual([1, 3, 4]);
  map.set('other', 1, 'b');
  map.set('other', 5, 'b');
  expect([map.get(1), kept(map, [1, 3, 4, 5])]).toEqual(['b', [1, 4, 5]]);
});

test('deleted entries no longer count', () => {
  const map = new FairMap<number, string>(2);
  map.set('one', 1, 'a');
  map.set('two', 2, 'b');
  expect([map.delete(1), map.delete(1), map.get(1)]).toEqual([true, false, undefined]);
  map.set('one', 3, 'a');
  expect(kept(map, [1, 2, 3])).toEqual([2, 3]);
});
