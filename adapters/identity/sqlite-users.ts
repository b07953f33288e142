// Users of the embedded service, with their passwords as scrypt leaves them (RFC 7914).

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type RandomBytes, randomBase62 } from '../../core/access/base62.ts';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
}

export interface UserStore {
  /** False if the address is taken. */
  add(user: User, password: string): Promise<boolean>;
  get(id: string): User | undefined;
  byEmail(email: string): User | undefined;
  list(): readonly User[];
  /** The user, if the password is right. Takes as long for an address that nobody has. */
  check(email: string, password: string): Promise<User | undefined>;
  setPassword(id: string, password: string): Promise<void>;
}

/** 32 MiB and some 50 ms: OWASP's recommendation for scrypt. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify(scrypt) as (password: string, salt: Buffer, length: number, options: typeof COST) => Promise<Buffer>;

const ID_LENGTH = 16;

export function newUserId(random: RandomBytes): string {
  return `usr_${randomBase62(ID_LENGTH, random)}`;
}

interface Row extends User {
  readonly password: string;
}

export function createSqliteUserStore(database: DatabaseSync): UserStore {
  const insert = database.prepare('INSERT INTO users (id, email, password) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const select = prepareSelect<User>(database, 'SELECT id, email FROM users WHERE id = ?');
  const selectByEmail = prepareSelect<Row>(database, 'SELECT id, email, password FROM users WHERE email = ?');
  const selectAll = prepareSelect<User>(database, 'SELECT id, email FROM users ORDER BY email');
  const update = database.prepare('UPDATE users SET password = ? WHERE id = ?');
  return {
    add: async ({ id, email }, password) => {
      const stored = await hash(password);
      return guarded(() => insert.run(id, email.toLowerCase(), stored).changes === 1);
    },
    get: (id) => guarded(() => select.one(id)),
    byEmail: (email) => guarded(() => withoutPassword(selectByEmail.one(email.toLowerCase()))),
    list: () => guarded(() => selectAll.all()),
    check: async (email, password) => {
      const row = guarded(() => selectByEmail.one(email.toLowerCase()));
      const [salt = '', expected = ''] = (row?.password ?? `${'0'.repeat(2 * SALT_BYTES)}$${'0'.repeat(2 * KEY_BYTES)}`).split('$');
      const key = await derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, COST);
      return timingSafeEqual(key, Buffer.from(expected, 'hex')) ? withoutPassword(row) : undefined;
    },
    setPassword: async (id, password) => {
      const stored = await hash(password);
      guarded(() => void update.run(stored, id));
    },
  };
}

function withoutPassword(row: Row | undefined): User | undefined {
  return row && { id: row.id, email: row.email };
}

async function hash(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST);
  return `${salt.toString('hex')}$${key.toString('hex')}`;
}
