// What every PetStore must do.

import { expect } from 'expect';
import fc from 'fast-check';
import { MAX_PET_ID } from '../core/pets/id.ts';
import type { Idempotency, PetStore } from '../core/pets/ports.ts';
import { MAX_INT64, MIN_INT64 } from '../service/catalogue/schemas.ts';
import { NOON, samplePet } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

const IDEMPOTENCY: Idempotency = { owner: 'acc_A', key: 'key', fingerprint: 'body', expiresAt: NOON + 1_000 };

/**
 * Declares the suite for an adapter.
 *
 * @param make returns an empty store; called once
 * @example petStoreContract(test, () => createExampleStore(), { name: 'Example' });
 */
export function petStoreContract(runner: TestFunction, make: Make<PetStore>, options: SuiteOptions = {}): void {
  // Every test uses its own ids and idempotency keys, so that one store can serve all tests in any order.
  let base = 0;
  const nextBase = () => {
    base += 1_000_000;
    return base;
  };

  const test = contractSuite(runner, 'PetStore contract', options, { setUp: once(make) });

  test('returns an animal as created, to the last digit', async (store) => {
    const from = nextBase();
    for (const [index, categoryId] of [0n, 1n, -1n, MAX_INT64, MIN_INT64, 9_007_199_254_740_993n].entries()) {
      const pet = samplePet(from + index, { categoryId, name: 'Ünï "quoted" \\ 🐕', status: 'sold' });
      expect(await store.create({ pet }, NOON)).toEqual({ kind: 'created' });
      expect(await store.get(pet.id)).toEqual(pet);
    }
  });

  test('returns nothing for an unknown id', async (store) => {
    expect(await store.get(nextBase())).toBeUndefined();
  });

  test('accepts the largest id', async (store) => {
    const pet = samplePet(MAX_PET_ID);
    await store.create({ pet }, NOON);
    expect(await store.get(MAX_PET_ID)).toEqual(pet);
  });

  test('assigns an id to one animal only, and names the holder', async (store) => {
    const first = samplePet(nextBase());
    const second = { ...first, name: 'Another' };
    await store.create({ pet: first }, NOON);
    expect(await store.create({ pet: second }, NOON)).toEqual({ kind: 'id_taken', holder: first });
    expect(await store.create({ pet: second, idempotency: { ...IDEMPOTENCY, key: `taken-${first.id}` } }, NOON)).toEqual({
      kind: 'id_taken',
      holder: first,
    });
    expect(await store.get(first.id)).toEqual(first);
  });

  test('stores no idempotency record for a failed creation', async (store) => {
    const [held, free] = [samplePet(nextBase()), samplePet(nextBase())];
    const idempotency = { ...IDEMPOTENCY, key: `nothing-${held.id}` };
    await store.create({ pet: held }, NOON);
    expect((await store.create({ pet: { ...held, name: 'Another' }, idempotency }, NOON)).kind).toBe('id_taken');
    expect(await store.create({ pet: free, idempotency: { ...idempotency, fingerprint: 'other' } }, NOON)).toEqual({ kind: 'created' });
  });

  test('lists by id, from any starting point, with and without a filter', async (store) => {
    const from = nextBase();
    const pets = [5, 3, 1, 4, 2].map((n) => samplePet(from + n, { status: n % 2 === 0 ? 'pending' : 'sold' }));
    for (const pet of pets) await store.create({ pet }, NOON);
    const ids = async (after: number, status: 'pending' | 'sold' | undefined, limit: number) =>
      (await store.list({ after: from + after, status, limit })).map(({ id }) => id - from);
    expect((await ids(0, undefined, 5)).slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
    expect(await ids(2, undefined, 2)).toEqual([3, 4]);
    expect((await ids(0, 'pending', 2)).slice(0, 2)).toEqual([2, 4]);
    expect(await ids(2, 'sold', 1)).toEqual([3]);
  });

  test('pages through all animals, without gaps or duplicates', async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 10 }),
        async (offsets, limit) => {
          const from = nextBase();
          await store.createAll(
            offsets.map((offset) => ({ pet: samplePet(from + offset) })),
            NOON,
          );
          const walked: number[] = [];
          let after = from;
          while (true) {
            const page = (await store.list({ after, status: undefined, limit })).filter(({ id }) => id < from + 1_000_000);
            walked.push(...page.map(({ id }) => id - from));
            if (page.length < limit) break;
            after = page.at(-1)?.id ?? after;
          }
          expect(walked).toEqual(offsets.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 8 },
    );
  });

  test('replays a creation with the same idempotency key, and refuses another body', async (store) => {
    const from = nextBase();
    const idempotency = { ...IDEMPOTENCY, key: `replay-${from}` };
    const first = samplePet(from, { categoryId: MAX_INT64 });
    expect(await store.create({ pet: first, idempotency }, NOON)).toEqual({ kind: 'created' });
    expect(await store.create({ pet: samplePet(from + 1), idempotency }, NOON)).toEqual({ kind: 'replayed', pet: first });
    expect(await store.create({ pet: samplePet(from + 2), idempotency: { ...idempotency, fingerprint: 'other' } }, NOON)).toEqual({
      kind: 'key_reused',
    });
    expect(await store.get(from + 1)).toBeUndefined();
    expect(await store.get(from + 2)).toBeUndefined();
  });

  test('removes an animal for good, and nothing else', async (store) => {
    const from = nextBase();
    const [removed, kept] = [samplePet(from, { status: 'sold' }), samplePet(from + 1, { status: 'sold' })];
    const records = [false, true].map((renewable) => ({ ...IDEMPOTENCY, key: `removed-${from}-${renewable}`, renewable }));
    await store.create({ pet: removed, idempotency: records[0] }, NOON);
    const imported = samplePet(from + 2, { status: 'sold' });
    await store.create({ pet: imported, idempotency: records[1] }, NOON);
    await store.create({ pet: kept }, NOON);
    expect(await Promise.all([removed.id, imported.id, from + 3].map((id) => store.remove(id)))).toEqual([true, true, false]);
    expect(await store.remove(removed.id)).toBe(false);
    expect([await store.get(removed.id), await store.get(imported.id), await store.get(kept.id)]).toEqual([undefined, undefined, kept]);
    const listed = async (status: 'sold' | undefined) => (await store.list({ after: from - 1, status, limit: 3 })).filter(({ id }) => id <= from + 3);
    expect([await listed(undefined), await listed('sold')]).toEqual([[kept], [kept]]);
    // Neither a client that repeats its request nor a repeated import brings the animal back.
    expect(await store.create({ pet: { ...removed, id: from + 4 }, idempotency: records[0] }, NOON)).toEqual({ kind: 'replayed', pet: removed });
    expect(await store.create({ pet: { ...imported, id: from + 5 }, idempotency: records[1] }, NOON)).toEqual({ kind: 'replayed', pet: imported });
    expect(await store.create({ pet: removed }, NOON)).toEqual({ kind: 'created' });
  });

  test("keeps owners' idempotency keys separate", async (store) => {
    const from = nextBase();
    const idempotency = { ...IDEMPOTENCY, key: `owners-${from}` };
    expect((await store.create({ pet: samplePet(from), idempotency }, NOON)).kind).toBe('created');
    expect((await store.create({ pet: samplePet(from + 1), idempotency: { ...idempotency, owner: 'acc_B' } }, NOON)).kind).toBe('created');
  });

  test('makes an idempotency key available again when it expires', async (store) => {
    const from = nextBase();
    const idempotency = { ...IDEMPOTENCY, key: `expiry-${from}` };
    await store.create({ pet: samplePet(from), idempotency }, NOON);
    expect((await store.create({ pet: samplePet(from + 1), idempotency }, NOON + 999)).kind).toBe('replayed');
    const later = { ...idempotency, expiresAt: NOON + 5_000, fingerprint: 'other' };
    expect((await store.create({ pet: samplePet(from + 2), idempotency: later }, NOON + 1_000)).kind).toBe('created');
  });

  test('extends a renewable record with each repetition, and no other record', async (store) => {
    const from = nextBase();
    const first = samplePet(from);
    const until = (expiresAt: number, renewable: boolean) => ({
      ...IDEMPOTENCY,
      owner: `import#${from}-${renewable}`,
      key: `line-${from}`,
      expiresAt,
      ...(renewable && { renewable }),
    });
    const create = (offset: number, expiresAt: number, now: number, renewable = true) =>
      store.create({ pet: samplePet(from + offset), idempotency: until(expiresAt, renewable) }, now);
    expect(await create(0, NOON + 1_000, NOON)).toEqual({ kind: 'created' });
    expect(await create(1, NOON + 1_900, NOON + 900)).toEqual({ kind: 'replayed', pet: first });
    expect(await create(2, NOON + 2_500, NOON + 1_899)).toEqual({ kind: 'replayed', pet: first });
    expect(await create(3, NOON + 9_000, NOON + 2_500)).toEqual({ kind: 'created' });
    expect(await create(4, NOON + 9_000, NOON + 2_600)).toEqual({ kind: 'replayed', pet: samplePet(from + 3) });
    expect(await create(5, NOON + 1_000, NOON, false)).toEqual({ kind: 'created' });
    expect((await create(6, NOON + 1_900, NOON + 900, false)).kind).toBe('replayed');
    expect(await create(7, NOON + 9_000, NOON + 1_000, false)).toEqual({ kind: 'created' });
  });

  test("keeps owners' renewable records separate, and makes none for an animal whose id is taken", async (store) => {
    const from = nextBase();
    const idempotency = { ...IDEMPOTENCY, key: `line-${from}`, renewable: true };
    const [one, other] = [
      { ...idempotency, owner: `import#${from}-a` },
      { ...idempotency, owner: `import#${from}-b` },
    ];
    expect(await store.create({ pet: samplePet(from), idempotency: one }, NOON)).toEqual({ kind: 'created' });
    expect((await store.create({ pet: samplePet(from), idempotency: other }, NOON)).kind).toBe('id_taken');
    expect(await store.create({ pet: samplePet(from + 1), idempotency: other }, NOON)).toEqual({ kind: 'created' });
    const results = await store.createAll(
      [one, other].map((each, index) => ({ pet: samplePet(from + 2 + index), idempotency: each })),
      NOON,
    );
    expect(results).toEqual([
      { kind: 'replayed', pet: samplePet(from) },
      { kind: 'replayed', pet: samplePet(from + 1) },
    ]);
  });

  test('creates one animal for any number of concurrent requests with one idempotency key', async (store) => {
    const from = nextBase();
    const idempotency = { ...IDEMPOTENCY, key: `race-${from}` };
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => store.create({ pet: samplePet(from + n), idempotency }, NOON)));
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.every(({ kind }) => ['created', 'replayed', 'in_progress'].includes(kind))).toBe(true);
    const stored = await Promise.all(Array.from({ length: 20 }, (_, n) => store.get(from + n)));
    expect(stored.filter((pet) => pet !== undefined)).toHaveLength(1);
  });

  test('returns the results of a batch in order', async (store) => {
    const from = nextBase();
    const held = samplePet(from);
    await store.create({ pet: held }, NOON);
    const results = await store.createAll([{ pet: samplePet(from + 1) }, { pet: { ...held, name: 'Other' } }, { pet: samplePet(from + 2) }], NOON);
    expect(results).toEqual([{ kind: 'created' }, { kind: 'id_taken', holder: held }, { kind: 'created' }]);
    expect(await store.createAll([], NOON)).toEqual([]);
  });
}
