// `petstore-platform/adapters/memory`: stores in memory, for tests.

import '../../platforms/node-version.ts';

export { createMemoryNotificationSettings, createMemoryOutbox } from '../../adapters/store/memory/outbox.ts';
export { createMemoryMinuteCounter, createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
export { createMemoryStores } from '../../adapters/store/memory/stores.ts';
