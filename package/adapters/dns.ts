// `petstore-platform/adapters/dns`: looks up a domain at every authoritative server of its zone.

import '../../platforms/node-version.ts';

export { createDnsLookup, type DnsLookupOptions } from '../../adapters/dns/lookup.ts';
export { type NameServer, parseNameServer } from '../../adapters/dns/name-server.ts';
