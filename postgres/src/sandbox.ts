// Records of the sandbox's DNS.

import type { SandboxRecords } from 'petstore-platform';
import { type SandboxRecord, type StoredSandboxRecord, sandboxRecordChanged } from 'petstore-platform/stores';
import { type Connection, type Database, durably, lock, type Statement, type Transaction } from './database.ts';
import type { Log } from './log.ts';

type Row = SandboxRecord & { readonly ttl: bigint | number; readonly account_id: string | null };

const LIST: Statement = { text: 'SELECT name, type, value, ttl, account_id FROM sandbox_records ORDER BY name, type, value' };
const IN_ZONE: Statement = {
  text: `SELECT name, type, value, ttl, NULL AS account_id FROM sandbox_records WHERE name = $1 OR right(name, length($1) + 1) = '.' || $1
    ORDER BY name, type, value`,
};
const REMOVE_TYPE: Statement = { text: 'DELETE FROM sandbox_records WHERE name = $1 AND type = $2' };
const PUT: Statement = {
  text: `INSERT INTO sandbox_records (name, type, value, ttl, account_id) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (name, type, value) DO UPDATE SET ttl = excluded.ttl, account_id = excluded.account_id`,
};
const UNSET: Statement = {
  text: 'DELETE FROM sandbox_records WHERE name = $1 AND ($2::text IS NULL OR type = $2) AND ($3::text IS NULL OR value = $3) RETURNING name',
};

/** Creates the store. */
export function createSandboxRecords(database: Database, log: Log): SandboxRecords {
  const list = async (connection: Connection) => (await connection.query<Row>(LIST)).map(toRecord);
  const put = (transaction: Transaction, record: SandboxRecord, beside: boolean, accountId?: string) => {
    const { name, type, value, ttl } = record;
    if (!beside) transaction.send(REMOVE_TYPE, [name, type]);
    transaction.send(PUT, [name, type, value, ttl, accountId ?? null]);
    log.record(transaction, sandboxRecordChanged('sandbox_record.set', record, accountId));
  };
  const change: SandboxRecords['change'] = (decide) =>
    durably(database, async (transaction) => {
      await lock(transaction, ['sandbox']);
      const { result, set = [] } = decide(await list(transaction));
      for (const each of set) put(transaction, ...each);
      return result;
    });
  return {
    list: () => list(database),
    inZone: async (zone) => (await database.query<Row>(IN_ZONE, [zone])).map(toRecord),
    set: (record, beside, accountId) => change(() => ({ result: undefined, set: [[record, beside, accountId]] })),
    change,
    unset: (name, type, value) =>
      durably(database, async (transaction) => {
        const { length } = await transaction.query(UNSET, [name, type ?? null, value ?? null]);
        if (length > 0) log.record(transaction, sandboxRecordChanged('sandbox_record.removed', { name, type, value }));
        return length;
      }),
  };
}

function toRecord({ account_id, ttl, ...record }: Row): StoredSandboxRecord {
  return { ...record, ttl: Number(ttl), ...(account_id !== null && { accountId: account_id }) };
}
