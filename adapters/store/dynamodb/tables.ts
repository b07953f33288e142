// The tables of a stage and how things are keyed in them. The stacks make the tables from this description, the tests too.

import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** Three tables, so that each has its own policies, alarms and restore. */
export interface TableNames {
  /** Animals, and the idempotency records that are written in one transaction with them. */
  readonly pets: string;
  /** One item an account: limits, key digests, bans, counters. The hot one. */
  readonly usage: string;
  /** What people read and change: accounts and keys, projects and deployments, domains, members. */
  readonly control: string;
}

/** The partition that holds all animals; docs/decisions/0004-dynamodb-growth.md says how it is split. */
export const PETS_PARTITION = 'pets';
export const STATUS_INDEX = 'byStatus';
/** The partition that lists all accounts. */
export const ACCOUNTS_PARTITION = 'accounts';
/** The partition that lists all projects. */
export const PROJECTS_PARTITION = 'projects';
/** Domains that want to be looked at, by the time that they want it: sparse, an item is in it only while it waits. */
export const WAKE_INDEX = 'byWakeAt';
export const WAKE_PARTITION = 'domains';
/** Items with this attribute (seconds since 1970) are deleted some days after it: compare the time in code as well. */
export const TTL_ATTRIBUTE = 'expiresAtSeconds';

/** What CreateTable needs for each table (the API reference's shape, so that tests can pass it on). */
export function tableDefinitions(names: TableNames): CreateTableCommandInput[] {
  return [
    {
      TableName: names.pets,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'status', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: STATUS_INDEX,
          KeySchema: [
            { AttributeName: 'status', KeyType: 'HASH' },
            { AttributeName: 'id', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    },
    {
      TableName: names.usage,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'accountId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'accountId', KeyType: 'HASH' }],
    },
    {
      TableName: names.control,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'waits', AttributeType: 'S' },
        { AttributeName: 'wakeAt', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: WAKE_INDEX,
          KeySchema: [
            { AttributeName: 'waits', KeyType: 'HASH' },
            { AttributeName: 'wakeAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    },
  ];
}
