// Accounts and keys in DynamoDB: what admission needs in the usage table, what people read in the control table. A change is one transaction.

import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBClient, TransactWriteItem, Update } from '@aws-sdk/client-dynamodb';
import { EXPIRED_KEY_KEPT_MS, type KeyRecord, MAX_REVOKED_LISTED } from '../../../core/access/account.ts';
import { keyIdOf } from '../../../core/access/api-key.ts';
import type { AccountStore } from '../../../core/access/ports.ts';
import * as changes from '../../../core/audit/changes.ts';
import type { Change } from '../../../core/audit/entry.ts';
import { isLiftable, lifted } from '../../../core/limits/ban.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { byAge } from '../../../core/page.ts';
import { StoreFault } from '../../../core/refusal.ts';
import {
  ACCOUNT,
  accountKey,
  KEY,
  keyKey,
  keysPartition,
  keyTimeToLive,
  REVOKED_KEY,
  revokedAtSortKey,
  revokedKeysPartition,
} from './access-items.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import {
  ABSENT,
  deletionOf,
  getItem,
  getValue,
  isWritten,
  PRESENT,
  partition,
  putOf,
  query,
  unchanged,
  updateOf,
  updateOfExisting,
} from './calls.ts';
import { attributes, type Item, integer, keyAttribute, refusalsKey, text, usageKey } from './items.ts';
import { notificationWrites } from './notifications.ts';
import { ACCOUNTS_PARTITION, type AccessTableNames, TTL_ATTRIBUTE } from './tables.ts';
import { banAttribute, banOf, banValue, hasBan, momentValue, readBans, replaceBan } from './usage/bans.ts';
import { countKeys, expiredKeys, keyValue, lastUseAttribute, lastUseOf, usageItem } from './usage/usage-item.ts';

/** Maximum number of keys deleted with an account: a transaction has at most 100 items. Any further keys have expired, and have a TTL. */
const MOST_KEYS_DELETED = 90;

/** Maximum attempts to change a key that other writers are changing. */
const TRIES = 5;

const CHANGING = ['name', 'scopes', 'expiresAt', 'pausedAt', 'successor'] as const;

const changing = (key: KeyRecord) => CHANGING.map((attribute) => key[attribute]);

/** Adds to an update the condition that these attributes of the item are as they were read. */
function ifUnchanged(item: Item, update: Update): Update {
  const condition = unchanged(item, CHANGING);
  return {
    ...update,
    ...condition,
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, ...condition.ExpressionAttributeNames },
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ...condition.ExpressionAttributeValues },
  };
}

/** Returns an update of the usage table that removes these keys' attributes. */
const withoutKeys = (digests: readonly string[]): Readonly<Record<string, undefined>> =>
  Object.fromEntries(
    digests.flatMap((digest) => [keyAttribute(digest), banAttribute(digest), lastUseAttribute(digest)].map((name) => [name, undefined])),
  );

/** Creates the account store on the control and usage tables. */
export function createDynamoDbAccountStore(client: DynamoDBClient, tables: AccessTableNames, audit: AuditWrites = UNAUDITED): AccountStore {
  const write = (items: TransactWriteItem[]) => isWritten(client, items);

  const readUsage = (accountId: string) => getItem(client, tables.usage, usageKey(accountId));

  /** Reads the key as stored in the control table, without usage. */
  const readKey = (keyId: string): Promise<KeyRecord | undefined> => getValue(client, tables.control, keyKey(keyId), KEY.read);

  /** Adds the ban and the last use to a key. The usage table has both for valid keys; the last use of other keys is in the control table. */
  function withUsage(key: KeyRecord, usage: Item | undefined, bans: Item): KeyRecord {
    const lastUsedAt = usage && lastUseOf(usage, key.digest);
    const ban = usage && banOf(usage, bans, key.digest);
    return { ...key, ...(lastUsedAt !== undefined && { lastUsedAt }), ...(ban !== undefined && { ban }) };
  }

  /** Stores and removes bans in the refusals item. Returns no writes if there is nothing to do, as for an account that has never had a ban. */
  function changeBans(accountId: string, { added, ended }: { readonly added?: KeyRecord; readonly ended: readonly string[] }): TransactWriteItem[] {
    const ban = added?.ban;
    if (ban === undefined && ended.length === 0) return [];
    const values = {
      ...Object.fromEntries(ended.map((digest) => [banAttribute(digest), undefined])),
      ...(ban && { [banAttribute(added.digest)]: banValue(ban) }),
    };
    return [{ Update: updateOf(tables.usage, refusalsKey(accountId), values) }];
  }

  /** Copies the last use to the control table when a key leaves the usage table. */
  function keepLastUse(accountId: string, digest: string, lastUsedAt: number | undefined): TransactWriteItem[] {
    const key = keyKey(keyIdOf(accountId, digest));
    if (key === undefined || lastUsedAt === undefined) return [];
    return [{ Update: updateOfExisting(tables.control, key, { lastUsedAt }) }];
  }

  /** Replaces a key's changeable values in both tables, unless they have changed since the read. In the usage table, they are in one attribute. */
  async function replaceKey(next: KeyRecord, read: KeyRecord, change: Change): Promise<boolean> {
    const key = keyKey(read.id);
    const item = key && (await getItem(client, tables.control, key));
    if (key === undefined || item === undefined || !isDeepStrictEqual(changing(KEY.read(item)), changing(read))) return false;
    const { name, scopes, expiresAt, pausedAt, successor } = next;
    const values = { name, scopes: scopes.join(','), expiresAt, pausedAt, successor, [TTL_ATTRIBUTE]: keyTimeToLive(expiresAt)[TTL_ATTRIBUTE] };
    return write([
      { Update: ifUnchanged(item, updateOf(tables.control, key, values)) },
      { Update: updateOfExisting(tables.usage, usageKey(read.accountId), { [keyAttribute(read.digest)]: keyValue(next) }) },
      ...audit(change),
    ]);
  }

  return {
    createAccount: (account) =>
      write([
        putOf(tables.control, ACCOUNT.write(account), ABSENT),
        putOf(tables.usage, usageItem(account.id, account.plan, account.limits), 'attribute_not_exists(accountId)'),
        ...audit(changes.accountCreated(account)),
      ]),

    listAccounts: async () => (await partition(client, tables.control, ACCOUNTS_PARTITION)).map(ACCOUNT.read).sort(byAge),

    getAccount: (id) => getValue(client, tables.control, accountKey(id), ACCOUNT.read),

    setPlan: (id, plan, limits) =>
      write([
        { Update: updateOfExisting(tables.control, accountKey(id), { plan, ...limits }) },
        { Update: updateOfExisting(tables.usage, usageKey(id), { plan, ml: limits.perMinute, dl: limits.perDay }) },
        ...audit(changes.planSet(id, plan, limits)),
      ]),

    setPlanRequest: (id, request, notification) =>
      write([
        { Update: updateOfExisting(tables.control, accountKey(id), { planRequest: request && JSON.stringify(request) }) },
        ...notificationWrites(tables.control, notification),
        ...audit(changes.planRequestSet(id, request)),
      ]),

    setSuspension: (id, suspension, notification) =>
      write([
        { Update: updateOfExisting(tables.control, accountKey(id), { suspension: suspension && JSON.stringify(suspension) }) },
        { Update: updateOfExisting(tables.usage, usageKey(id), { su: suspension && true }) },
        ...notificationWrites(tables.control, notification),
        ...audit(changes.suspensionSet(id, suspension)),
      ]),

    rename: (id, name) => write([{ Update: updateOfExisting(tables.control, accountKey(id), { name }) }, ...audit(changes.accountRenamed(id, name))]),

    setSecondFactor: (id, isRequired) =>
      write([
        { Update: updateOfExisting(tables.control, accountKey(id), { requiresSecondFactor: isRequired ? 'true' : undefined }) },
        ...audit(changes.secondFactorSet(id, isRequired)),
      ]),

    // The records of revoked keys, expired keys and the history have a TTL.
    deleteAccount: async (id) => {
      const keys = (await partition(client, tables.control, keysPartition(id))).sort((a, b) => integer(b, 'expiresAt') - integer(a, 'expiresAt'));
      return write([
        deletionOf(tables.control, accountKey(id), PRESENT),
        deletionOf(tables.usage, usageKey(id)),
        deletionOf(tables.usage, refusalsKey(id)),
        ...keys.slice(0, MOST_KEYS_DELETED).map((key) => deletionOf(tables.control, keyKey(text(key, 'sk')))),
        ...audit(changes.accountDeleted(id)),
      ]);
    },

    addKey: async (key, maxKeys, now) => {
      const usage = await readUsage(key.accountId);
      if (usage === undefined) return 'account_not_found';
      // Two keys issued at the same moment may both be accepted, which is fine: the limit only keeps the item small.
      if (countKeys(usage, now) >= maxKeys) return 'too_many_keys';
      const endedDigests = expiredKeys(usage, now);
      const added = await write([
        putOf(tables.control, KEY.write(key), ABSENT),
        // The item of a key that expired long ago is already deleted, or soon will be.
        ...expiredKeys(usage, now, now - EXPIRED_KEY_KEPT_MS + DAY_MS).flatMap((digest) =>
          keepLastUse(key.accountId, digest, lastUseOf(usage, digest)),
        ),
        ...changeBans(key.accountId, { added: key, ended: endedDigests.filter((digest) => hasBan(usage, digest)) }),
        {
          Update: updateOfExisting(tables.usage, usageKey(key.accountId), {
            ...withoutKeys(endedDigests),
            [keyAttribute(key.digest)]: keyValue(key),
            ...(key.ban && { [banAttribute(key.digest)]: momentValue(key.ban.until) }),
          }),
        },
        ...audit(changes.keyIssued(key)),
      ]);
      return added ? 'added' : 'account_not_found';
    },

    listKeys: async (accountId) => {
      const [items, usage] = await Promise.all([partition(client, tables.control, keysPartition(accountId)), readUsage(accountId)]);
      const bans = await readBans(client, tables.usage, accountId, usage);
      return items.map((item) => withUsage(KEY.read(item), usage, bans)).sort(byAge);
    },

    getKey: async (keyId) => {
      const key = await readKey(keyId);
      if (key === undefined) return undefined;
      const usage = await readUsage(key.accountId);
      return withUsage(key, usage, await readBans(client, tables.usage, key.accountId, usage));
    },

    expireKey: async (keyId, expiresAt, successor) => {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const key = await readKey(keyId);
        if (key === undefined) return false;
        const change = changes.keyExpirySet(key.accountId, keyId, expiresAt, successor);
        if (await replaceKey({ ...key, expiresAt, ...(successor !== undefined && { successor }) }, key, change)) return true;
      }
      throw new StoreFault('unavailable', `DynamoDB TransactWriteItems: a key has changed ${TRIES} times`);
    },

    changeKey: (next, read) => replaceKey(next, read, changes.keySet(next, read)),

    liftBan: async (keyId, now) => {
      const key = await readKey(keyId);
      if (key === undefined) return false;
      const { accountId, digest } = key;
      const item = (await readUsage(accountId)) ?? {};
      const ban = banOf(item, await readBans(client, tables.usage, accountId, item), digest);
      // Lifts only the ban that was read, not a newer, longer one. If two calls run concurrently, only one succeeds.
      const writes = audit(changes.keyChanged('key.unbanned', accountId, keyId));
      return isLiftable(ban, now) && replaceBan(client, tables.usage, { accountId, digest, item }, lifted(ban), writes);
    },

    revokeKey: async (keyId, revoked) => {
      const key = await readKey(keyId);
      if (key === undefined) return false;
      const usage = (await readUsage(key.accountId)) ?? {};
      const lastUsedAt = lastUseOf(usage, key.digest);
      return write([
        deletionOf(tables.control, keyKey(keyId), PRESENT),
        putOf(tables.control, REVOKED_KEY.write({ ...key, ...(lastUsedAt !== undefined && { lastUsedAt }), revoked })),
        ...changeBans(key.accountId, { ended: hasBan(usage, key.digest) ? [key.digest] : [] }),
        { Update: updateOf(tables.usage, usageKey(key.accountId), withoutKeys([key.digest])) },
        ...audit(changes.keyChanged('key.revoked', key.accountId, keyId)),
      ]);
    },

    listRevokedKeys: async (accountId, since) => {
      const items = await query(client, {
        TableName: tables.control,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk >= :since',
        ExpressionAttributeValues: attributes({ ':pk': revokedKeysPartition(accountId), ':since': revokedAtSortKey(since + 1) }),
        ScanIndexForward: false,
        Limit: MAX_REVOKED_LISTED,
      });
      return items.map(REVOKED_KEY.read);
    },
  };
}
