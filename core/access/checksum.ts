// The checksum at the end of keys and tokens: typos and junk are refused before any I/O, and scanners for leaked secrets find no false ones.

import { crc32 } from 'node:zlib';
import { toBase62 } from './base62.ts';

/** Base62 characters. */
export const CHECKSUM_LENGTH = 6;

/** Returns the text with its checksum. */
export function withChecksum(text: string): string {
  return text + toBase62(crc32(text), CHECKSUM_LENGTH);
}

/** Whether the text ends with its checksum. */
export function hasChecksum(text: string): boolean {
  return text.length > CHECKSUM_LENGTH && text === withChecksum(text.slice(0, -CHECKSUM_LENGTH));
}
