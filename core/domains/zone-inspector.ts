// Who hosts the zone of a domain that is being added: the owner then gets instructions for this provider at once, before the first check.

import type { DnsLookup, RecordPublisher, ZoneInspector } from './ports.ts';

/** Creates an inspector that queries the DNS and the publisher itself. */
export function createZoneInspector(dns: Pick<DnsLookup, 'zoneOf'>, publisher: Pick<RecordPublisher, 'manages'>): ZoneInspector {
  return {
    inspect: async (accountId, host) => {
      const [zone, editable] = await Promise.all([dns.zoneOf(host), publisher.manages(accountId, host).catch(() => false)]);
      return zone && { ...zone, editable };
    },
  };
}
