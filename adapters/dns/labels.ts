// Names as dns-packet reads them, label by label. The library joins labels with dots as they are, so that the one label "shop.example" and
// the two labels "shop" and "example" would be the same name. Here what is not part of a host name is escaped (RFC 1035, section 5.1), so
// that equal texts are equal names. Importing this file is enough: the library has one reader of names, which is replaced.

import dnsPacket from 'dns-packet';

const POINTER = 0xc0;
/** RFC 1035, section 2.3.4. */
const MAX_NAME_BYTES = 255;
/** Writers of names need one or two; each record of a hostile message could go through thousands. */
const MAX_POINTERS = 16;
/** As much as a label may hold unescaped: letters, digits, hyphens, and what service names and wildcards begin with. */
const PLAIN = /^[A-Za-z0-9_*-]+$/;

interface NameReader {
  (buffer: Buffer, offset?: number): string;
  /** How many bytes the last name took. */
  bytes: number;
}

const readName: NameReader = (buffer, offset = 0) => {
  const labels: string[] = [];
  let [at, length, consumed] = [offset, 0, 0];
  /** Pointers lead back, never forward: the way ends. */
  let limit = offset;
  let jumps = 0;
  for (;;) {
    const size = buffer[at];
    if (size === undefined) throw new Error('a name goes on beyond its message');
    const isPointer = (size & POINTER) === POINTER;
    if (jumps === 0) consumed += isPointer ? 2 : size + 1;
    if (size === 0) break;
    if (isPointer) {
      const to = buffer.readUInt16BE(at) & 0x3fff;
      jumps += 1;
      if (to >= limit || jumps > MAX_POINTERS) throw new Error('a name points forward, or in a chain');
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

Object.assign((dnsPacket as unknown as { readonly name: object }).name, { decode: readName });
