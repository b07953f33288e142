import { createMemoryMinuteCounter } from '../../../adapters/store/memory/minute-counter.ts';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../../../adapters/store/memory/outbox.ts';
import { createMemoryStores } from '../../../adapters/store/memory/stores.ts';
import { createMemorySweepStore } from '../../../adapters/store/memory/sweeps.ts';
import { accountStoreContract } from '../../contracts/account-store.ts';
import { admissionModelProperty } from '../../contracts/admission-model.ts';
import { leaseStoreContract } from '../../contracts/lease-store.ts';
import { minuteCounterContract } from '../../contracts/minute-counter.ts';
import { notificationOutboxContract } from '../../contracts/notification-outbox.ts';
import { notificationSettingsContract } from '../../contracts/notification-settings.ts';
import { petStoreContract } from '../../contracts/pet-store.ts';
import { sweepStoreContract } from '../../contracts/sweep-store.ts';
import { usageHistoryContract } from '../../contracts/usage-history.ts';
import { usageStoreContract } from '../../contracts/usage-store.ts';

minuteCounterContract('memory', async () => createMemoryMinuteCounter());
petStoreContract('memory', async () => createMemoryStores().pets);
accountStoreContract('memory', async () => createMemoryStores());
usageStoreContract('memory', async () => createMemoryStores());
usageHistoryContract(
  'memory',
  async () => {
    const stores = createMemoryStores();
    return { start: () => ({ ...stores, settle: async () => {}, historyWrites: () => {} }) };
  },
  50,
);
admissionModelProperty('memory', async () => createMemoryStores(), 200);
sweepStoreContract('memory', async () => createMemorySweepStore());
leaseStoreContract('memory', async () => createMemoryStores(), 200);
notificationOutboxContract('memory', async () => createMemoryOutbox());
notificationSettingsContract('memory', async () => createMemoryNotificationSettings());
