// The rules for new passwords, with the list of the most common ones, which is read when the first password is chosen.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createBulkhead, type Share } from '../../core/bulkhead.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import { checkShares, type SignInAttempt, type SignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { passwordProblem, type User } from '../../core/identity/user.ts';
import type { Awaitable } from '../../core/ports.ts';
import type { SignInLog } from './sign-in-log.ts';

let common: ReadonlySet<string> | undefined;

/** Returns the same problems as `passwordProblem`, and one for the 10,000 most common passwords of 12 characters or more. */
export function newPasswordProblem(password: string, email: string): string | undefined {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));
  const known = common;
  return passwordProblem(password, email, (text) => known.has(text));
}

// Hashes passwords with scrypt (RFC 7914), in the process's pool of four threads, which file reads also use. At most two hashes run at a time, and
// only one on fewer than three cores, which leaves threads for files and a core for requests. Work that would wait too long is refused immediately.

/** scrypt's parameters (RFC 7914, section 2), and its memory limit in bytes. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}

/** 32 MiB and about 50 ms: OWASP's recommendation for scrypt. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number, options: PasswordCost) => Promise<Buffer>;

/** Shared by all user stores of the process, like the thread pool. */
const bulkhead = createBulkhead({ concurrent: Math.min(2, Math.max(1, availableParallelism() - 1)), queued: 16 });

/** A hash that matches no password. It is checked if the user does not exist, so that the response takes equally long. */
const NO_PASSWORD = `${'0'.repeat(2 * SALT_BYTES)}$${'0'.repeat(2 * KEY_BYTES)}`;

/**
 * Checks whether the password is right; takes as long if the user does not exist. @param cost the cost with which the stored hash was made
 * @param stored result of `hashPassword`; undefined if there is no such user. If it is a promise, awaiting it counts against the shares
 * @returns 'busy' if too many checks are waiting or a share is used up; nothing was checked
 */
export async function checkPassword(
  password: string,
  stored: Awaitable<string | undefined>,
  shares: readonly Share[],
  cost: PasswordCost,
): Promise<boolean | 'busy'> {
  const checked = bulkhead.run(async () => {
    const [salt = '', expected = ''] = ((await stored) ?? NO_PASSWORD).split('$');
    const key = await derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, cost);
    return timingSafeEqual(key, Buffer.from(expected, 'hex'));
  }, shares);
  if (checked !== undefined) return checked;
  await stored;
  return 'busy';
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

// Checks a user's password, within limits that prevent guessing, and records failed attempts.

/** After this time, all password checks that are waiting now will have finished. */
export const BUSY_SECONDS = 5;

export interface PasswordAttempt extends SignInAttempt {
  readonly password: string;
  /** The user with this name, if there is one. */
  readonly userId: string | undefined;
  /** The browser in words. */
  readonly agent: string;
}

/** The user, or `wrong`. If the password was not checked, `busy` because too many are being checked, or how long to wait. */
export type PasswordOutcome = User | 'wrong' | 'busy' | { readonly retryAfterSeconds: number };

/** Whether the password was right. */
export function isRight(outcome: PasswordOutcome): outcome is User {
  return typeof outcome === 'object' && 'email' in outcome;
}

export interface PasswordCheckOptions {
  readonly users: Pick<UserStore, 'check'>;
  readonly throttle: SignInThrottle;
  readonly log: SignInLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the check. If it rejects with StoreFault, nothing is counted. */
export function createPasswordCheck({ users, throttle, log, clock }: PasswordCheckOptions) {
  return async ({ password, userId, agent, ...asked }: PasswordAttempt): Promise<PasswordOutcome> => {
    const decision = throttle.begin(asked, clock());
    const attempted = { userId, agent, address: asked.address, method: 'password' } as const;
    if (!decision.allowed) {
      log.unsuccessful({ ...attempted, action: 'sign_in.refused' });
      return decision;
    }
    const { attempt } = decision;
    const found = await users.check(asked.name, password, checkShares(attempt)).catch((error) => {
      throttle.takeBack(attempt);
      throw error;
    });
    if (found === 'busy') {
      throttle.takeBack(attempt);
      return 'busy';
    }
    if (found === undefined) {
      throttle.failed(attempt);
      log.unsuccessful({ ...attempted, action: 'sign_in.failed' });
      return 'wrong';
    }
    throttle.succeeded(attempt);
    return found;
  };
}
