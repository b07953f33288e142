// API keys: petstore_<live|test>_<account><secret><checksum>, all base62 (GitHub's format). The checksum rejects typos and junk before any I/O. The
// key contains its account's id, so admission needs a single write. Only a SHA-256 digest is stored.

import { hash } from 'node:crypto';
import { ACCOUNT_ID_LENGTH, ACCOUNT_ID_PREFIX } from './account.ts';
import { CHECKSUM_LENGTH, hasChecksum, type RandomBytes, randomBase62, withChecksum } from './base62.ts';

/** `live` on stages with the production profile, `test` everywhere else, so that a key found in a log shows what it gives access to. */
export type KeyMode = 'live' | 'test';

/** 30 base62 characters: 178 bits. */
const SECRET_LENGTH = 30;
/** Both modes have four letters, so each part of a key is at a fixed position. */
const ACCOUNT_START = 'petstore_live_'.length;
const ACCOUNT_END = ACCOUNT_START + ACCOUNT_ID_LENGTH;
/** How many characters of the key's text a hint shows after the prefix, and how many at the end. */
const HINT_LENGTH = 4;
const KEY_PATTERN = new RegExp(`^petstore_(?:live|test)_[0-9A-Za-z]{${ACCOUNT_ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** The parts of a key's text. The text itself is not stored. */
export interface ParsedApiKey {
  readonly accountId: string;
  readonly digest: string;
}

/** Generates a key for the account. Its text is shown once and never stored. */
export function generateApiKey(mode: KeyMode, accountId: string, randomBytes: RandomBytes): string {
  return withChecksum(`petstore_${mode}_${accountId.slice(ACCOUNT_ID_PREFIX.length)}${randomBase62(SECRET_LENGTH, randomBytes)}`);
}

/** Parses a key; returns undefined if its format or checksum is wrong. Does not check whether the key exists. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  if (!KEY_PATTERN.test(text) || !hasChecksum(text)) return undefined;
  return { accountId: ACCOUNT_ID_PREFIX + text.slice(ACCOUNT_START, ACCOUNT_END), digest: digestOf(text) };
}

/** Returns a key's hint, which may be stored and shown: `petstore_live_8sK2…zFw9`. At least 154 of the secret's 178 bits stay unknown. */
export function hintOf(key: string): string {
  return `${key.slice(0, ACCOUNT_START + HINT_LENGTH)}…${key.slice(-HINT_LENGTH)}`;
}

/** Returns a key's SHA-256 digest, in base64url. A key with 178 random bits needs no slow hash. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** Returns a key's public id, derived from its digest: `key_<account><12 characters>`. Like the key, it contains the account. */
export function keyIdOf(accountId: string, digest: string): string {
  const tail = digest.slice(0, 12).replaceAll('-', '0').replaceAll('_', '1');
  return `key_${accountId.slice(ACCOUNT_ID_PREFIX.length)}${tail}`;
}

/** Returns the account id in a key id; undefined if the text is not a key id. */
export function accountIdOfKeyId(keyId: string): string | undefined {
  const match = /^key_([0-9A-Za-z]{10})[0-9A-Za-z]{12}$/.exec(keyId);
  return match === null ? undefined : ACCOUNT_ID_PREFIX + match[1];
}
