// Domains in the control table. A domain is one item with its JSON; a write succeeds only if that JSON is unchanged since the read. In addition:
// domains#<project> / <host>   the project has the host; deleted once the domain is removed, so that it can be added again
// host#<host> / <domain>       a claim to the host
// host#<host> / proved         which claim is proved: a lock that only one claim can hold

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { domainAdded, domainStateSet } from '../../../core/audit/changes.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import type { DomainStore } from '../../../core/domains/ports.ts';
import { duePage, parseDuePosition } from '../../../core/domains/queue.ts';
import { LONGEST_WAIT_MS } from '../../../core/domains/schedule.ts';
import { isProved, nextCheckAt } from '../../../core/domains/states.ts';
import { domainNotification } from '../../../core/notifications/domain-notification.ts';
import { byAge } from '../../../core/page.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { ABSENT, deletionOf, getItems, getValue, partition, putOf, query, writeAll } from './calls.ts';
import { attributes, controlKey, type Item, json, text, timeToLive } from './items.ts';
import { notificationWrites } from './notifications.ts';
import { WAKE_INDEX, WAKE_PARTITION } from './tables.ts';

const PROVED = 'proved';

/** Creates the domain store on the control table. */
export function createDynamoDbDomainStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): DomainStore {
  const domainsOf = async (ids: readonly string[]): Promise<Domain[]> =>
    (await getItems(client, table, ids.map(domainKey))).map(toDomain).sort(byAge);

  return {
    addDomain: async (domain) => {
      const refused = await writeAll(client, [
        putOf(table, domainItem(domain), ABSENT),
        putOf(table, { ...activeKey(domain), ...attributes({ domainId: domain.id }) }, ABSENT),
        putOf(table, claimKey(domain)),
        ...audit(domainAdded(domain)),
      ]);
      return refused === undefined ? 'added' : 'exists';
    },

    getDomain: (id) => getValue(client, table, domainKey(id), toDomain),

    listDomains: async (projectId) => domainsOf((await partition(client, table, `domains#${projectId}`)).map((item) => text(item, 'domainId'))),

    claimsOf: async (host) => {
      const claims = (await partition(client, table, `host#${host}`)).map((item) => text(item, 'sk'));
      return domainsOf(claims.filter((sk) => sk !== PROVED));
    },

    saveDomain: async (next, read) => {
      const isRemoved = next.state.name === 'removed';
      const refused = await writeAll(client, [
        putOf(table, domainItem(next), 'body = :read', { ':read': JSON.stringify(read) }),
        ...lockChanges(next, read, table),
        ...notificationWrites(table, domainNotification(read, next)),
        ...audit(domainStateSet(read, next)),
        ...(isRemoved ? [deletionOf(table, activeKey(next)), putOf(table, { ...claimKey(next), ...tombstoneEnd(next) })] : []),
      ]);
      if (refused === undefined) return 'saved';
      return refused[0]?.code === 'ConditionalCheckFailed' ? 'changed' : 'host_taken';
    },

    dueDomains: async (now, limit, after) => {
      const position = after === undefined ? undefined : parseDuePosition(after);
      const from = (condition: string, bound: number, most: number, start: typeof position): Promise<Item[]> =>
        query(client, {
          TableName: table,
          IndexName: WAKE_INDEX,
          KeyConditionExpression: `waits = :waits AND wakeAt ${condition} :bound`,
          ExpressionAttributeValues: attributes({ ':waits': WAKE_PARTITION, ':bound': bound }),
          ...(start !== undefined && { ExclusiveStartKey: { ...domainKey(start.id), ...wakeAttributes(start.wakeAt) } }),
          Limit: most,
        });
      const isBehind = position !== undefined && position.wakeAt > now;
      const due = isBehind ? [] : await from('<=', now, limit, position);
      // Domains that a wrong clock has postponed come last.
      const putOff = due.length === limit ? [] : await from('>', now + LONGEST_WAIT_MS, limit - due.length, isBehind ? position : undefined);
      return duePage([...due, ...putOff].map(toDomain), limit);
    },
  };
}

/** Returns the writes that take, keep or release the host's lock. */
function lockChanges(next: Domain, read: Domain, table: string): TransactWriteItem[] {
  const condition = [`${ABSENT} OR domainId = :id`, { ':id': next.id }] as const;
  if (isProved(next.state)) return [putOf(table, { ...provedKey(next), ...attributes({ domainId: next.id }) }, ...condition)];
  return isProved(read.state) ? [deletionOf(table, provedKey(next), ...condition)] : [];
}

function domainKey(id: string): Item {
  return controlKey(`domain#${id}`, 'domain');
}

function activeKey({ projectId, host }: Domain): Item {
  return controlKey(`domains#${projectId}`, host);
}

function claimKey({ host, id }: Domain): Item {
  return controlKey(`host#${host}`, id);
}

function provedKey({ host }: Domain): Item {
  return controlKey(`host#${host}`, PROVED);
}

function domainItem(domain: Domain): Item {
  const wake = nextCheckAt(domain.state);
  return {
    ...domainKey(domain.id),
    ...attributes({ body: JSON.stringify(domain) }),
    ...(wake !== undefined && wakeAttributes(wake)),
    ...tombstoneEnd(domain),
  };
}

/** Returns all items of a domain. */
export function domainItems(domain: Domain): Item[] {
  const id = attributes({ domainId: domain.id });
  return [
    domainItem(domain),
    { ...claimKey(domain), ...tombstoneEnd(domain) },
    ...(domain.state.name === 'removed' ? [] : [{ ...activeKey(domain), ...id }]),
    ...(isProved(domain.state) ? [{ ...provedKey(domain), ...id }] : []),
  ];
}

function wakeAttributes(wakeAt: number): Item {
  return attributes({ waits: WAKE_PARTITION, wakeAt });
}

/** Returns the attribute that makes a tombstone expire when it is no longer needed. */
function tombstoneEnd({ state }: Domain): Item {
  return state.name === 'removed' ? timeToLive(state.until) : {};
}

function toDomain(item: Item): Domain {
  return json(item, 'body');
}
