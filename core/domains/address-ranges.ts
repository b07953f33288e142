// Which addresses a public name server can have. A domain's owner chooses the addresses of its name servers: without this check, they could point
// to this machine or its network.

import { BlockList } from 'node:net';
import { parseAddress } from '../limits/address.ts';

/** IANA's special-purpose registries (RFC 6890), and multicast: addresses that are not globally reachable or do not belong to a single host. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Within 2000::/3, the only allocated part of IPv6: Teredo and neighboring blocks, documentation, 6to4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special = new BlockList();
const givenOut = new BlockList();
for (const network of SPECIAL_IPV4) add(special, network, 'ipv4');
for (const network of SPECIAL_IPV6) add(special, network, 'ipv6');
add(givenOut, '2000::/3', 'ipv6');

/** @returns false for invalid addresses as well */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (!address.includes(':')) return !special.check(address, 'ipv4');
  return givenOut.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits = ''] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}

// Address ranges of proxies that hide the actual record. Cloudflare publishes its ranges at https://www.cloudflare.com/ips/.

const CLOUDFLARE = [
  ['103.21.244.0', 22],
  ['103.22.200.0', 22],
  ['103.31.4.0', 22],
  ['104.16.0.0', 13],
  ['104.24.0.0', 14],
  ['108.162.192.0', 18],
  ['131.0.72.0', 22],
  ['141.101.64.0', 18],
  ['162.158.0.0', 15],
  ['172.64.0.0', 13],
  ['173.245.48.0', 20],
  ['188.114.96.0', 20],
  ['190.93.240.0', 20],
  ['197.234.240.0', 22],
  ['198.41.128.0', 17],
  ['2400:cb00::', 32],
  ['2606:4700::', 32],
  ['2803:f800::', 32],
  ['2405:b500::', 32],
  ['2405:8100::', 32],
  ['2a06:98c0::', 29],
  ['2c0f:f248::', 32],
] as const;

const cloudflare = new BlockList();
for (const [network, prefix] of CLOUDFLARE) cloudflare.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');

/** Returns the provider whose proxy has this address; undefined if unknown. */
export function proxyOf(address: string): 'Cloudflare' | undefined {
  return cloudflare.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ? 'Cloudflare' : undefined;
}
