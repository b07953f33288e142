// All records of an installation in SQLite, kind by kind, to be moved to another installation.

import type { DatabaseSync } from 'node:sqlite';
import { PET_FIELD_LIST } from '../../../core/pets/fields.ts';
import { type Pet, petFromStored, petJson } from '../../../core/pets/pet.ts';
import { type ColumnType, RECORD_KINDS, type RecordKindName, type RecordValue, type StoredRecord } from '../../../core/records/kinds.ts';

/** The kinds stored in the database. */
export type DatabaseKind = Exclude<RecordKindName, 'site_files'>;

const PET_COLUMNS = PET_FIELD_LIST.map(({ column }) => `p.${column}`).join(', ');

/** The queries for kinds that need more than a select of all rows from the table with the same name and columns, sorted by key. */
const SELECTS: Readonly<Partial<Record<DatabaseKind, string>>> = {
  // A deleted account keeps its row while other rows refer to it.
  accounts: `${selectOf('accounts', 'accounts')} WHERE deleted_at IS NULL ORDER BY id`,
  // Other engines have a row for each account from its creation on.
  usage: 'SELECT a.id, u.windows FROM accounts a LEFT JOIN usage u ON u.account_id = a.id WHERE a.deleted_at IS NULL ORDER BY a.id',
  // Here, a row has the counts of many windows, and its kind is in the plural.
  usage_history: `SELECT account_id, rtrim(kind, 's') AS kind, counted.value ->> 0 AS window_number, counted.value ->> 1
    FROM usage_history, json_each(counts) AS counted ORDER BY account_id, rtrim(kind, 's'), window_number`,
  // Here, transports are separated by spaces.
  passkeys: `SELECT id, user_id, name, public_key, counter, CASE transports WHEN '' THEN '[]' ELSE '["' || replace(transports, ' ', '","') || '"]' END,
    created_at, used_at FROM passkeys ORDER BY id`,
  invitation_days: 'SELECT account_id, day, sent FROM invitation_days ORDER BY account_id',
  domains: `SELECT d.id, d.host, d.project_id, p.account_id, d.proved_host, d.active_host, d.wake_at, d.waited_for, d.changed_at, d.body
    FROM domains d JOIN projects p ON p.id = d.project_id ORDER BY d.id`,
};

/** Import lines are stored without the animal and its fingerprint, the start of the key (cli/pets/import.ts). Read by source, to avoid sorting. */
const IMPORT_SOURCES = 'SELECT name, group_concat(id) FROM import_sources GROUP BY name ORDER BY name';
const importedLines = (sources: string) => `SELECT l.line, s.expires_at, l.pet_id, p.id IS NOT NULL, ${PET_COLUMNS}
  FROM imported_lines l JOIN import_sources s ON s.id = l.source_id LEFT JOIN pets p ON p.id = l.pet_id
  WHERE l.source_id IN (${sources}) ORDER BY l.line, s.expires_at DESC`;
const REQUESTS = `${selectOf('idempotency', 'idempotency')} WHERE owner < 'import#' ORDER BY owner, key`;
const LATER_REQUESTS = `${selectOf('idempotency', 'idempotency')} WHERE owner >= 'import$' ORDER BY owner, key`;

/** Returns a kind's records in the order of their keys, one at a time. Within a read transaction, they are a consistent snapshot. */
export function* readRecords(database: DatabaseSync, kind: DatabaseKind): Generator<StoredRecord> {
  if (kind !== 'idempotency') return yield* recordsOf(database, kind, SELECTS[kind] ?? `${selectOf(kind, kind)} ORDER BY ${keyOf(kind)}`);
  yield* recordsOf(database, kind, REQUESTS);
  for (const [name = null, sources] of rowsOf(database, IMPORT_SOURCES)) {
    let last: string | undefined;
    for (const row of rowsOf(database, importedLines(String(sources)))) {
      const [line, expiresAt, id, isThere, ...fields] = row as [string, bigint, bigint, bigint, ...(string | bigint | null)[]];
      // A source that expired and was imported again may have two records for a line; the one that expires later counts.
      if (line === last) continue;
      last = line;
      const pet = isThere === 1n ? petFromStored(Number(id), (_, index) => fields[index] ?? null) : removedPet(Number(id));
      yield [name, line, line.split('#')[0] ?? '', petJson(pet), expiresAt];
    }
  }
  yield* recordsOf(database, kind, LATER_REQUESTS);
}

/** Returns a removed animal, of which only the id is left. Its import line is kept, so that the next import does not recreate it. */
function removedPet(id: number): Pet {
  return petFromStored(id, (field) => (field.kind === 'int64' ? 0n : field.kind === 'choice' ? (field.choices[0] ?? '') : 'removed'));
}

/** Returns how many records a kind has. */
export function countRecords(database: DatabaseSync, kind: DatabaseKind): number {
  const count = (sql: string) => Number(database.prepare(`SELECT count(*) AS records FROM (${sql})`).get()?.records);
  if (kind === 'usage_history')
    return Number(database.prepare('SELECT coalesce(sum(json_array_length(counts)), 0) AS n FROM usage_history').get()?.n);
  if (kind === 'idempotency') return count('SELECT 1 FROM idempotency') + count('SELECT 1 FROM imported_lines');
  return count(SELECTS[kind] ?? `SELECT 1 FROM ${kind}`);
}

function* recordsOf(database: DatabaseSync, kind: DatabaseKind, sql: string): Generator<StoredRecord> {
  const types = RECORD_KINDS[kind].columns.map(({ type }) => type);
  for (const row of rowsOf(database, sql)) yield row.map((value, index) => converted(value, types[index] ?? 'text'));
}

type StoredValue = string | bigint | Uint8Array | null;

function* rowsOf(database: DatabaseSync, sql: string): Generator<readonly StoredValue[]> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  yield* statement.iterate() as unknown as Iterable<readonly StoredValue[]>;
}

/** Converts values for which other engines have types; SQLite stores them as integers and JSON. */
function converted(value: StoredValue, type: ColumnType): RecordValue {
  if (value === null) return null;
  if (type === 'flag') return value === 1n;
  return type === 'texts' ? JSON.parse(value as string) : value;
}

function selectOf(kind: DatabaseKind, table: string): string {
  return `SELECT ${RECORD_KINDS[kind].columns.map(({ name }) => name).join(', ')} FROM ${table}`;
}

function keyOf(kind: DatabaseKind): string {
  const { columns, key } = RECORD_KINDS[kind];
  return columns
    .slice(0, key)
    .map(({ name }) => name)
    .join(', ');
}
