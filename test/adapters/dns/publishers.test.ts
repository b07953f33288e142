// Record publishers: Route 53, the sandbox, and both combined.

import { DatabaseSync } from 'node:sqlite';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { describe, expect, test } from 'vitest';
import { createDelegatedPublisher, createRoute53Publisher } from '../../../adapters/dns/route53-publisher.ts';
import { ACCOUNT_TAG, createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createSandboxPublisher, createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import type { NeededRecord, RecordPublisher } from '../../../core/domains/ports.ts';
import { firstPublisher } from '../../../core/domains/records.ts';
import { publishFor, publishRequestSchema } from '../../../service/workflow/attempt.ts';
import { type PublisherWorld, recordPublisherContract } from '../../../testing/record-publisher.ts';
import { MemoryAws } from '../../support/memory-aws.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

const OWNER = 'acc_1';

async function sandboxWorld(): Promise<PublisherWorld> {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const records = createSqliteSandboxRecords(database);
  await records.set({ name: 'www.theirs.test', type: 'TXT', value: 'theirs', ttl: 60 }, false, 'acc_2');
  return {
    publisher: createSandboxPublisher(records, 'test'),
    ...{ owner: OWNER, zone: 'shop.test', foreign: 'www.theirs.test', elsewhere: 'www.shop.dev' },
    records: () =>
      records
        .list()
        .map(({ type, name, value }) => (type === 'ALIAS' ? `ALIAS ${name}` : `${type} ${name} ${value}`))
        .toSorted(),
    set: (type, name, value) => records.set({ type, name, value, ttl: 60 }, true),
    refuse: (name) => {
      database.exec(
        `CREATE TRIGGER refuse BEFORE INSERT ON sandbox_records WHEN NEW.name = '${name}' BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
      );
      return () => database.exec('DROP TRIGGER refuse');
    },
  };
}

async function route53World(): Promise<PublisherWorld> {
  const aws = new MemoryAws();
  const sets: ResourceRecordSet[] = [];
  const tags = (account: string) => [{ Key: ACCOUNT_TAG, Value: account }];
  aws.zones.set('Z1', { name: 'shop.dev', tags: tags(OWNER), records: sets });
  // The nearest zone decides who owns a name: here, another account's zone below one of the owner's zones.
  aws.zones.set('Z2', { name: 'theirs.shop.dev', tags: tags('acc_2'), records: sets });
  return {
    publisher: createRoute53Publisher(createRoute53Zones(aws.route53), async () => 'd1.cloudfront.net'),
    ...{ owner: OWNER, zone: 'shop.dev', foreign: 'www.theirs.shop.dev', elsewhere: 'www.nobody.dev' },
    records: () => sets.flatMap(linesOf).toSorted(),
    set: async (Type, name, value) => {
      sets.push({ Name: `${name}.`, Type, TTL: 60, ResourceRecords: [{ Value: Type === 'TXT' ? `"${value}"` : value }] });
    },
    refuse: (name) => {
      aws.throttledRecord = name;
      return () => {
        aws.throttledRecord = undefined;
      };
    },
  };
}

/** An ALIAS consists of one record for IPv4 and one for IPv6; it is listed once if both are right. */
function linesOf({ Name = '', Type, AliasTarget, ResourceRecords = [] }: ResourceRecordSet): string[] {
  const name = Name.replace(/\.$/, '');
  if (AliasTarget === undefined) return ResourceRecords.map(({ Value = '' }) => `${Type} ${name} ${Value.replaceAll('"', '')}`);
  if (AliasTarget.DNSName !== 'd1.cloudfront.net') return [`${Type} ${name} ${AliasTarget.DNSName}`];
  return Type === 'A' ? [`ALIAS ${name}`] : [];
}

recordPublisherContract(test, sandboxWorld, { name: 'sandbox' });
recordPublisherContract(test, route53World, { name: 'Route 53' });

/** Publishes through the function that may change DNS, which does so in Route 53. */
async function delegatedWorld(): Promise<PublisherWorld> {
  const world = await route53World();
  const work = { publisher: world.publisher, edgeHost: 'edge.platform.dev' };
  const lambda = new LambdaClient({});
  mockedClient(lambda)
    .on(InvokeCommand)
    .callsFake(async ({ Payload }: { Payload: Uint8Array }) => {
      try {
        const result = await publishFor(work, publishRequestSchema.parse(JSON.parse(Buffer.from(Payload).toString())));
        return { Payload: Buffer.from(JSON.stringify(result)) };
      } catch (error) {
        return { FunctionError: 'Unhandled', Payload: Buffer.from(JSON.stringify({ errorMessage: String(error) })) };
      }
    });
  // Records are withdrawn by the workflow, never through the function.
  return { ...world, publisher: { ...world.publisher, ...createDelegatedPublisher(lambda, 'steps') } };
}
recordPublisherContract(test, delegatedWorld, { name: 'delegated' });

describe('the function that may change DNS', () => {
  test.each([
    { type: 'CNAME', name: 'www.shop.dev', value: 'elsewhere.dev' },
    { type: 'ALIAS', name: 'www.shop.dev', value: 'badedge.platform.dev' },
    { type: 'MX', name: 'www.shop.dev', value: 'mail.elsewhere.dev' },
    { type: 'CNAME', name: 'mail.shop.dev', value: 'x.edge.platform.dev' },
    { type: 'TXT', name: 'shop.dev', value: 'v=spf1 +all' },
    { type: 'TXT', name: '_petstore.www.shop.dev', value: 'x'.repeat(256) },
  ])('publishes no $type $name $value', async (record) => {
    const { publisher, records } = await delegatedWorld();
    await expect(publisher.publish(OWNER, 'www.shop.dev', [{ ...record, ttl: 60 } as NeededRecord])).rejects.toThrow(
      /publishing the records of www\.shop\.dev/,
    );
    expect(records()).toEqual([]);
  });
});

/** Both publishers combined; one of them manages the zone. */
const both =
  (mine: () => Promise<PublisherWorld>, other: () => Promise<PublisherWorld>, order: (pair: RecordPublisher[]) => RecordPublisher[]) => async () => {
    const [world, beside] = [await mine(), await other()];
    return { ...world, publisher: firstPublisher(order([world.publisher, beside.publisher])), elsewhere: 'www.nobody.example' };
  };
recordPublisherContract(
  test,
  both(sandboxWorld, route53World, (pair) => pair),
  { name: 'two as one, the first has the zone' },
);
recordPublisherContract(
  test,
  both(route53World, sandboxWorld, (pair) => pair.toReversed()),
  { name: 'two as one, the second has the zone' },
);
