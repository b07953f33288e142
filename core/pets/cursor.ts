// Cursors: where the next page starts, and for which filter. They are opaque to clients. 12 bytes in base64url are 16 characters without spare
// bits, so changing any character changes the bytes and fails the checksum.

import { crc32 } from 'node:zlib';
import { PET_STATUSES, type PetStatus } from './fields.ts';

const VERSION = 1;

export interface Cursor {
  /** The last id on the previous page. */
  readonly after: number;
  readonly status: PetStatus | undefined;
}

export type CursorResult = { readonly ok: true; readonly cursor: Cursor } | { readonly ok: false };

/** Encodes a cursor with its checksum. */
export function encodeCursor(cursor: Cursor): string {
  const bytes = Buffer.allocUnsafe(12);
  const filter = cursor.status === undefined ? 0 : PET_STATUSES.indexOf(cursor.status) + 1;
  bytes.writeUInt8(VERSION * 16 + filter, 0);
  bytes.writeUIntBE(Math.floor(cursor.after / 2 ** 32), 1, 3);
  bytes.writeUInt32BE(cursor.after % 2 ** 32, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes.toString('base64url');
}

/** Parses a cursor; `ok: false` for text that this service did not issue. */
export function decodeCursor(text: string): CursorResult {
  if (!/^[\w-]{16}$/.test(text)) return { ok: false };
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.readUInt32BE(8) !== crc32(bytes.subarray(0, 8))) return { ok: false };
  const head = bytes.readUInt8(0);
  const filter = head % 16;
  const after = bytes.readUIntBE(1, 3) * 2 ** 32 + bytes.readUInt32BE(4);
  if (Math.floor(head / 16) !== VERSION || filter > PET_STATUSES.length || !Number.isSafeInteger(after)) return { ok: false };
  return { ok: true, cursor: { after, status: filter === 0 ? undefined : PET_STATUSES[filter - 1] } };
}
