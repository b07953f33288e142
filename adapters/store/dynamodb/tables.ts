// A stage's tables and their keys. Both the stacks and the tests create the tables from this description.

import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** The names of the tables for accounts and admission. */
export interface AccessTableNames {
  /** One item per account, written more often than any other: limits, key digests, bans, counters. */
  readonly usage: string;
  /** Data that people read and change: accounts and keys, projects and deployments, domains, members. */
  readonly control: string;
  /** The audit log. Undefined for stages created before it existed. @default undefined */
  readonly audit?: string | undefined;
}

/** The names of all tables; each table has its own policies, alarms and restores. */
export interface TableNames extends AccessTableNames {
  /** Animals, and the idempotency records written in the same transaction. */
  readonly pets: string;
}

/** The partition of all animals; docs/decisions/0004-dynamodb.md describes how to split it. */
export const PETS_PARTITION = 'pets';
export const STATUS_INDEX = 'byStatus';
/** The partition that lists all accounts. */
export const ACCOUNTS_PARTITION = 'accounts';
/** The partition that lists all projects. */
export const PROJECTS_PARTITION = 'projects';
/** A sparse index of everything that waits, by due time: domains with a next check, and notifications. */
export const WAKE_INDEX = 'byWakeAt';
export const WAKE_PARTITION = 'domains';
/** The same index's partition with unfinished notifications. */
export const OUTBOX_PARTITION = 'notifications';
/** Prefix of the partitions with accounts' usage history, the only partitions of the control table that the catalogue's function may write to. */
export const HISTORY_PARTITIONS = 'usage-history#';
/** DynamoDB deletes items up to a few days after this time (seconds since 1970), so code must compare the time as well. */
export const TTL_ATTRIBUTE = 'expiresAtSeconds';

/** The index of the audit log by UTC day. */
export const AUDIT_DAY_INDEX = 'byDay';

/** Returns each table's input for CreateTable, which tests can pass on unchanged. */
export function tableDefinitions(names: TableNames): CreateTableCommandInput[] {
  return [
    definition(names.pets, { pk: 'S', id: 'N' }, [STATUS_INDEX, { status: 'S', id: 'N' }]),
    definition(names.usage, { accountId: 'S' }),
    definition(names.control, { pk: 'S', sk: 'S' }, [WAKE_INDEX, { waits: 'S', wakeAt: 'N' }]),
    ...(names.audit === undefined ? [] : [definition(names.audit, { accountId: 'S', id: 'S' }, [AUDIT_DAY_INDEX, { day: 'S', id: 'S' }])]),
  ];
}

/** The types of a key's attributes by name: first the partition key's, then the sort key's. */
type Key = Readonly<Record<string, 'S' | 'N'>>;

function definition(TableName: string, key: Key, index?: readonly [name: string, key: Key]): CreateTableCommandInput {
  const schemaOf = (of: Key) => Object.keys(of).map((AttributeName, place) => ({ AttributeName, KeyType: KEY_TYPES[place] }));
  const types = Object.entries({ ...key, ...index?.[1] });
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: types.map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: schemaOf(key),
    ...(index && { GlobalSecondaryIndexes: [{ IndexName: index[0], KeySchema: schemaOf(index[1]), Projection: { ProjectionType: 'ALL' } }] }),
  };
}

const KEY_TYPES = ['HASH', 'RANGE'] as const;
