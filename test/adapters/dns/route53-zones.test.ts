// Route 53 zones and records that are not on the first page of a list.

import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { expect, test } from 'vitest';
import { createRoute53Publisher } from '../../../adapters/dns/route53-publisher.ts';
import { ACCOUNT_TAG, createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { MemoryAws } from '../../support/memory-aws.ts';

const NAME = 'www.shop.dev';
const tags = [{ Key: ACCOUNT_TAG, Value: 'acc_1' }];
const textOf = (Name: string, Value: string): ResourceRecordSet => ({ Name: `${Name}.`, Type: 'TXT', TTL: 60, ResourceRecords: [{ Value }] });
/** Weighted records: a name and type have one record set per weight. */
const weighted = Array.from({ length: 45 }, (_, n): ResourceRecordSet => {
  const address = { Value: `192.0.2.${n}` };
  return { Name: `${NAME}.`, Type: 'A', SetIdentifier: `server-${n}`, Weight: 1, TTL: 60, ResourceRecords: [address] };
});

test('the nearest zone is found on any page of the list, and only zones of the same registered domain are read', async () => {
  const aws = new MemoryAws();
  const names = ['dev', 'shop.dev', 'a.dev', 'b.dev', 'a.shop.dev', 'www.shop.dev', 'x.www.shop.dev', 'shop.dev.other.org', 'shop2.dev', 'z.dev'];
  for (const name of names) aws.zones.set(`Z${aws.zones.size}`, { name, tags, records: [] });
  const { zoneOf } = createRoute53Zones(aws.route53);
  expect(await zoneOf(NAME)).toEqual({ id: 'Z5', name: 'www.shop.dev', accountId: 'acc_1' });
  // Two zones are on a page of the model, 100 on one of Route 53.
  expect(aws.log).toEqual(['ListHostedZonesByName', 'ListHostedZonesByName', 'ListHostedZonesByName', 'ListTagsForResource']);
  expect(await zoneOf('deep.below.a.shop.dev')).toMatchObject({ name: 'a.shop.dev' });
  expect(await zoneOf('shop.dev')).toMatchObject({ name: 'shop.dev' });
  aws.log.length = 0;
  expect(await zoneOf('www.nobody.dev')).toBeUndefined();
  expect(aws.log).toEqual(['ListHostedZonesByName']);
});

test('private zones are passed over, however many have the same name', async () => {
  const aws = new MemoryAws();
  for (let n = 0; n < 5; n += 1) aws.zones.set(`Z${n}`, { name: 'shop.dev', isPrivate: true, tags, records: [] });
  aws.zones.set('Z9', { name: 'shop.dev', tags, records: [] });
  expect(await createRoute53Zones(aws.route53).zoneOf(NAME)).toMatchObject({ id: 'Z9' });
});

test('only the given zones are used, also if one above them or below them is another', async () => {
  const aws = new MemoryAws();
  for (const [id, name] of [
    ['Z1', 'shop.dev'],
    ['Z2', 'www.shop.dev'],
    ['Z3', 'other.dev'],
  ] as const)
    aws.zones.set(id, { name, tags, records: [] });
  const { zoneOf } = createRoute53Zones(aws.route53, ['Z1']);
  expect(await zoneOf('a.shop.dev')).toMatchObject({ id: 'Z1' });
  expect(await zoneOf('other.dev')).toBeUndefined();
  // Z2 is authoritative for it, so records in Z1 would have no effect.
  expect(await zoneOf(NAME)).toBeUndefined();
  // Nothing is asked about a zone that may not be used: the role may not read its tags.
  expect(aws.log.filter((operation) => operation === 'ListTagsForResource')).toHaveLength(1);
  aws.log.length = 0;
  expect(await createRoute53Zones(aws.route53, []).zoneOf('shop.dev')).toBeUndefined();
  expect(aws.log).toEqual([]);
});

test('all record sets of a name are read, across any number of pages, but none of the following names', async () => {
  const aws = new MemoryAws();
  const behind = Array.from({ length: 50 }, (_, n) => textOf(`h${n}.${NAME}`, '"behind"'));
  aws.zones.set('Z1', { name: 'shop.dev', tags, records: [...behind, textOf(NAME, '"theirs"'), ...weighted, textOf('aaa.shop.dev', '"before"')] });
  const zone = { id: 'Z1', name: 'shop.dev', accountId: 'acc_1' };
  const found = await createRoute53Zones(aws.route53).recordsAt(zone, NAME);
  expect([found.length, new Set(found.map((set) => set.Name)), found.at(-1)?.Type]).toEqual([46, new Set([`${NAME}.`]), 'TXT']);
  expect(aws.log).toEqual(['ListResourceRecordSets', 'ListResourceRecordSets', 'ListResourceRecordSets']);
});

test("TXT values beyond the first page are kept when the owner's value is added", async () => {
  const aws = new MemoryAws();
  const records = [...weighted, textOf(NAME, '"theirs"')];
  aws.zones.set('Z1', { name: 'shop.dev', tags, records });
  const publisher = createRoute53Publisher(createRoute53Zones(aws.route53), async () => 'd1.cloudfront.net');
  await publisher.publish('acc_1', NAME, [{ type: 'TXT', name: NAME, value: 'ours', ttl: 60 }]);
  expect(records.find(({ Type }) => Type === 'TXT')?.ResourceRecords).toEqual([{ Value: '"theirs"' }, { Value: '"ours"' }]);
});
