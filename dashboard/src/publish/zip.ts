// Reads zip files in the browser: lists their contents, and unpacks single files when needed. PKWARE's APPNOTE.TXT describes the format. Browsers can
// unpack "deflate"; the list is at the end of the file, so nothing has to be unpacked to get names and sizes.

import { type LocalFile, UnreadableFile } from '../../../core/publishing/progress.ts';
import { MOST_FILES } from './site-files.ts';

/** APPNOTE 4.3.16: the end of the central directory, followed by a comment of at most 65,535 bytes. */
const END = { signature: 0x06054b50, bytes: 22, comment: 65_535 };
/** APPNOTE 4.3.12: an entry in the central directory. */
const ENTRY = { signature: 0x02014b50, bytes: 46 };
/** APPNOTE 4.3.7: the header in front of a file's content. */
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** The values that refer to the Zip64 fields, which are needed for zips of at least 4 GiB or 65,535 files. */
const IN_ZIP64 = [0xffff, 0xffffffff];
const ENCRYPTED = 0x1;
const UTF8 = 0x800;
const STORED = 0;
const DEFLATED = 8;
/** The upper half of code page 437, the default for names (APPNOTE, appendix D). */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly method: number;
  readonly crc: number;
  readonly offset: number;
}

/**
 * Lists the files in a zip. Files have the sizes in the list; unpacking stops if a file turns out to be larger. @throws UnreadableFile if this is not
 * a zip, or can't be unpacked safely
 */
export async function readZip(zip: Blob): Promise<readonly LocalFile[]> {
  const tail = await bytesOf(zip, Math.max(0, zip.size - END.bytes - END.comment), zip.size);
  const end = endOf(tail);
  const [entries, size, start] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)];
  if (IN_ZIP64.includes(entries) || IN_ZIP64.includes(size) || IN_ZIP64.includes(start))
    throw new UnreadableFile('The zip is too large: it has more than 65,534 files, or is larger than 4 GiB.');
  const directory = await bytesOf(zip, start, start + size);
  const files: LocalFile[] = [];
  for (let at = 0, index = 0; index < entries; index += 1) {
    const { entry, next } = entryAt(directory, at);
    at = next;
    if (!entry.name.endsWith('/')) files.push({ name: entry.name, bytes: entry.bytes, read: () => unpack(zip, entry) });
    if (files.length > MOST_FILES) throw new UnreadableFile(`The zip has more than ${MOST_FILES.toLocaleString()} files.`);
  }
  return files;
}

function endOf(tail: DataView): DataView {
  for (let at = tail.byteLength - END.bytes; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END.signature) continue;
    const view = new DataView(tail.buffer, at);
    if (view.getUint16(20, true) === view.byteLength - END.bytes) return view;
  }
  throw new UnreadableFile('This is not a zip file, or only a part of one.');
}

function entryAt(directory: DataView, at: number): { readonly entry: Entry; readonly next: number } {
  if (at + ENTRY.bytes > directory.byteLength || directory.getUint32(at, true) !== ENTRY.signature) throw damaged();
  const short = (offset: number) => directory.getUint16(at + offset, true);
  const long = (offset: number) => directory.getUint32(at + offset, true);
  const [nameBytes, extraBytes, commentBytes] = [short(28), short(30), short(32)];
  const nameAt = at + ENTRY.bytes;
  if (nameAt + nameBytes > directory.byteLength) throw damaged();
  const name = nameOf(new Uint8Array(directory.buffer, directory.byteOffset + nameAt, nameBytes), (short(8) & UTF8) !== 0);
  if ((short(8) & ENCRYPTED) !== 0) throw new UnreadableFile(`${name}: encrypted. Make a zip without a password.`);
  const method = short(10);
  if (method !== STORED && method !== DEFLATED)
    throw new UnreadableFile(`${name}: packed by a method that browsers can't unpack. Choose the files instead.`);
  // The upper half is the Unix mode, whose upper four bits are the type; 10 is a symbolic link.
  if (long(38) >>> 28 === 10) throw new UnreadableFile(`${name}: a symbolic link. Put the file itself into the zip.`);
  const entry = { name, method, crc: long(16), packedBytes: long(20), bytes: long(24), offset: long(42) };
  if ([entry.packedBytes, entry.bytes, entry.offset].some((value) => value === 0xffffffff)) throw new UnreadableFile(`${name}: larger than 4 GiB.`);
  return { entry, next: nameAt + nameBytes + extraBytes + commentBytes };
}

/** Decodes a name as UTF-8 if possible: many tools write UTF-8 without saying so, and other encodings are rarely valid UTF-8. */
function nameOf(bytes: Uint8Array, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : CODE_PAGE_437[byte - 0x80])).join('');
  }
}

async function unpack(zip: Blob, { name, bytes, packedBytes, method, crc, offset }: Entry): Promise<Blob> {
  const header = await bytesOf(zip, offset, offset + LOCAL.bytes);
  if (header.byteLength < LOCAL.bytes || header.getUint32(0, true) !== LOCAL.signature) throw damaged(name);
  const start = offset + LOCAL.bytes + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = zip.slice(start, start + packedBytes).stream();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let sum = CRC_START;
  const reader = (method === STORED ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw'))).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > bytes) throw damaged(name);
      sum = addToCrc(sum, value);
      chunks.push(value);
    }
  } catch (cause) {
    await reader.cancel().catch(() => {});
    throw cause instanceof UnreadableFile ? cause : damaged(name, cause);
  }
  if (size !== bytes || (sum ^ CRC_START) >>> 0 !== crc) throw damaged(name);
  return new Blob(chunks);
}

async function bytesOf(zip: Blob, start: number, end: number): Promise<DataView> {
  try {
    return new DataView(await zip.slice(start, end).arrayBuffer());
  } catch (cause) {
    throw new UnreadableFile("The zip can't be read any more. Choose it again.", { cause });
  }
}

function damaged(name = 'The zip', cause?: unknown): UnreadableFile {
  return new UnreadableFile(`${name}: damaged. Make the zip again.`, { cause });
}

const CRC_START = 0xffffffff;
/** The table for CRC-32 with the polynomial from APPNOTE 4.4.7, a byte at a time. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function addToCrc(crc: number, bytes: Uint8Array): number {
  let sum = crc;
  for (const byte of bytes) sum = (CRC_TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return sum;
}
