import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PROXY_HEADER_BYTES, parseProxyHeader } from '../../core/http/proxy-protocol.ts';

const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];
const binary = (command: number, family: number, content: readonly number[], extensions: readonly number[] = []) => {
  const length = content.length + extensions.length;
  return Uint8Array.from([...SIGNATURE, command, family, length >> 8, length & 0xff, ...content, ...extensions]);
};
const line = (text: string) => Uint8Array.from(Buffer.from(text));
const IPV4 = [192, 0, 2, 7, 198, 51, 100, 1, 0xc0, 0x01, 0x01, 0xbb];
const IPV6 = [0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 7, ...Array(16).fill(0), 0x12, 0x34, 0x01, 0xbb];

describe('the header of the PROXY protocol', () => {
  test.each([
    ['2, IPv4', binary(0x21, 0x11, IPV4), { address: '192.0.2.7', port: 0xc001 }],
    ['2, IPv4, with extensions', binary(0x21, 0x11, IPV4, [0x03, 0, 4, 1, 2, 3, 4]), { address: '192.0.2.7', port: 0xc001 }],
    ['2, IPv6', binary(0x21, 0x21, IPV6), { address: '2001:db8::7', port: 0x1234 }],
    ['2, of the proxy itself', binary(0x20, 0x00, []), undefined],
    ['2, of the proxy itself with addresses', binary(0x20, 0x11, IPV4), undefined],
    ['2, of a family that is not ours', binary(0x21, 0x31, Array(216).fill(1)), undefined],
    ['1, IPv4', line('PROXY TCP4 192.0.2.7 198.51.100.1 49153 443\r\n'), { address: '192.0.2.7', port: 49153 }],
    ['1, IPv6', line('PROXY TCP6 2001:DB8::7 ::1 4660 443\r\n'), { address: '2001:db8::7', port: 4660 }],
    ['1, IPv4 in IPv6', line('PROXY TCP6 ::ffff:192.0.2.7 ::1 1 443\r\n'), { address: '192.0.2.7', port: 1 }],
    ['1, unknown', line('PROXY UNKNOWN\r\n'), undefined],
    ['1, unknown with addresses', line('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), undefined],
  ])('of version %s is read, whatever follows, and waited for byte by byte', (_, header, client) => {
    for (const rest of [[], [0x16, 0x03, 0x01], [...SIGNATURE]])
      expect(parseProxyHeader(Uint8Array.from([...header, ...rest]))).toEqual({ kind: 'complete', bytes: header.length, client });
    for (let length = 0; length < header.length; length++)
      expect(parseProxyHeader(header.subarray(0, length)).kind, String(length)).toBe('incomplete');
  });

  test.each([
    ['a TLS handshake', Uint8Array.of(0x16, 0x03, 0x01, 0x02)],
    ['a request', line('GET / HTTP/1.1\r\n')],
    ['version 3', binary(0x31, 0x11, IPV4)],
    ['an unknown command', binary(0x22, 0x11, IPV4)],
    ['truncated addresses', binary(0x21, 0x11, IPV4.slice(0, 8))],
    ['a length beyond the limit', Uint8Array.from([...SIGNATURE, 0x21, 0x11, 0xff, 0xff])],
    ['a line without an end', line(`PROXY TCP4 ${'1'.repeat(200)}`)],
    ['a name for an address', line('PROXY TCP4 example.com 192.0.2.1 1 2\r\n')],
    ['an address that does not exist', line('PROXY TCP4 192.0.2.256 192.0.2.1 1 2\r\n')],
    ['a port that does not exist', line('PROXY TCP4 192.0.2.1 192.0.2.1 65536 2\r\n')],
    ['lower case', line('proxy TCP4 192.0.2.1 192.0.2.1 1 2\r\n')],
  ])('is refused: %s', (_, bytes) => {
    expect(parseProxyHeader(bytes).kind).toBe('invalid');
  });

  test('is never longer than the limit, and no bytes make the parser fail', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isBinary) => {
        const header = parseProxyHeader(isBinary ? Uint8Array.from([...SIGNATURE, ...bytes]) : bytes);
        if (header.kind === 'complete') expect(header.bytes).toBeLessThanOrEqual(MAX_PROXY_HEADER_BYTES);
      }),
    );
  });
});
