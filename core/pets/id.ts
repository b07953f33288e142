// Animal ids: milliseconds since an epoch, then 12 random bits. They need no coordination and sort by time; a conditional write makes them unique
// (docs/decisions/0004-dynamodb.md).

import { crc32 } from 'node:zlib';
import { PET_STATUSES, type PetStatus } from './fields.ts';

/** 2025-01-01T00:00:00Z, in milliseconds. The id space lasts until 2094. */
const PET_ID_EPOCH_MS = 1_735_689_600_000;

export const IDS_PER_MILLISECOND = 4096;

/** The largest id: 2^53 - 1, the largest integer that all JSON clients read exactly. */
export const MAX_PET_ID = Number.MAX_SAFE_INTEGER;

/**
 * Generates this process's next id: greater than `previous`, so that ids from one process sort in order of creation even when the clock steps back.
 *
 * @param previous this process's last id, 0 if none
 * @param now milliseconds since 1970
 * @param random an integer from 0 to 2^32 - 1
 */
export function nextPetId(previous: number, now: number, random: number): number {
  const milliseconds = Math.max(0, Math.floor(now) - PET_ID_EPOCH_MS);
  const candidate = milliseconds * IDS_PER_MILLISECOND + (random % IDS_PER_MILLISECOND);
  const id = candidate > previous ? candidate : previous + 1;
  return Math.min(Math.max(id, 1), MAX_PET_ID);
}

/** Parses a `petId` path parameter. @returns the id, or undefined if the text is not a positive integer that the service could have assigned */
export function parsePetId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

// Cursors: where the next page starts, and which filter applies. They are opaque to clients. 12 bytes in base64url are 16 characters without spare
// bits, so changing any character changes the bytes and fails the checksum.

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
