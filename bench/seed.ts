// Data folders for benchmarks: animals, and an account whose quota no run can use up.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FILE } from '../adapters/files/data-folder.ts';
import { openDatabase } from '../adapters/store/sqlite/database.ts';
import { openSqliteStores } from '../adapters/store/sqlite/stores.ts';
import { newAccountId } from '../core/access/account.ts';
import { issueKey } from '../core/access/keys.ts';
import { MAX_LIMIT, SCOPES } from '../core/access/plans.ts';
import type { AccountStore } from '../core/access/ports.ts';

export interface Seeded {
  readonly folder: string;
  readonly file: string;
  readonly key: string;
  remove(): void;
}

export const UNLIMITED = { perMinute: MAX_LIMIT, perDay: MAX_LIMIT };

/** An account with the largest quota, and its key. */
export async function makeBenchKey(accounts: AccountStore): Promise<string> {
  const id = newAccountId(randomBytes);
  const now = Date.now();
  await accounts.createAccount({ id, name: 'Bench', plan: 'enterprise', limits: UNLIMITED, createdAt: now });
  const issued = await issueKey(accounts, randomBytes, {
    mode: 'test',
    accountId: id,
    name: 'Bench',
    scopes: SCOPES,
    by: 'operator',
    expiresAt: undefined,
    now,
  });
  if (!issued.ok) throw new Error(issued.message);
  return issued.key;
}

/** Creates a data folder with this many animals. */
export async function seed(animals: number): Promise<Seeded> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const stores = openSqliteStores(folder);
  const key = await makeBenchKey(stores.accounts);
  stores.close();
  const database = openDatabase(folder, 'crash');
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO pets (id, name, category_id, status)
       SELECT n * 1000003, 'Animal number ' || n, n % 50, CASE n % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END FROM numbers`,
    )
    .run(animals);
  database.close();
  return { folder, file: join(folder, DATABASE_FILE), key, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
