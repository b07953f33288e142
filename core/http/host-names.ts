// Which names a request may be for. A listener on the loopback interface is meant for this machine, but a browser on it can be led there by
// any name that somebody lets point to 127.0.0.1 (DNS rebinding), and would then count the service as that page's own. Addresses need no such
// care: nobody lets an address point somewhere else.

import { parseAddress } from '../limits/ip-address.ts';

export interface Listener {
  /** As configured: a name or an address. */
  readonly host: string;
  /** That it is bound to. */
  readonly address: string;
  readonly port: number;
}

export type HostVerdict =
  /** One of the service's own names: links may have it. */
  | 'own'
  /** Accepted, but nothing is known of it. */
  | 'unknown'
  | 'refused';

/**
 * @param publicUrl the origin that clients use, where it is another than the listener's
 * @returns judges a Host header, by the listener's address that the request came to; a trusted proxy may name any host, but for where the public one is known
 */
export function createHostCheck(
  { host, address, port }: Listener,
  publicUrl: string | undefined,
): (header: string, localAddress: string, isFromProxy: boolean) => HostVerdict {
  const isStrict = publicUrl !== undefined || isLoopback(address);
  const own = new Set<string>();
  for (const name of ['localhost', '127.0.0.1', '[::1]', bracketed(host), bracketed(address)]) own.add(`${name.toLowerCase()}:${port}`);
  if (publicUrl !== undefined) {
    const { host: publicHost, hostname, protocol } = new URL(publicUrl);
    // Some proxies pass the name on without its port.
    own
      .add(hostname)
      .add(publicHost)
      .add(withPort(publicHost, protocol === 'https:' ? 443 : 80));
  }
  return (header, localAddress, isFromProxy) => {
    const name = header.toLowerCase();
    // A client leaves out the port where it is the scheme's.
    if (own.has(name) || own.has(withPort(name, 80))) return 'own';
    if (isFromProxy && publicUrl === undefined) return name === '' ? 'unknown' : 'own';
    if (!isStrict) return 'unknown';
    const local = parseAddress(localAddress);
    return local !== undefined && withPort(name, 80) === `${bracketed(local)}:${port}` ? 'own' : 'refused';
  };
}

function isLoopback(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && (parsed === '::1' || parsed.startsWith('127.'));
}

/** As a Host header has it (RFC 3986, section 3.2.2). */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function withPort(host: string, standard: number): string {
  return /:\d+$/.test(host) ? host : `${host}:${standard}`;
}
