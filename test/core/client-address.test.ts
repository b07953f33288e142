// A request's client address and scheme, with and without proxies in front.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientOf, type ForwardingHeaders } from '../../core/http/client.ts';
import { parseNetwork, trustNetworks } from '../../core/http/forwarded.ts';
import { addressGroup } from '../../core/limits/address.ts';

const trusting = (...networks: string[]) =>
  trustNetworks(
    networks.map((text) => {
      const network = parseNetwork(text);
      if (network === undefined) throw new Error(text);
      return network;
    }),
  );

const TRUSTED = trusting('10.0.0.0/8', '2001:db8:aaaa::/48', '::1');
const PROXY = '10.0.0.1';
const CLIENT = '192.0.2.7';

const addressOf = (peer: string, headers: ForwardingHeaders) => clientOf(peer, headers, TRUSTED).address;

describe('client address', () => {
  test.each([
    ['no header', undefined, PROXY],
    ['an empty header', '', PROXY],
    ['one entry', CLIENT, CLIENT],
    ['the rightmost untrusted entry', `198.51.100.1, ${CLIENT}`, CLIENT],
    ['before trusted hops', `198.51.100.1, ${CLIENT}, 10.0.0.3,10.0.0.2`, CLIENT],
    ['the leftmost if all are trusted', '10.0.0.4, 10.0.0.3', '10.0.0.4'],
    ['a port', `${CLIENT}:5678`, CLIENT],
    ['IPv6', '2001:db8::1', '2001:db8::1'],
    ['IPv6 in capitals, not abbreviated', '2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['IPv6 in brackets', '[2001:db8::1]', '2001:db8::1'],
    ['IPv6 with a port', '[2001:db8::1]:443', '2001:db8::1'],
    ['IPv6 with a zone', 'fe80::1%eth0', 'fe80::1'],
    ['IPv4-mapped IPv6', '::ffff:c000:207', CLIENT],
    ['a trusted hop as IPv4-mapped IPv6', `${CLIENT}, ::ffff:10.0.0.9`, CLIENT],
    ['a trusted IPv6 hop', `${CLIENT}, 2001:db8:aaaa:1::9`, CLIENT],
    ['no spaces', `198.51.100.1,${CLIENT}`, CLIENT],
    ['many spaces and tabs', `  198.51.100.1 \t,\t ${CLIENT}  `, CLIENT],
    ['unknown stops the search', '198.51.100.1, unknown', PROXY],
    ['unknown stops it at the last trusted hop', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['an obfuscated identifier stops it', '198.51.100.1, _hidden', PROXY],
    ['an empty entry stops it', '198.51.100.1,', PROXY],
    ['a name stops it', '198.51.100.1, localhost', PROXY],
    ['unclosed brackets', '[2001:db8::1', PROXY],
    ['brackets around IPv4', '[192.0.2.7]', PROXY],
    ['an invalid port', `${CLIENT}:port`, PROXY],
    ['an address within other text', `x${CLIENT}`, PROXY],
  ])('X-Forwarded-For: %s', (_what, forwardedFor, address) => {
    expect(addressOf(PROXY, { 'x-forwarded-for': forwardedFor })).toBe(address);
  });

  test.each([
    ['a token', 'for=192.0.2.7', CLIENT],
    ['a quoted string', 'for="192.0.2.7"', CLIENT],
    ['a port', 'for="192.0.2.7:47011"', CLIENT],
    ['an obfuscated port', 'for="192.0.2.7:_x"', CLIENT],
    ['IPv6', 'For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['other parameters', 'by=203.0.113.43;FOR=192.0.2.7;proto=http;host="a, b;for=198.51.100.1"', CLIENT],
    ['spaces around semicolons', 'proto=http ; for=192.0.2.7 ;', CLIENT],
    ['several elements', 'for=198.51.100.1, for=192.0.2.7;by=10.0.0.2,for="10.0.0.2"', CLIENT],
    ['an escape', 'for="192.0.2\\.7"', CLIENT],
    ['an escaped quote elsewhere', 'host="x\\", for=198.51.100.1\\\\";for=192.0.2.7', CLIENT],
    ['unknown', 'for=198.51.100.1, for=unknown', PROXY],
    ['an obfuscated identifier', 'for=198.51.100.1, for="_gazonk", for=10.0.0.2', '10.0.0.2'],
    ['an element without for', 'for=198.51.100.1, proto=https', PROXY],
    ['two for parameters', 'for=198.51.100.1;for=192.0.2.7', PROXY],
    ['an unclosed quote at the left hides nothing', 'for=", for=192.0.2.7', CLIENT],
    ['an unclosed quote with another at the right', 'for=198.51.100.1, x=", for="[2001:db8::1]:80"', '2001:db8::1'],
    ['an unclosed quote at the right', 'for=198.51.100.1, for="192.0.2.7', PROXY],
    ['not a pair', 'for', PROXY],
  ])('Forwarded: %s', (_what, forwarded, address) => {
    expect(addressOf(PROXY, { forwarded })).toBe(address);
  });

  test.each([
    ['a public address', CLIENT, CLIENT],
    ['IPv4-mapped IPv6', '::ffff:192.0.2.7', CLIENT],
    ['IPv6 with a zone', 'fe80::1%eth0', 'fe80::1'],
    ['a closed socket', '', ''],
  ])('an untrusted peer is the client: %s', (_what, peer, address) => {
    expect(clientOf(peer, { 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'https' }, TRUSTED)).toEqual({ address, scheme: 'http' });
  });

  test('no peer is trusted by default', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1;proto=https', 'x-forwarded-proto': 'https' };
    for (const peer of ['127.0.0.1', '::1', PROXY]) expect(clientOf(peer, headers, trusting())).toEqual({ address: peer, scheme: 'http' });
  });

  test('a peer is recognized in any notation', () => {
    for (const peer of ['10.0.0.1', '::ffff:10.0.0.1', '::ffff:a00:1', '::1', '2001:DB8:AAAA::5%eth0'])
      expect(addressOf(peer, { 'x-forwarded-for': CLIENT })).toBe(CLIENT);
  });

  test("if the two headers disagree, the address is the peer's, never another hop's", () => {
    expect(addressOf(PROXY, { 'x-forwarded-for': CLIENT, forwarded: 'for="192.0.2.7:80"' })).toBe(CLIENT);
    expect(addressOf(PROXY, { 'x-forwarded-for': CLIENT, forwarded: 'for=198.51.100.1' })).toBe(PROXY);
    expect(addressOf(PROXY, { 'x-forwarded-for': `${CLIENT}, 10.0.0.2`, forwarded: 'for=unknown' })).toBe(PROXY);
  });
});

describe('request scheme', () => {
  test.each([
    ['none', {}, 'http'],
    ['https', { 'x-forwarded-proto': 'https' }, 'https'],
    ['capitals', { 'x-forwarded-proto': 'HTTPS' }, 'https'],
    ['the rightmost', { 'x-forwarded-proto': 'https, http' }, 'http'],
    ['the rightmost', { 'x-forwarded-proto': 'http,https' }, 'https'],
    ['another scheme', { 'x-forwarded-proto': 'ftp' }, 'http'],
    ['markup', { 'x-forwarded-proto': 'https"><' }, 'http'],
    ['Forwarded', { forwarded: 'for=192.0.2.7;proto="https"' }, 'https'],
    ['the rightmost of Forwarded', { forwarded: 'proto=https, for=192.0.2.7;proto=http' }, 'http'],
    ['Forwarded without a scheme', { forwarded: 'for=192.0.2.7', 'x-forwarded-proto': 'https' }, 'https'],
    ['both agree', { forwarded: 'proto=https', 'x-forwarded-proto': 'https' }, 'https'],
    ['they disagree', { forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, 'http'],
    ['they disagree the other way', { forwarded: 'proto=http', 'x-forwarded-proto': 'https' }, 'http'],
  ])('behind a trusted proxy: %s', (_what, headers, scheme) => {
    expect(clientOf(PROXY, headers, TRUSTED).scheme).toBe(scheme);
  });
});

describe('trusted proxies', () => {
  test.each([
    ['192.0.2.1', { address: '192.0.2.1', prefix: 32 }],
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8 }],
    ['2001:DB8::/32', { address: '2001:db8::', prefix: 32 }],
    ['::1', { address: '::1', prefix: 128 }],
    ['::ffff:10.0.0.0/104', { address: '10.0.0.0', prefix: 8 }],
    ['::ffff:192.0.2.1', { address: '192.0.2.1', prefix: 32 }],
    ['0.0.0.0/0', { address: '0.0.0.0', prefix: 0 }],
  ])('%s is a valid network', (text, network) => {
    expect(parseNetwork(text)).toEqual(network);
  });

  test.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0',
    '10.0.0.0/08',
    '[::1]',
  ])('%j is not a valid network', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });

  test('networks of one address family match no address of the other family', () => {
    expect(['192.0.2.1', '2001:db8::1'].map(trusting('::/0'))).toEqual([false, true]);
    expect(['192.0.2.1', '2001:db8::1'].map(trusting('0.0.0.0/0'))).toEqual([true, false]);
  });
});

describe('client address with arbitrary client headers', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(PROXY, '10.9.9.9', '::1', CLIENT, 'unknown', '_hidden', ''));
  const noise = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[ ,;="\\a-z0-9.:[\]]{0,40}$/),
    fc.array(address).map((all) => all.join(', ')),
    fc.array(address.map((each) => `for="${each}"`)).map((all) => all.join(',')),
    fc.constantFrom('for="', 'for="x\\', 'for=1.2.3.4;x="', '"', '\\', '",'),
  );
  const headers: fc.Arbitrary<ForwardingHeaders> = fc.record(
    { 'x-forwarded-for': noise, forwarded: noise, 'x-forwarded-proto': noise },
    { requiredKeys: [] },
  );
  const outside = fc.oneof(fc.ipV4(), fc.ipV6()).filter((each) => !TRUSTED(each) && addressGroup(each) !== 'unknown');
  const append = (list: string | undefined, entry: string) => (list === undefined ? entry : `${list}, ${entry}`);
  const check = (property: fc.IProperty<unknown>) => fc.assert(property, { numRuns: 2_000 });

  test("is the peer's, with scheme http, if the peer is not trusted", () => {
    check(
      fc.property(outside, headers, (peer, sent) => {
        const own = clientOf(peer, {}, TRUSTED);
        expect(clientOf(peer, sent, TRUSTED)).toEqual(own);
        expect(addressGroup(own.address)).toBe(addressGroup(peer));
      }),
    );
  });

  test("is the client's own behind a proxy that appends to X-Forwarded-For and drops Forwarded", () => {
    check(
      fc.property(outside, headers, (client, sent) => {
        const passed = { 'x-forwarded-for': append(sent['x-forwarded-for'], client), 'x-forwarded-proto': 'https' };
        const seen = clientOf(PROXY, passed, TRUSTED);
        expect([addressGroup(seen.address), seen.scheme]).toEqual([addressGroup(client), 'https']);
      }),
    );
  });

  test("is the client's own behind a proxy that appends to Forwarded and drops X-Forwarded-For", () => {
    check(
      fc.property(outside, headers, fc.boolean(), (client, sent, first) => {
        const node = client.includes(':') ? `"[${client}]:443"` : client;
        const element = first ? `for=${node};proto=https;host="a\\"b"` : `by=10.0.0.1;proto=https;for=${node}`;
        const seen = clientOf(PROXY, { forwarded: append(sent.forwarded, element) }, TRUSTED);
        expect([addressGroup(seen.address), seen.scheme]).toEqual([addressGroup(client), 'https']);
      }),
    );
  });

  test("behind a proxy that passes Forwarded through, is the client's own or the proxy's, never another address", () => {
    check(
      fc.property(outside, headers, (client, sent) => {
        const seen = clientOf(PROXY, { ...sent, 'x-forwarded-for': append(sent['x-forwarded-for'], client) }, TRUSTED);
        expect([addressGroup(client), PROXY]).toContain(addressGroup(seen.address));
      }),
    );
  });
});
