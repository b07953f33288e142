// All records of an installation, kind by kind, for moving it here. Kinds and their columns have the same names as the tables and their columns.

import type { ColumnType, RecordKindName, RecordStore, RecordValue, StoredRecord } from 'petstore-platform/stores';
import { RECORD_KINDS } from 'petstore-platform/stores';
import { type Database, durably, type Transaction, type Value } from './database.ts';

/** Records per page; some kinds have records of several kilobytes. */
const PAGE = 1_000;
/** Kinds that have records only in an installation that has been used. */
const USED: readonly RecordKindName[] = ['accounts', 'users', 'projects', 'pets'];

/** Audit log entries can be deleted only after 400 days. */
export const KEPT_FOR_400_DAYS = ' AND at <= extract(epoch FROM now()) * 1000 - 34560000000';

const CASTS: Readonly<Record<ColumnType, (value: string) => string>> = {
  text: (value) => value,
  integer: (value) => `${value}::bigint`,
  flag: (value) => `${value}::boolean`,
  bytes: (value) => `decode(${value}, 'base64')`,
  texts: (value) => `CASE WHEN ${value} IS NULL THEN NULL ELSE ARRAY (SELECT jsonb_array_elements_text(${value}::jsonb)) END`,
};

/** Creates the store. */
export function createRecordStore(database: Database): RecordStore {
  return {
    isEmpty: async () => {
      const found = USED.map((kind) => `EXISTS (SELECT FROM ${kind})`).join(' OR ');
      return (await database.query<{ used: boolean }>({ text: `SELECT ${found} AS used` }))[0]?.used === false;
    },
    page: async (kind, after) => {
      const { columns, keys } = namesOf(kind);
      const start = after === undefined ? '' : `WHERE (${keys.join(', ')}) > (${keys.map((_, index) => `$${index + 1}`).join(', ')})`;
      const selected = columns.map(({ name, type }) => (type === 'integer' ? `${name}::bigint` : name)).join(', ');
      const text = `SELECT ${selected} FROM ${kind} ${start} ORDER BY ${keys.join(', ')} LIMIT ${PAGE}`;
      const rows = await database.query<Readonly<Record<string, RecordValue>>>({ text }, (after?.slice(0, keys.length) ?? []) as Value[]);
      return rows.map((row) => columns.map(({ name }) => plain(row[name] ?? null)));
    },
    put: async (kind, records) => {
      const { columns, list } = namesOf(kind);
      const given = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
      const cast = columns.map(({ name, type }) => CASTS[type](name)).join(', ');
      const text = `INSERT INTO ${kind} (${list}) SELECT ${cast} FROM unnest(${given}) AS given (${list}) ON CONFLICT DO NOTHING`;
      await durably(database, async (transaction) => {
        // Deletes the old records first, so that a unique value that moves from one record on the page to another is never there twice.
        remove(transaction, kind, records);
        transaction.send({ text }, textsOf(records, columns.length));
      });
    },
    remove: (kind, records) => durably(database, async (transaction) => remove(transaction, kind, records)),
  };
}

function remove(transaction: Transaction, kind: RecordKindName, records: readonly StoredRecord[]): void {
  const { columns, keys } = namesOf(kind);
  const given = keys.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const cast = columns.slice(0, keys.length).map(({ name, type }) => CASTS[type](name));
  const text = `DELETE FROM ${kind} WHERE (${keys.join(', ')}) IN (SELECT ${cast.join(', ')} FROM unnest(${given}) AS given (${keys.join(', ')}))${kind === 'audit' ? KEPT_FOR_400_DAYS : ''}`;
  transaction.send({ text }, textsOf(records, keys.length));
}

function namesOf(kind: RecordKindName) {
  const { columns, key } = RECORD_KINDS[kind];
  const names = columns.map(({ name }) => name);
  return { columns, keys: names.slice(0, key), list: names.join(', ') };
}

/** Returns the first columns of the records, each as an array of strings. */
function textsOf(records: readonly StoredRecord[], columns: number): readonly (readonly (string | null)[])[] {
  return Array.from({ length: columns }, (_, index) => records.map((record) => textOf(record[index] ?? null)));
}

function textOf(value: RecordValue): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Returns bytes instead of a buffer, which has its own JSON form. */
function plain(value: RecordValue): RecordValue {
  return Buffer.isBuffer(value) ? new Uint8Array(value) : value;
}
