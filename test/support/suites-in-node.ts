// Contract suites in node:test, as authors of adapters outside of the project run them. test/testing.test.ts runs this file with `node --test`.

import { test } from 'node:test';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import { historyOf } from '../../core/limits/history.ts';
import type { UsageStore } from '../../core/limits/ports.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import { petStoreContract, usageStoreContract } from '../../package/testing.ts';

const NOTHING = { minutes: new Map(), hours: new Map(), days: new Map() };

/** Loses the last digits of an int64. */
function losingDigits(pets: PetStore): PetStore {
  return {
    ...pets,
    get: async (id) => {
      const pet = await pets.get(id);
      return pet && { ...pet, categoryId: BigInt(Number(pet.categoryId)) };
    },
  };
}

function withoutHistory(usage: UsageStore): UsageStore {
  return {
    ...usage,
    usage: async (accountId, now) => {
      const found = await usage.usage(accountId, now);
      return found && { ...found, history: historyOf({ admitted: NOTHING, refused: NOTHING }, now) };
    },
  };
}

const adapter = process.env.ADAPTER;

petStoreContract(
  test,
  () => {
    const { pets } = createMemoryStores();
    return adapter === 'broken' ? losingDigits(pets) : pets;
  },
  { name: 'memory' },
);

usageStoreContract(
  test,
  () => {
    const stores = createMemoryStores();
    return adapter === 'complete' ? stores : { ...stores, usage: withoutHistory(stores.usage) };
  },
  { name: 'memory', ...(adapter === 'declared' && { declares: ['history'] }) },
);
