import { expect, test } from 'vitest';
import { createBulkhead, type Share } from '../../core/bulkhead.ts';

/** Work that ends when the test decides. */
function work() {
  const begun: number[] = [];
  const ends = new Map<number, { resolve: (n: number) => void; reject: (error: Error) => void }>();
  const piece = (n: number) => () => {
    begun.push(n);
    return new Promise<number>((resolve, reject) => ends.set(n, { resolve, reject }));
  };
  return { begun, piece, end: (n: number) => ends.get(n)?.resolve(n), fail: (n: number) => ends.get(n)?.reject(new Error(`${n} failed`)) };
}

/** Lets everything proceed that does not wait for an outside event. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('two tasks run at a time, the next two are queued in order, and the rest are refused without starting', async () => {
  const { begun, piece, end } = work();
  const bulkhead = createBulkhead({ concurrent: 2, queued: 2 });
  const results = [1, 2, 3, 4, 5, 6].map((n) => bulkhead.run(piece(n)));
  expect(results.map((result) => result === undefined)).toEqual([false, false, false, false, true, true]);
  await settle();
  expect(begun).toEqual([1, 2]);
  end(2);
  await expect(results[1]).resolves.toBe(2);
  await settle();
  expect(begun).toEqual([1, 2, 3]);
  end(1);
  end(3);
  await settle();
  end(4);
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4, undefined, undefined]);
});

test('a freed slot goes to the queue, not to a newcomer', async () => {
  const { begun, piece, end } = work();
  const bulkhead = createBulkhead({ concurrent: 1, queued: 1 });
  const first = bulkhead.run(piece(1));
  void bulkhead.run(piece(2));
  await settle();
  end(1);
  await first;
  void bulkhead.run(piece(3));
  await settle();
  expect(begun).toEqual([1, 2]);
});

test('work that fails or throws frees its slot', async () => {
  const { begun, piece, end, fail } = work();
  const bulkhead = createBulkhead({ concurrent: 1, queued: 0 });
  const failing = bulkhead.run(piece(1));
  await settle();
  fail(1);
  await expect(failing).rejects.toThrow('1 failed');
  await expect(
    bulkhead.run(() => {
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  const last = bulkhead.run(piece(2));
  await settle();
  end(2);
  expect([await last, begun]).toEqual([2, [1, 2]]);
});

const shareOf = (key: string): Share => ({ key, concurrent: 1, inFlight: 2 });

test('a caller that has used up its share is refused, and leaves slots for others', async () => {
  const { begun, piece, end } = work();
  const bulkhead = createBulkhead({ concurrent: 2, queued: 4 });
  const flood = [1, 2, 3, 4, 5].map((n) => bulkhead.run(piece(n), [shareOf('flooder')]));
  expect(flood.map((each) => each === undefined)).toEqual([false, false, true, true, true]);
  const other = bulkhead.run(piece(6), [shareOf('other')]);
  await settle();
  // The flooder's second task arrived first, but still waits.
  expect(begun).toEqual([1, 6]);
  end(6);
  expect(await other).toBe(6);
  await settle();
  expect(begun).toEqual([1, 6]);
  end(1);
  await settle();
  expect(begun).toEqual([1, 6, 2]);
  end(2);
  await Promise.all(flood);
  // Finished work no longer counts.
  void bulkhead.run(piece(7), [shareOf('flooder')]);
  await settle();
  expect(begun).toEqual([1, 6, 2, 7]);
});

test('work counts towards all of its shares, and frees all of them if it fails', async () => {
  const { begun, piece, fail } = work();
  const bulkhead = createBulkhead({ concurrent: 3, queued: 4 });
  const single: Share = { key: 'ann', concurrent: 1, inFlight: 1 };
  const first = bulkhead.run(piece(1), [shareOf('here'), single]);
  expect(bulkhead.run(piece(2), [shareOf('there'), single])).toBeUndefined();
  await settle();
  fail(1);
  await expect(first).rejects.toThrow('1 failed');
  void bulkhead.run(piece(3), [shareOf('there'), single]);
  void bulkhead.run(piece(4), [shareOf('here')]);
  await settle();
  expect(begun).toEqual([1, 3, 4]);
});

test('the end of one task can start several, one from each of its shares', async () => {
  const { begun, piece, end } = work();
  const bulkhead = createBulkhead({ concurrent: 2, queued: 4 });
  void bulkhead.run(piece(1), [shareOf('here'), shareOf('ann')]);
  void bulkhead.run(piece(2), [shareOf('here')]);
  void bulkhead.run(piece(3), [shareOf('ann')]);
  await settle();
  expect(begun).toEqual([1]);
  end(1);
  await settle();
  expect(begun).toEqual([1, 2, 3]);
});
