// Who a request counts for. A proxy hides its clients' addresses and passes them on in headers, which any client can send too: they are
// accepted from trusted proxies alone.

import { parseAddress } from '../limits/ip-address.ts';
import { type Hop, parseForwarded, parseForwardedFor } from './forwarded.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Of a request; repeated ones are joined with commas. */
export interface ForwardingHeaders {
  readonly 'x-forwarded-for'?: string | undefined;
  readonly forwarded?: string | undefined;
  readonly 'x-forwarded-proto'?: string | undefined;
}

/** Where a request comes from. */
export interface Client {
  /** In one spelling for each address. Empty if the connection was gone before it could be asked. */
  readonly address: string;
  /** By which the client asked. */
  readonly scheme: 'http' | 'https';
}

/**
 * The rightmost address that is not a trusted proxy's. Going left from the peer, the first hop without an address ends the walk at the
 * trusted proxy that named it: nobody can choose somebody else's address. If all hops are trusted, the leftmost is the client. If
 * X-Forwarded-For and Forwarded disagree, the proxy has written one and passed on the other, nobody knows which: the peer counts.
 *
 * @param peer the other end of the connection
 */
export function forwardingClient(peer: string, headers: ForwardingHeaders, isTrusted: TrustedProxies): Client {
  const address = parseAddress(peer);
  if (address === undefined || !isTrusted(address)) return { address: address ?? peer, scheme: 'http' };
  const forwardedFor = given(headers['x-forwarded-for']);
  const forwarded = given(headers.forwarded);
  const client = forwardedFor === undefined ? address : walk(address, parseForwardedFor(forwardedFor), isTrusted);
  const other = forwarded === undefined ? address : walk(address, parseForwarded(forwarded), isTrusted);
  const agreed = forwarded === undefined ? client : forwardedFor === undefined || client === other ? other : address;
  return { address: agreed, scheme: schemeOf(headers['x-forwarded-proto'], forwarded) };
}

/** A header without a value counts as missing. */
function given(header: string | undefined): string | undefined {
  return header?.trim() === '' ? undefined : header;
}

/** @param hops the last first */
function walk(peer: string, hops: Iterable<Hop>, isTrusted: TrustedProxies): string {
  let client = peer;
  for (const { address } of hops) {
    if (address === undefined) break;
    client = address;
    if (!isTrusted(client)) break;
  }
  return client;
}

/** What the last proxy says of the connection to it. If it says nothing, or two different things, the scheme is this host's own. */
function schemeOf(forwardedProto: string | undefined, forwarded: string | undefined): Client['scheme'] {
  const [last] = forwarded === undefined ? [] : parseForwarded(forwarded);
  const schemes = [given(forwardedProto)?.split(',').at(-1)?.trim().toLowerCase(), last?.scheme].filter((scheme) => scheme !== undefined);
  return schemes.length > 0 && schemes.every((scheme) => scheme === 'https') ? 'https' : 'http';
}
