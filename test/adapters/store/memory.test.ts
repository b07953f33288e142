import { test } from 'vitest';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../../../adapters/store/memory/outbox.ts';
import { createMemoryMinuteCounter, createMemorySweepStore } from '../../../adapters/store/memory/single-process.ts';
import { createMemoryStores } from '../../../adapters/store/memory/stores.ts';
import { accountStoreContract } from '../../../testing/account-store.ts';
import { admissionModelProperty } from '../../../testing/admission-model.ts';
import { leaseStoreContract } from '../../../testing/lease-store.ts';
import { minuteCounterContract } from '../../../testing/minute-counter.ts';
import { notificationOutboxContract } from '../../../testing/notification-outbox.ts';
import { notificationSettingsContract } from '../../../testing/notification-settings.ts';
import { petStoreContract } from '../../../testing/pet-store.ts';
import { sweepStoreContract } from '../../../testing/sweep-store.ts';
import { usageHistoryContract } from '../../../testing/usage-history.ts';
import { usageStoreContract } from '../../../testing/usage-store.ts';

minuteCounterContract(test, async () => createMemoryMinuteCounter(), { name: 'memory' });
petStoreContract(test, async () => createMemoryStores().pets, { name: 'memory' });
accountStoreContract(test, async () => createMemoryStores(), { name: 'memory', declares: ['notifications'] });
usageStoreContract(test, async () => createMemoryStores(), { name: 'memory' });
usageHistoryContract(
  test,
  async () => {
    const stores = createMemoryStores();
    return { start: () => ({ ...stores, settle: async () => {}, historyWrites: () => {} }) };
  },
  { name: 'memory', runs: 50 },
);
admissionModelProperty(test, async () => createMemoryStores(), { name: 'memory', runs: 200 });
sweepStoreContract(test, async () => createMemorySweepStore(), { name: 'memory' });
leaseStoreContract(test, async () => createMemoryStores(), { name: 'memory', runs: 200 });
notificationOutboxContract(test, async () => createMemoryOutbox(), { name: 'memory' });
notificationSettingsContract(test, async () => createMemoryNotificationSettings(), { name: 'memory' });
