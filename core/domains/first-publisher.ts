// Owners have their zones at different providers: a domain's records are set by the publisher that hosts its zone.

import type { RecordPublisher } from './ports.ts';

/** Combines publishers: the first one that hosts a name's zone sets the name's records, and each publisher withdraws its own. */
export function firstPublisher(publishers: readonly RecordPublisher[]): RecordPublisher {
  return {
    publish: async (accountId, host, records) => {
      for (const publisher of publishers) {
        const result = await publisher.publish(accountId, host, records);
        if (result.kind !== 'no_zone') return result;
      }
      return { kind: 'no_zone' };
    },
    manages: async (accountId, host) => {
      for (const publisher of publishers) if (await publisher.manages(accountId, host)) return true;
      return false;
    },
    withdraw: async (accountId, host, records) => {
      for (const publisher of publishers) await publisher.withdraw(accountId, host, records);
    },
  };
}
