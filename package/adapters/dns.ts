// `petstore-platform/adapters/dns`: queries every authoritative server of a domain's zone.

import '../../platforms/node-version.ts';

export { createDnsLookup, type DnsLookupOptions } from '../../adapters/dns/lookup.ts';
export { type NameServer, parseNameServer } from '../../adapters/dns/name-server.ts';
