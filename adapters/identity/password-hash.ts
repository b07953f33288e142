// Passwords as scrypt leaves them (RFC 7914). It runs in the process's pool of four threads, which reading files needs too, and each takes a
// core: at most two at a time, and fewer than there are cores, leave threads for files and a core for requests. What would wait for longer
// than people do is refused at once.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { createBulkhead, type Share } from '../../core/bulkhead.ts';

/** 32 MiB and some 50 ms: OWASP's recommendation for scrypt. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number, options: typeof COST) => Promise<Buffer>;

/** Of the whole process, however many stores of users it opens: the pool is the process's too. */
const bulkhead = createBulkhead({ concurrent: Math.min(2, Math.max(1, availableParallelism() - 1)), queued: 16 });

/** What no password gives: it is checked when there is no user, so that this takes as long. */
const NO_PASSWORD = `${'0'.repeat(2 * SALT_BYTES)}$${'0'.repeat(2 * KEY_BYTES)}`;

/**
 * Is it the password? Takes as long without a hash.
 *
 * @param stored what `hashPassword` gave; undefined: there is no such user
 * @param shares that the check counts for
 * @returns 'busy' if too many wait already, or a share is used up: nothing was checked
 */
export async function isPassword(password: string, stored: string | undefined, shares: readonly Share[]): Promise<boolean | 'busy'> {
  const [salt = '', expected = ''] = (stored ?? NO_PASSWORD).split('$');
  const key = bulkhead.run(() => derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, COST), shares);
  return key === undefined ? 'busy' : timingSafeEqual(await key, Buffer.from(expected, 'hex'));
}

/** For an operator's commands. @throws Error if too many wait already */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = bulkhead.run(() => derive(password.normalize('NFKC'), salt, KEY_BYTES, COST));
  if (key === undefined) throw new Error('too many passwords are being checked; try again');
  return `${salt.toString('hex')}$${(await key).toString('hex')}`;
}
