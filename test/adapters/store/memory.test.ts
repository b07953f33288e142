import { createMemoryMinuteCounter } from '../../../adapters/store/memory/minute-counter.ts';
import { createMemoryStores } from '../../../adapters/store/memory/stores.ts';
import { createMemorySweepStore } from '../../../adapters/store/memory/sweeps.ts';
import { accountStoreContract } from '../../contracts/account-store.ts';
import { admissionModelProperty } from '../../contracts/admission-model.ts';
import { leaseStoreContract } from '../../contracts/lease-store.ts';
import { minuteCounterContract } from '../../contracts/minute-counter.ts';
import { petStoreContract } from '../../contracts/pet-store.ts';
import { sweepStoreContract } from '../../contracts/sweep-store.ts';
import { usageStoreContract } from '../../contracts/usage-store.ts';

minuteCounterContract('memory', async () => createMemoryMinuteCounter());
petStoreContract('memory', async () => createMemoryStores().pets);
accountStoreContract('memory', async () => createMemoryStores());
usageStoreContract('memory', async () => createMemoryStores());
admissionModelProperty('memory', async () => createMemoryStores(), 200);
sweepStoreContract('memory', async () => createMemorySweepStore());
leaseStoreContract('memory', async () => createMemoryStores(), 200);
