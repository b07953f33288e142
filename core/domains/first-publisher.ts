// Owners have their zones at one provider or another: whoever has a domain's zone sets its records.

import type { RecordPublisher } from './ports.ts';

/** The publishers as one: the first of them that has the zone of a host sets its records, and each withdraws its own. */
export function firstPublisher(publishers: readonly RecordPublisher[]): RecordPublisher {
  return {
    publish: async (accountId, host, records) => {
      for (const publisher of publishers) {
        const result = await publisher.publish(accountId, host, records);
        if (result.kind !== 'no_zone') return result;
      }
      return { kind: 'no_zone' };
    },
    withdraw: async (accountId, host, records) => {
      for (const publisher of publishers) await publisher.withdraw(accountId, host, records);
    },
  };
}
