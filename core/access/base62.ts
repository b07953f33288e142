// Base62 text: letters and digits only, so that a double click selects a whole key.

import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns `length` cryptographically random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Generates random base62 text. Every character is equally likely: bytes of 248 and above are discarded. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Encodes a non-negative integer in base62, padded with zeros to `length` characters. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text.padStart(length, '0');
}

// The checksum at the end of keys and tokens: typos and junk are refused before any I/O, and secret scanners have no false positives.

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
