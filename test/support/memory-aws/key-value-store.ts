// CloudFront's KeyValueStore: each update names the version to which it applies.

import {
  CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  ListKeysCommand,
  ResourceNotFoundException,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { CLIENT_SETTINGS, type MemoryAccount } from './account.ts';
import { pageOf } from './pages.ts';

/** The store's ARN, for tests. The account has one store, under any ARN. */
export const STORE_ARN = 'arn:aws:cloudfront::123456789012:key-value-store/0a1b2c3d-0000-4000-8000-000000000001';

/** Keys in a page, unless the request says how many (API reference, ListKeys). */
const DEFAULT_PAGE = 10;

/** Creates a client of the account's KeyValueStore. */
export function keyValueStoreOf(account: MemoryAccount): CloudFrontKeyValueStoreClient {
  const client = account.clientOf(new CloudFrontKeyValueStoreClient(CLIENT_SETTINGS));
  let version = 0;
  const about = () => ({
    ETag: `m${version}`,
    ItemCount: account.keys.size,
    TotalSizeInBytes: [...account.keys].flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  });

  account.on(DescribeKeyValueStoreCommand, ({ KvsARN }) => ({ ...about(), KvsARN, Created: new Date(0) }));

  account.on(GetKeyCommand, ({ Key = '' }) => {
    const Value = account.keys.get(Key);
    if (Value === undefined) throw new ResourceNotFoundException({ message: 'no such key', $metadata: {} });
    return { ...about(), Key, Value };
  });

  account.on(ListKeysCommand, ({ NextToken, MaxResults = DEFAULT_PAGE }) => {
    const { items, next } = pageOf(new Map([...account.keys].map(([Key, Value]) => [Key, { Key, Value }])), NextToken, MaxResults);
    return { Items: items, NextToken: next };
  });

  account.on(UpdateKeysCommand, ({ IfMatch, Puts = [], Deletes = [] }) => {
    if (IfMatch !== `m${version}`) throw new ConflictException({ message: 'changed meanwhile', $metadata: {} });
    for (const { Key = '', Value = '' } of Puts) account.keys.set(Key, Value);
    for (const { Key = '' } of Deletes) account.keys.delete(Key);
    version += 1;
    return about();
  });

  return client;
}
