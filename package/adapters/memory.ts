// `petstore-platform/adapters/memory`: stores in memory, for tests.

import '../../platforms/node-version.ts';

export { createMemoryMinuteCounter } from '../../adapters/store/memory/minute-counter.ts';
export { createMemoryNotificationSettings, createMemoryOutbox } from '../../adapters/store/memory/outbox.ts';
export { createMemoryStores } from '../../adapters/store/memory/stores.ts';
export { createMemorySweepStore } from '../../adapters/store/memory/sweeps.ts';
