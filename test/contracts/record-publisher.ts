// What every RecordPublisher must do.

import { beforeEach, describe, expect, test } from 'vitest';
import type { NeededRecord, RecordPublisher } from '../../core/domains/ports.ts';

export interface PublisherWorld {
  readonly publisher: RecordPublisher;
  /** The account that owns the zone. */
  readonly owner: string;
  /** A zone that the owner has, without records. */
  readonly zone: string;
  /** A host in another account's zone. */
  readonly foreign: string;
  /** A host in no zone that the publisher manages. */
  readonly elsewhere: string;
  /** All existing records, as `TXT name value`, sorted. For an ALIAS, only the name: its target depends on the provider. */
  records(): readonly string[];
  /** Sets a record without using the publisher. */
  set(type: 'A' | 'CNAME' | 'TXT', name: string, value: string): Promise<void>;
  /** Makes the provider refuse records with this name until the returned function is called. */
  refuse(name: string): () => void;
}

const TTL = 3_600;
const TARGET = 'x.edge.platform.dev';

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function recordPublisherContract(name: string, makeWorld: () => Promise<PublisherWorld>): void {
  describe(`RecordPublisher contract: ${name}`, () => {
    let world: PublisherWorld;
    let host: string;
    let cname: NeededRecord;
    let apex: readonly NeededRecord[];
    /** The records that exist before anything is published. */
    let before: readonly string[];

    beforeEach(async () => {
      world = await makeWorld();
      host = `www.${world.zone}`;
      cname = { type: 'CNAME', name: host, value: TARGET, ttl: TTL };
      apex = [
        { type: 'ALIAS', name: world.zone, value: TARGET, ttl: TTL },
        { type: 'TXT', name: `_petstore.${world.zone}`, value: 'petstore-project=x', ttl: TTL },
      ];
      before = world.records();
    });

    const publish = (records: readonly NeededRecord[], account = world.owner) => world.publisher.publish(account, world.zone, records);
    const withdraw = (records: readonly NeededRecord[], account = world.owner) => world.publisher.withdraw(account, world.zone, records);
    const added = () => world.records().filter((line) => !before.includes(line));

    test('sets all of the records, and can be repeated', async () => {
      for (let times = 0; times < 2; times += 1) {
        expect(await publish([cname])).toEqual({ kind: 'published' });
        expect(added()).toEqual([`CNAME ${host} ${TARGET}`]);
      }
      for (let times = 0; times < 2; times += 1) {
        expect(await world.publisher.publish(world.owner, world.zone, apex)).toEqual({ kind: 'published' });
        expect(added()).toEqual([`ALIAS ${world.zone}`, `CNAME ${host} ${TARGET}`, `TXT _petstore.${world.zone} petstore-project=x`]);
      }
    });

    test('sets records once, even in concurrent calls', async () => {
      expect(await Promise.all([publish(apex), publish(apex)])).toEqual([{ kind: 'published' }, { kind: 'published' }]);
      expect(added()).toEqual([`ALIAS ${world.zone}`, `TXT _petstore.${world.zone} petstore-project=x`]);
    });

    test('adds TXT values to existing ones, and to each other', async () => {
      const name = `_petstore.${world.zone}`;
      await world.set('TXT', name, 'other');
      const texts = ['one', 'two'].map((value) => ({ type: 'TXT', name, value, ttl: TTL }) as const);
      expect(await publish(texts)).toEqual({ kind: 'published' });
      expect(added()).toEqual(['one', 'other', 'two'].map((value) => `TXT ${name} ${value}`));
    });

    test("writes nothing to another account's zone", async () => {
      for (const other of [world.foreign, world.elsewhere]) {
        const record = { ...cname, name: other };
        expect(await world.publisher.publish(world.owner, other, [record])).toEqual({ kind: 'no_zone' });
        await world.publisher.withdraw(world.owner, other, [record]);
      }
      expect(await publish([cname])).toEqual({ kind: 'published' });
      expect(await publish([cname], 'acc_stranger')).toEqual({ kind: 'no_zone' });
      expect(added()).toEqual([`CNAME ${host} ${TARGET}`]);
    });

    test('manages the zones of the account, whatever is set there, and changes nothing', async () => {
      await world.set('A', host, '192.0.2.1');
      expect(await world.publisher.manages(world.owner, host)).toBe(true);
      expect(await world.publisher.manages(world.owner, world.zone)).toBe(true);
      for (const other of [world.foreign, world.elsewhere]) expect(await world.publisher.manages(world.owner, other)).toBe(false);
      expect(added()).toEqual([`A ${host} 192.0.2.1`]);
    });

    test.each([
      ['an address in the way of a CNAME', 'A', '192.0.2.1', 'CNAME'],
      ['an address in the way of an ALIAS', 'A', '192.0.2.1', 'ALIAS'],
      ['another CNAME', 'CNAME', 'old.host.dev', 'CNAME'],
      ['a CNAME in the way of an ALIAS', 'CNAME', 'old.host.dev', 'ALIAS'],
      ['a CNAME in the way of a text', 'CNAME', 'old.host.dev', 'TXT'],
      ['a text in the way of a CNAME', 'TXT', 'hello', 'CNAME'],
    ] as const)('reports a conflict with %s, and writes none of the records', async (_what, type, value, needed) => {
      await world.set(type, host, value);
      const others = apex.map((record) => ({ ...record, name: `other.${record.name}` }));
      const result = await publish([...others, { ...cname, type: needed }]);
      expect(result).toEqual({ kind: 'conflict', seen: expect.stringContaining(`${host} has ${type}`) });
      expect(result).toMatchObject({ seen: expect.stringContaining(value) });
      expect(added()).toEqual([`${type} ${host} ${value}`]);
    });

    test.each([0, 1])('sets none of the records if one of them can’t be written (%i)', async (index) => {
      const allow = world.refuse(String(apex[index]?.name));
      await expect(publish(apex)).rejects.toThrow();
      expect(added()).toEqual([]);
      allow();
      expect(await publish(apex)).toEqual({ kind: 'published' });
      expect(added()).toHaveLength(2);
    });

    test('withdraws the records that it has set, and can be repeated', async () => {
      const records = [cname, ...apex];
      await publish(records);
      for (let times = 0; times < 2; times += 1) {
        await withdraw(records);
        expect(added()).toEqual([]);
      }
    });

    test('withdraws no record that has another value or belongs to another account', async () => {
      const [, text] = apex as [NeededRecord, NeededRecord];
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
  });
}
