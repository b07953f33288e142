// Determines which client made a request. A proxy hides its clients' addresses, but passes them on in headers, which are accepted only from trusted
// proxies, because any client can send them.

import { parseAddress } from '../limits/address.ts';
import { type Hop, parseForwarded, parseForwardedFor, type TrustedProxies } from './forwarded.ts';

/** A request's headers; repeated ones are joined with commas. */
export interface ForwardingHeaders {
  readonly 'x-forwarded-for'?: string | undefined;
  readonly forwarded?: string | undefined;
  readonly 'x-forwarded-proto'?: string | undefined;
}

/** Where a request comes from. */
export interface Client {
  /** Normalized by parseAddress. Empty if the connection closed before the address was read. */
  readonly address: string;
  /** The scheme that the client used. */
  readonly scheme: 'http' | 'https';
}

/**
 * Finds the client: the rightmost address that does not belong to a trusted proxy. Hops are read from right to left, starting with the peer. At the
 * first hop without an address, the trusted proxy that reported it counts as the client, so no client can claim another address. If all hops are
 * trusted, the leftmost one is the client. If X-Forwarded-For and Forwarded disagree, the proxy wrote only one of them and passed on the other;
 * because it is unknown which, the peer is the client.
 *
 * @param peer address of the other end of the connection
 */
export function clientOf(peer: string, headers: ForwardingHeaders, isTrusted: TrustedProxies): Client {
  const address = parseAddress(peer);
  if (address === undefined || !isTrusted(address)) return { address: address ?? peer, scheme: 'http' };
  const forwardedFor = given(headers['x-forwarded-for']);
  const forwarded = given(headers.forwarded);
  const client = forwardedFor === undefined ? address : walk(address, parseForwardedFor(forwardedFor), isTrusted);
  const other = forwarded === undefined ? address : walk(address, parseForwarded(forwarded), isTrusted);
  const agreed = forwarded === undefined ? client : forwardedFor === undefined || client === other ? other : address;
  return { address: agreed, scheme: schemeOf(headers['x-forwarded-proto'], forwarded) };
}

/** Returns a header's value; a header without a value counts as missing. */
function given(header: string | undefined): string | undefined {
  return header?.trim() === '' ? undefined : header;
}

/** @param hops last first */
function walk(peer: string, hops: Iterable<Hop>, isTrusted: TrustedProxies): string {
  let client = peer;
  for (const { address } of hops) {
    if (address === undefined) break;
    client = address;
    if (!isTrusted(client)) break;
  }
  return client;
}

/** Returns the scheme that the last proxy reports for its client; `http`, like this host's listener, if it reports none or contradicts itself. */
function schemeOf(forwardedProto: string | undefined, forwarded: string | undefined): Client['scheme'] {
  const [last] = forwarded === undefined ? [] : parseForwarded(forwarded);
  const schemes = [given(forwardedProto)?.split(',').at(-1)?.trim().toLowerCase(), last?.scheme].filter((scheme) => scheme !== undefined);
  return schemes.length > 0 && schemes.every((scheme) => scheme === 'https') ? 'https' : 'http';
}
