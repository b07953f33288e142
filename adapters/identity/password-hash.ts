// Hashes passwords with scrypt (RFC 7914). Hashing runs in the process's pool of four threads, which file reads also use, and each hash occupies a
// core. At most two run at a time, and fewer than there are cores, which leaves threads for files and a core for requests. Work that would have to
// wait longer than people do is refused immediately.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { createBulkhead, type Share } from '../../core/bulkhead.ts';

/** scrypt's parameters (RFC 7914, section 2), and the bytes of memory that it may take. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}

/** 32 MiB and some 50 ms: OWASP's recommendation for scrypt. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number, options: PasswordCost) => Promise<Buffer>;

/** Shared by all user stores of the process, like the thread pool. */
const bulkhead = createBulkhead({ concurrent: Math.min(2, Math.max(1, availableParallelism() - 1)), queued: 16 });

/** A hash that matches no password. It is checked if the user does not exist, so that the response takes equally long. */
const NO_PASSWORD = `${'0'.repeat(2 * SALT_BYTES)}$${'0'.repeat(2 * KEY_BYTES)}`;

/**
 * Whether the password is right. Takes the same time for a user who does not exist.
 *
 * @param stored result of `hashPassword`; undefined if there is no such user
 * @param shares the shares that this check uses
 * @param cost what the stored hash was made with
 * @returns 'busy' if too many checks are waiting or a share is used up; nothing was checked
 */
export async function checkPassword(
  password: string,
  stored: string | undefined,
  shares: readonly Share[],
  cost: PasswordCost,
): Promise<boolean | 'busy'> {
  const [salt = '', expected = ''] = (stored ?? NO_PASSWORD).split('$');
  const key = bulkhead.run(() => derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, cost), shares);
  return key === undefined ? 'busy' : timingSafeEqual(await key, Buffer.from(expected, 'hex'));
}

/** Too many checks are waiting: the password was not hashed. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}

/** Hashes a new password. @throws PasswordsBusy */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = bulkhead.run(() => derive(password.normalize('NFKC'), salt, KEY_BYTES, cost));
  if (key === undefined) throw new PasswordsBusy('too many passwords are being checked; try again');
  return `${salt.toString('hex')}$${(await key).toString('hex')}`;
}
