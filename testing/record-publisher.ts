// What every RecordPublisher must do.

import { expect } from 'expect';
import type { NeededRecord, RecordPublisher } from '../core/domains/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface PublisherWorld {
  readonly publisher: RecordPublisher;
  /** The account that owns the zone. */
  readonly owner: string;
  /** A zone of the owner, without records. */
  readonly zone: string;
  /** A host in another account's zone. */
  readonly foreign: string;
  /** A host in a zone that the publisher does not manage. */
  readonly elsewhere: string;
  /** Returns all existing records, as `TXT name value`, sorted. ALIAS records have only the name, because the target depends on the provider. */
  records(): readonly string[];
  /** Sets a record without using the publisher. */
  set(type: 'A' | 'CNAME' | 'TXT', name: string, value: string): Promise<void>;
  /** Makes the provider refuse records with this name until the returned function is called. */
  refuse(name: string): () => void;
}

const TTL = 3_600;
const TARGET = 'x.edge.platform.dev';

/** Declares the suite for an adapter. @param make returns a publisher, and its provider with these zones; called for each test */
export function recordPublisherContract(runner: TestFunction, make: Make<PublisherWorld>, options: SuiteOptions = {}): void {
  async function setUp() {
    const world = await make();
    const host = `www.${world.zone}`;
    const cname: NeededRecord = { type: 'CNAME', name: host, value: TARGET, ttl: TTL };
    const apex = [
      { type: 'ALIAS', name: world.zone, value: TARGET, ttl: TTL },
      { type: 'TXT', name: `_petstore.${world.zone}`, value: 'petstore-project=x', ttl: TTL },
    ] as const satisfies readonly NeededRecord[];
    const before = world.records();
    return {
      ...{ world, host, cname, apex },
      publish: (records: readonly NeededRecord[], account = world.owner) => world.publisher.publish(account, world.zone, records),
      withdraw: (records: readonly NeededRecord[], account = world.owner) => world.publisher.withdraw(account, world.zone, records),
      added: () => world.records().filter((line) => !before.includes(line)),
    };
  }
  const test = contractSuite(runner, 'RecordPublisher contract', options, { setUp });

  test('sets all of the records, and can be repeated', async ({ world, host, cname, apex, publish, added }) => {
    for (let times = 0; times < 2; times += 1) {
      expect(await publish([cname])).toEqual({ kind: 'published' });
      expect(added()).toEqual([`CNAME ${host} ${TARGET}`]);
    }
    for (let times = 0; times < 2; times += 1) {
      expect(await world.publisher.publish(world.owner, world.zone, apex)).toEqual({ kind: 'published' });
      expect(added()).toEqual([`ALIAS ${world.zone}`, `CNAME ${host} ${TARGET}`, `TXT _petstore.${world.zone} petstore-project=x`]);
    }
  });

  test('sets records once, even in concurrent calls', async ({ world, apex, publish, added }) => {
    expect(await Promise.all([publish(apex), publish(apex)])).toEqual([{ kind: 'published' }, { kind: 'published' }]);
    expect(added()).toEqual([`ALIAS ${world.zone}`, `TXT _petstore.${world.zone} petstore-project=x`]);
  });

  test('adds TXT values to existing ones, and to each other', async ({ world, publish, added }) => {
    const name = `_petstore.${world.zone}`;
    await world.set('TXT', name, 'other');
    const texts = ['one', 'two'].map((value) => ({ type: 'TXT', name, value, ttl: TTL }) as const);
    expect(await publish(texts)).toEqual({ kind: 'published' });
    expect(added()).toEqual(['one', 'other', 'two'].map((value) => `TXT ${name} ${value}`));
  });

  test("writes nothing to another account's zone", async ({ world, host, cname, publish, added }) => {
    for (const other of [world.foreign, world.elsewhere]) {
      const record = { ...cname, name: other };
      expect(await world.publisher.publish(world.owner, other, [record])).toEqual({ kind: 'no_zone' });
      await world.publisher.withdraw(world.owner, other, [record]);
    }
    expect(await publish([cname])).toEqual({ kind: 'published' });
    expect(await publish([cname], 'acc_stranger')).toEqual({ kind: 'no_zone' });
    expect(added()).toEqual([`CNAME ${host} ${TARGET}`]);
  });

  test("manages the account's zones, whatever is set there, and changes nothing", async ({ world, host, added }) => {
    await world.set('A', host, '192.0.2.1');
    expect(await world.publisher.manages(world.owner, host)).toBe(true);
    expect(await world.publisher.manages(world.owner, world.zone)).toBe(true);
    for (const other of [world.foreign, world.elsewhere]) expect(await world.publisher.manages(world.owner, other)).toBe(false);
    expect(added()).toEqual([`A ${host} 192.0.2.1`]);
  });

  const conflicts = [
    ['an address in the way of a CNAME', 'A', '192.0.2.1', 'CNAME'],
    ['an address in the way of an ALIAS', 'A', '192.0.2.1', 'ALIAS'],
    ['another CNAME', 'CNAME', 'old.host.dev', 'CNAME'],
    ['a CNAME in the way of an ALIAS', 'CNAME', 'old.host.dev', 'ALIAS'],
    ['a CNAME in the way of a text', 'CNAME', 'old.host.dev', 'TXT'],
    ['a text in the way of a CNAME', 'TXT', 'hello', 'CNAME'],
  ] as const;
  for (const [what, type, value, needed] of conflicts)
    test(`reports a conflict with ${what}, and writes none of the records`, async ({ world, host, cname, apex, publish, added }) => {
      await world.set(type, host, value);
      const others = apex.map((record) => ({ ...record, name: `other.${record.name}` }));
      const result = await publish([...others, { ...cname, type: needed }]);
      expect(result).toEqual({ kind: 'conflict', seen: expect.stringContaining(`${host} has ${type}`) });
      expect(result).toMatchObject({ seen: expect.stringContaining(value) });
      expect(added()).toEqual([`${type} ${host} ${value}`]);
    });

  for (const index of [0, 1])
    test(`sets none of the records if one of them can’t be written (${index})`, async ({ world, apex, publish, added }) => {
      const allow = world.refuse(String(apex[index]?.name));
      await expect(publish(apex)).rejects.toThrow();
      expect(added()).toEqual([]);
      allow();
      expect(await publish(apex)).toEqual({ kind: 'published' });
      expect(added()).toHaveLength(2);
    });

  test('withdraws the records that it has set, and can be repeated', async ({ cname, apex, publish, withdraw, added }) => {
    const records = [cname, ...apex];
    await publish(records);
    for (let times = 0; times < 2; times += 1) {
      await withdraw(records);
      expect(added()).toEqual([]);
    }
  });

  test('withdraws no record that has another value or belongs to another account', async ({ world, cname, apex, publish, withdraw, added }) => {
    const [, text] = apex;
    await world.set('TXT', text.name, 'other');
    await publish([cname, text]);
    const all = added();
    await withdraw([
      { ...cname, value: 'old.host.dev' },
      { ...text, value: 'another' },
    ]);
    await withdraw([cname, text], 'acc_stranger');
    expect(added()).toEqual(all);
    await withdraw([cname, text]);
    expect(added()).toEqual([`TXT ${text.name} other`]);
  });
}
