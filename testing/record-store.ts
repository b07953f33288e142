// What every RecordStore must do.

import { expect } from 'expect';
import { DAY_MS } from '../core/limits/windows.ts';
import { type ColumnType, RECORD_KINDS, type RecordKindName, type RecordValue, type StoredRecord } from '../core/records/kinds.ts';
import type { RecordStore } from '../core/records/ports.ts';
import { compareKeys, type RecordTarget, synchronize } from '../core/records/synchronize.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

const KINDS = (Object.keys(RECORD_KINDS) as RecordKindName[]).filter((kind) => kind !== 'site_files') as Exclude<RecordKindName, 'site_files'>[];
/** Strings that sort differently by bytes, by code units, and in most languages. */
const TEXTS = ['Zoe', 'anna', 'émile', '\u{ff5e}', '\u{1f436} "\\ \' \n,{}'];

const VALUES: Readonly<Record<ColumnType, (n: number) => RecordValue>> = {
  text: (n) => TEXTS[n] ?? `text ${n}`,
  integer: (n) => [0n, 1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 62n][n] ?? BigInt(n),
  flag: (n) => n % 2 === 1,
  bytes: (n) => new Uint8Array([n, 0, 255]),
  texts: (n) => TEXTS.slice(0, n),
};

/** Declares the suite for an adapter. @param make returns an empty store; called for each test */
export function recordStoreContract(runner: TestFunction, make: Make<RecordStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'RecordStore contract', options, { setUp: make });

  test('records of each kind come back as they were stored, in the order of their keys, until they are removed', async (records) => {
    for (const kind of KINDS) {
      const page = async (after?: StoredRecord) => [kind, await records.page(kind, after)];
      const stored = samples(kind);
      expect(await page()).toEqual([kind, []]);
      await records.put(kind, stored.toReversed());
      expect(await page()).toEqual([kind, stored]);
      expect(await page(stored[0])).toEqual([kind, stored.slice(1)]);
      expect(await page(stored.at(-1))).toEqual([kind, []]);
      // Storing the same records again changes nothing; records with other values are replaced.
      await records.put(kind, stored);
      if (kind === 'audit') continue;
      const { key } = RECORD_KINDS[kind];
      const changed = stored.map((record, n) => [...record.slice(0, key), ...(stored[(n + 1) % stored.length] ?? record).slice(key)]);
      await records.put(kind, changed);
      expect(await page()).toEqual([kind, changed]);
      await records.remove(kind, stored.slice(1));
      expect(await page()).toEqual([kind, changed.slice(0, 1)]);
    }
  });

  test('audit log entries stay unchanged for 400 days, and can be removed after that', async (records) => {
    const entry = (id: string, at: number, action: string): StoredRecord => [id, BigInt(at), null, action, 'subject', '{}', null];
    const now = Date.now();
    const [old, recent] = [entry('aud_1', now - 401 * DAY_MS, 'key.issued'), entry('aud_2', now - 399 * DAY_MS, 'key.issued')];
    await records.put('audit', [old, recent]);
    await records.put('audit', [entry('aud_2', now, 'key.revoked')]);
    expect(await records.page('audit')).toEqual([old, recent]);
    await records.remove('audit', [old, recent]);
    expect(await records.page('audit')).toEqual([recent]);
  });

  test('is empty until there are accounts, users, projects or animals', async (records) => {
    expect(await records.isEmpty()).toBe(true);
    for (const kind of ['accounts', 'users', 'projects', 'pets'] as const) {
      await records.put(kind, samples(kind));
      expect(await records.isEmpty()).toBe(false);
      await records.remove(kind, samples(kind));
      expect(await records.isEmpty()).toBe(true);
    }
  });

  test('reads and compares all records, even if they don’t fit on one page', async (records) => {
    const animals = Array.from({ length: 2_500 }, (_, n) =>
      RECORD_KINDS.pets.columns.map(({ type }, column) => (column === 0 ? BigInt(n) : VALUES[type](1))),
    );
    const target: RecordTarget = {
      page: (after) => records.page('pets', after),
      put: (put) => records.put('pets', put),
      remove: (removed) => records.remove('pets', removed),
    };
    expect(await synchronize('pets', animals, target)).toMatchObject({ records: 2_500, written: 2_500, removed: 0 });
    expect(await synchronize('pets', animals.slice(1), target)).toMatchObject({ records: 2_499, written: 0, removed: 1 });
    const last = await synchronize('pets', animals.slice(1), target);
    expect([last.written, last.removed, last.target]).toEqual([0, 0, last.source]);
  });

  test('a second domain that has proved the same host is left out, and stored once the first has released it', async (records) => {
    const [one, other] = samples('domains') as [StoredRecord, StoredRecord];
    const proved = RECORD_KINDS.domains.columns.findIndex(({ name }) => name === 'proved_host');
    const rival = other.map((value, column) => (column === proved ? (one[proved] ?? null) : value));
    await records.put('domains', [one]);
    await records.put('domains', [rival]);
    expect(await records.page('domains')).toEqual([one]);
    const without = one.map((value, column) => (column === proved ? null : value));
    await records.put(
      'domains',
      [rival, without].sort((a, b) => compareKeys('domains', a, b)),
    );
    expect(await records.page('domains')).toEqual([without, rival].sort((a, b) => compareKeys('domains', a, b)));
  });
}

/** Returns records in the order of their keys. */
function samples(kind: Exclude<RecordKindName, 'site_files'>): readonly StoredRecord[] {
  const { columns } = RECORD_KINDS[kind];
  // This kind has at most one record.
  const count = kind === 'outbox_open' ? 1 : TEXTS.length;
  const records = Array.from({ length: count }, (_, n) => columns.map(({ type }) => VALUES[type](kind === 'outbox_open' ? 1 : n)));
  return records.sort((one, other) => compareKeys(kind, one, other));
}
