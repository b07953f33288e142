// What SQLite gives to be moved elsewhere.

import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { countRecords, type DatabaseKind, readRecords } from '../../../adapters/store/sqlite/records.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { importPets } from '../../../cli/pets/import.ts';
import { petFingerprint, petJson } from '../../../core/pets/pet.ts';
import { RECORD_KINDS, type RecordKindName } from '../../../core/records/kinds.ts';
import { compareKeys } from '../../../core/records/synchronize.ts';
import { NOON, sampleAccount, samplePet } from '../../../testing/samples.ts';
import { testFolder } from '../../support/folders.ts';

const KINDS = (Object.keys(RECORD_KINDS) as RecordKindName[]).filter((kind) => kind !== 'site_files') as DatabaseKind[];
/** Tables whose rows are in records of another kind, and those that only this machine needs. */
const OTHER_TABLES = ['import_sources', 'imported_lines', 'domain_counts', 'heartbeat', 'settled_time', 'audit_end'];
/** What SQLite has in another form. `deleted_at`: rows of deleted accounts only keep references. */
const OTHER_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  accounts: ['deleted_at'],
  usage_history: ['block', 'counts'],
  invitation_days: ['account_id'],
};
const MADE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  usage_history: ['window_number', 'requests'],
  invitation_days: ['sender'],
  domains: ['account_id'],
};

test('each table and each column is moved, or named here as one that is not', () => {
  const { database, close } = openSqliteStores(testFolder());
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  expect(tables.map(({ name }) => name).sort()).toEqual([...KINDS, ...OTHER_TABLES].sort());
  for (const kind of KINDS) {
    const columns = database
      .prepare(`PRAGMA table_info(${kind})`)
      .all()
      .map(({ name }) => String(name));
    const moved = RECORD_KINDS[kind].columns.map(({ name }) => name as string);
    expect([kind, [...moved, ...(OTHER_COLUMNS[kind] ?? [])].sort()]).toEqual([kind, [...columns, ...(MADE_COLUMNS[kind] ?? [])].sort()]);
  }
  close();
});

test('each kind can be read and counted, and is in the order of its keys', async () => {
  const stores = openSqliteStores(testFolder());
  const { database } = stores;
  // A row or two in each table, with a value of each type.
  database.exec('PRAGMA foreign_keys = OFF');
  for (const kind of KINDS) {
    const columns = database.prepare(`PRAGMA table_info(${kind})`).all() as { name: string; type: string }[];
    for (const n of [2, 1]) {
      const lists = RECORD_KINDS[kind].columns.filter(({ type }) => type === 'texts').map(({ name }) => name as string);
      const sampleOf = ({ name, type }: { name: string; type: string }) => {
        if (name === 'id' && kind === 'outbox_open') return 1;
        if (name === 'deleted_at') return null;
        // Not JSON, as the others are.
        if (name === 'transports') return n === 1 ? 'internal hybrid' : '';
        if (name === 'counts') return `[[${n},5],[${n + 100},6]]`;
        if (kind === 'domains' && name === 'body') return '{"state":{"name":"live","until":1}}';
        if (name === 'project_id' && kind === 'domains') return 'id1';
        if (type === 'TEXT') return lists.includes(name) ? `["${name}"]` : `${name}${n}`;
        return type === 'BLOB' ? new Uint8Array([n, 255]) : n % 2;
      };
      const values = columns.map(sampleOf);
      database.prepare(`INSERT OR IGNORE INTO ${kind} VALUES (${columns.map(() => '?').join(', ')})`).run(...values);
    }
  }
  for (const kind of KINDS) {
    const records = [...readRecords(database, kind)];
    expect([kind, records.length]).toEqual([kind, countRecords(database, kind)]);
    expect([kind, records.length > 0]).toEqual([kind, true]);
    expect(records).toEqual(records.toSorted((one, other) => compareKeys(kind, one, other)));
    const types = { text: 'string', integer: 'bigint', flag: 'boolean', bytes: 'object', texts: 'object' } as const;
    for (const record of records)
      for (const [index, { name, type }] of RECORD_KINDS[kind].columns.entries())
        expect([kind, name, record[index] === null ? types[type] : typeof record[index]]).toEqual([kind, name, types[type]]);
  }
  expect([...readRecords(database, 'passkeys')].map((record) => record[5])).toEqual([['internal', 'hybrid'], []]);
  stores.close();
});

test('usage is counted by window; an account without requests has a record, and a deleted one has none', async () => {
  const stores = openSqliteStores(testFolder());
  const { database } = stores;
  for (const id of ['acc_1', 'acc_2']) await stores.accounts.createAccount({ ...sampleAccount(), id });
  await stores.accounts.createAccount({ ...sampleAccount(), id: 'acc_3' });
  await stores.accounts.deleteAccount('acc_3', NOON);
  database.exec(`INSERT INTO usage_history VALUES ('acc_1', 'minutes', 1, '[[61,5],[60,4]]'), ('acc_1', 'refused_days', 0, '[[7,1]]')`);
  expect([...readRecords(database, 'usage')]).toEqual([
    ['acc_1', null],
    ['acc_2', null],
  ]);
  expect([...readRecords(database, 'accounts')].map(([id]) => id)).toEqual(['acc_1', 'acc_2']);
  expect([...readRecords(database, 'usage_history')]).toEqual([
    ['acc_1', 'minute', 60n, 4n],
    ['acc_1', 'minute', 61n, 5n],
    ['acc_1', 'refused_day', 7n, 1n],
  ]);
  stores.close();
});

test('lines of an import and requests with a key are records of the same kind, with the fingerprint and the answer', async () => {
  const stores = openSqliteStores(testFolder());
  const pet = samplePet(7);
  const request = (owner: string) => ({ owner, key: 'k', fingerprint: petFingerprint(pet), expiresAt: NOON + 1 });
  await stores.pets.createAll(
    [
      { pet, idempotency: request('acc_1') },
      { pet: { ...pet, id: 8 }, idempotency: request('zzz') },
    ],
    NOON,
  );
  const { id: _, ...fields } = JSON.parse(petJson(pet));
  const content = Buffer.from(JSON.stringify(fields));
  const source = {
    name: 'a.jsonl',
    format: 'jsonl',
    sizeBytes: content.length,
    open: () => Readable.from([content]),
    close: async () => {},
  } as const;
  const context = { clock: () => NOON, err: () => {} } as Partial<CommandContext> as CommandContext;
  await importPets(stores.pets, source, { strict: false, context });
  const imported = (await stores.pets.list({ after: 8, status: undefined, limit: 1 }))[0];
  // The next import must not bring a removed animal back.
  await importPets(stores.pets, { ...source, name: 'b.jsonl' }, { strict: false, context });
  const removed = (await stores.pets.list({ after: 8, status: undefined, limit: 2 })).find(({ id }) => id !== imported?.id);
  await stores.pets.remove(removed?.id ?? 0);
  const records = [...readRecords(stores.database, 'idempotency')];
  expect(records.map(([owner, , fingerprint, answer]) => [owner, fingerprint, answer])).toEqual([
    ['acc_1', petFingerprint(pet), petJson(pet)],
    ['import#a.jsonl', petFingerprint(pet).slice(0, 27), imported && petJson(imported)],
    ['import#b.jsonl', petFingerprint(pet).slice(0, 27), expect.stringContaining(`{"id":${removed?.id},"name":"removed"`)],
    ['zzz', petFingerprint(pet), petJson({ ...pet, id: 8 })],
  ]);
  stores.close();
});
