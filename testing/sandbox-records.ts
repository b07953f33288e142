// What every SandboxRecords must do.

import { expect } from 'expect';
import type { SandboxRecords } from '../core/sandbox/ports.ts';
import type { SandboxRecord } from '../core/sandbox/records.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

const NAME = 'a.my-shop.test';

/** Declares the suite for an adapter. @param make returns empty records; called for each test */
export function sandboxRecordsContract(runner: TestFunction, make: Make<SandboxRecords>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'SandboxRecords contract', options, { setUp: make });
  const record = (type: SandboxRecord['type'], value: string, at = NAME): SandboxRecord => ({ name: at, type, value, ttl: 60 });

  test('a record replaces the records that have its name and type, or is added to them', async (records) => {
    await records.set(record('A', '192.0.2.1'), false);
    await records.set(record('A', '192.0.2.2'), true);
    await records.set(record('TXT', 'x'), false);
    await records.set(record('A', '192.0.2.9', 'b.my-shop.test'), false);
    expect(await records.inZone(NAME)).toEqual([record('A', '192.0.2.1'), record('A', '192.0.2.2'), record('TXT', 'x')]);
    await records.set(record('A', '192.0.2.3'), false);
    expect(await records.inZone(NAME)).toEqual([record('A', '192.0.2.3'), record('TXT', 'x')]);
    expect(await records.inZone('b.my-shop.test')).toEqual([record('A', '192.0.2.9', 'b.my-shop.test')]);
  });

  test('setting a record twice stores it once, as last set', async (records) => {
    await records.set(record('A', '192.0.2.1'), false, 'acc_1');
    await records.set({ ...record('A', '192.0.2.1'), ttl: 120 }, true, 'acc_2');
    expect(await records.list()).toEqual([{ ...record('A', '192.0.2.1'), ttl: 120, accountId: 'acc_2' }]);
  });

  test('each record belongs to its account', async (records) => {
    await records.set(record('A', '192.0.2.1'), false, 'acc_1');
    await records.set(record('TXT', 'x'), false);
    expect(await records.list()).toEqual([{ ...record('A', '192.0.2.1'), accountId: 'acc_1' }, record('TXT', 'x')]);
  });

  test('a zone contains its apex and the names below it, but no name that merely has the same ending', async (records) => {
    for (const at of [NAME, 'my-shop.test', 'xa.my-shop.test', 'other.test']) await records.set(record('A', '192.0.2.1', at), false);
    const namesIn = async (zone: string) => (await records.inZone(zone)).map((each) => each.name).toSorted();
    expect(await namesIn(NAME)).toEqual([NAME]);
    expect(await namesIn('my-shop.test')).toEqual([NAME, 'my-shop.test', 'xa.my-shop.test']);
    expect([await namesIn('shop.test'), await namesIn('nobody.test')]).toEqual([[], []]);
    expect(await records.list()).toHaveLength(4);
  });

  test('changes that depend on the present records take all of them into account, and are applied one at a time', async (records) => {
    const add = (n: number) =>
      records.change((present) => ({ result: present.length, set: present.length < 2 ? [[record('A', `192.0.2.${n}`), true, 'acc_1']] : [] }));
    const found = await Promise.all([add(1), add(2), add(3), add(4)]);
    expect([found.toSorted(), (await records.list()).length]).toEqual([[0, 1, 2, 2], 2]);
    expect(await records.change((present) => ({ result: present.map(({ accountId }) => accountId) }))).toEqual(['acc_1', 'acc_1']);
  });

  test('removal by name, by name and type, or by value returns the number of removed records', async (records) => {
    const fill = async () => {
      for (const each of [record('A', '192.0.2.1'), record('A', '192.0.2.2'), record('TXT', 'x')]) await records.set(each, true);
      await records.set(record('A', '192.0.2.1', 'b.my-shop.test'), false);
    };
    await fill();
    expect([await records.unset(NAME, 'A', '192.0.2.2'), await records.unset(NAME, 'A', '192.0.2.2')]).toEqual([1, 0]);
    expect(await records.inZone(NAME)).toEqual([record('A', '192.0.2.1'), record('TXT', 'x')]);
    await fill();
    expect([await records.unset(NAME, 'A'), await records.unset(NAME, 'AAAA')]).toEqual([2, 0]);
    await fill();
    expect([await records.unset(NAME), await records.unset(NAME)]).toEqual([3, 0]);
    expect(await records.list()).toEqual([record('A', '192.0.2.1', 'b.my-shop.test')]);
  });
}
