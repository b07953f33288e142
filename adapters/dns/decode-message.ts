// Decodes messages with dns-packet, but names itself: the library joins labels with unescaped dots, so the label "shop.example" would equal the
// labels "shop" and "example". Here, bytes that can't occur in a host name are escaped (RFC 1035, section 5.1), so equal strings are equal names.

import dnsPacket, { type DecodedPacket } from 'dns-packet';

const POINTER = 0xc0;
/** RFC 1035, section 2.3.4. */
const MAX_NAME_BYTES = 255;
/** Maximum number of compression pointers per name. Encoders use one or two; each record in a hostile message could use thousands. */
const MAX_POINTERS = 16;
/** What a label may contain unescaped: letters, digits, hyphens, `_` (service names) and `*` (wildcards). */
const PLAIN = /^[A-Za-z0-9_*-]+$/;

interface NameReader {
  (buffer: Buffer, offset?: number): string;
  /** Length of the last decoded name, in bytes. */
  bytes: number;
}

/** Decodes the name at an offset. @throws Error if it is malformed */
export const readName: NameReader = (buffer, offset = 0) => {
  const labels: string[] = [];
  let [at, length, consumed] = [offset, 0, 0];
  /** Each pointer must point further back than the one before, so the loop ends. */
  let limit = offset;
  let jumps = 0;
  for (;;) {
    const size = buffer[at];
    if (size === undefined) throw new Error('a name continues past the end of the message');
    const isPointer = (size & POINTER) === POINTER;
    if (jumps === 0) consumed += isPointer ? 2 : size + 1;
    if (size === 0) break;
    if (isPointer) {
      const to = buffer.readUInt16BE(at) & 0x3fff;
      jumps += 1;
      if (to >= limit || jumps > MAX_POINTERS) throw new Error('a name has a forward pointer or too many pointers');
      at = to;
      limit = to;
      continue;
    }
    const label = buffer.subarray(at + 1, at + 1 + size);
    length += size + 1;
    if ((size & POINTER) !== 0 || label.length < size || length > MAX_NAME_BYTES) throw new Error('a name is malformed');
    labels.push(escapeLabel(label));
    at += size + 1;
  }
  readName.bytes = consumed;
  return labels.length === 0 ? '.' : labels.join('.');
};
readName.bytes = 0;

function escapeLabel(label: Buffer): string {
  const whole = label.toString('latin1');
  if (PLAIN.test(whole)) return whole;
  let text = '';
  for (const byte of label) {
    const character = String.fromCharCode(byte);
    if (PLAIN.test(character)) text += character;
    else text += byte > 0x20 && byte < 0x7f ? `\\${character}` : `\\${String(byte).padStart(3, '0')}`;
  }
  return text;
}

/** The library's codec for names, which its types omit. */
const codec = (dnsPacket as unknown as { readonly name: { decode: NameReader } }).name;

/** Decodes a message. @throws Error if it is malformed */
export function decodeMessage(message: Buffer): DecodedPacket {
  const { decode } = codec;
  // The library has no option for this. Its own decoder is restored afterwards, for its other users in this process.
  codec.decode = readName;
  try {
    return dnsPacket.decode(message);
  } finally {
    codec.decode = decode;
  }
}
