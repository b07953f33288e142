// Decides which host names a request may be for. A listener on the loopback interface is meant only for this machine. But an attacker can point any
// name to 127.0.0.1, so that a browser on this machine reaches the listener (DNS rebinding) and takes the service and the attacker's page for the
// same origin. Addresses are safe, because an address can't be made to resolve to another one.

import { parseAddress } from '../limits/address.ts';

export interface Listener {
  /** As configured: a name or an address. */
  readonly host: string;
  /** The address that the listener is bound to. */
  readonly address: string;
  readonly port: number;
}

/** Who opened a connection. `proxy`: a trusted proxy. `edge`: anyone, using the public name. */
export type ConnectionSource = 'client' | 'proxy' | 'edge';

export type HostVerdict =
  /** One of the service's own names, which links may use. */
  | 'own'
  /** Accepted, but not known to be the service's own. */
  | 'unknown'
  | 'refused';

/**
 * Creates the check for Host headers.
 *
 * @param publicUrl the origin that clients use, if it differs from the listener's
 * @returns a function that judges a Host header, given the local address that received the request, and the connection's source. A trusted proxy may
 *   name any host, unless the public name is known. On edge connections, the listener's own names don't count
 */
export function createHostCheck(
  { host, address, port }: Listener,
  publicUrl: string | undefined,
): (header: string, localAddress: string, from: ConnectionSource) => HostVerdict {
  const isStrict = publicUrl !== undefined || isLoopback(address);
  const named = new Set<string>();
  const own = new Set<string>();
  for (const name of ['localhost', '127.0.0.1', '[::1]', bracketed(host), bracketed(address)]) own.add(`${name.toLowerCase()}:${port}`);
  if (publicUrl !== undefined) {
    const { host: publicHost, hostname, protocol } = new URL(publicUrl);
    // Some proxies drop the port.
    named
      .add(hostname)
      .add(publicHost)
      .add(withPort(publicHost, protocol === 'https:' ? 443 : 80));
  }
  return (header, localAddress, from) => {
    const name = header.toLowerCase();
    if (named.has(name)) return 'own';
    if (from === 'edge') return 'refused';
    // Clients omit the scheme's default port.
    if (own.has(name) || own.has(withPort(name, 80))) return 'own';
    if (from === 'proxy' && publicUrl === undefined) return name === '' ? 'unknown' : 'own';
    if (!isStrict) return 'unknown';
    const local = parseAddress(localAddress);
    return local !== undefined && withPort(name, 80) === `${bracketed(local)}:${port}` ? 'own' : 'refused';
  };
}

function isLoopback(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && (parsed === '::1' || parsed.startsWith('127.'));
}

/** Formats a name or an address for a Host header (RFC 3986, section 3.2.2). */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function withPort(host: string, standard: number): string {
  return /:\d+$/.test(host) ? host : `${host}:${standard}`;
}
