// Admission in DynamoDB: one UpdateItem authenticates, checks expiry and ban, and counts both windows
// (docs/decisions/0002-admission.md). A failed condition brings the item back, which says why.

import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyIdOf } from '../../../core/access/api-key.ts';
import { LeastRecentMap } from '../../../core/least-recent-map.ts';
import { type AccountView, type Decision, decide, standingsOf } from '../../../core/limits/decide.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import { StoreFault, type UsageStore } from '../../../core/ports.ts';
import type { DynamoDbClients } from './clients.ts';
import { guarded, refusedBy } from './faults.ts';
import type { Item } from './items.ts';
import { banAttribute, bansOfItem, banValue, dayAttribute, keyAttribute, minuteAttribute, staleCounters, viewOfItem } from './usage-item.ts';

/** Accounts whose stale counters a process remembers. */
const REMEMBERED_ACCOUNTS = 10_000;
/** So many stale counters on an item are cleared by a call of their own: only an account that each process meets once gets there. */
const STALE_COUNTERS_TO_CLEAR = 8;

const CONDITION = [
  '#k.#e > :now',
  '(attribute_not_exists(#b) OR #b.#u <= :now)',
  '(attribute_not_exists(#m) OR #m < #ml)',
  '(attribute_not_exists(#d) OR #d < #dl)',
].join(' AND ');
const FIXED_NAMES = { '#e': 'e', '#u': 'u', '#ml': 'ml', '#dl': 'dl' };

export function createDynamoDbUsageStore({ once, retrying }: DynamoDbClients, tableName: string): UsageStore {
  /** Stale counters that the last answer showed, by account: the next write removes them. */
  const stale = new LeastRecentMap<string, readonly string[]>(REMEMBERED_ACCOUNTS);

  function update(accountId: string, digest: string, now: number): UpdateItemCommand {
    const { minute, day } = windowsAt(now);
    const remove = stale.get(accountId) ?? [];
    return new UpdateItemCommand({
      TableName: tableName,
      Key: { accountId: { S: accountId } },
      UpdateExpression: `ADD #m :one, #d :one${removal(remove)}`,
      ConditionExpression: CONDITION,
      ExpressionAttributeNames: {
        ...FIXED_NAMES,
        '#k': keyAttribute(digest),
        '#b': banAttribute(digest),
        '#m': minuteAttribute(minute),
        '#d': dayAttribute(day),
        ...removalNames(remove),
      },
      ExpressionAttributeValues: { ':one': { N: '1' }, ':now': { N: String(now) } },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  }

  /** Remembers what the item carries along in vain; clears it at once if it is much. */
  async function tidy(accountId: string, item: Item, now: number): Promise<void> {
    const names = staleCounters(item, now);
    if (names.length === 0) {
      stale.delete(accountId);
      return;
    }
    stale.set(accountId, names);
    if (names.length < STALE_COUNTERS_TO_CLEAR) return;
    const clear = new UpdateItemCommand({
      TableName: tableName,
      Key: { accountId: { S: accountId } },
      UpdateExpression: removal(names).trim(),
      ConditionExpression: 'attribute_exists(accountId)',
      ExpressionAttributeNames: removalNames(names),
    });
    await refusedBy('UpdateItem', retrying.send(clear));
    stale.delete(accountId);
  }

  return {
    admit: async ({ accountId, digest }, now) => {
      let admitted: Item | undefined;
      const refused = await refusedBy(
        'UpdateItem',
        once.send(update(accountId, digest, now)).then(({ Attributes }) => {
          admitted = Attributes;
        }),
      );
      if (refused !== undefined) return decideRefused(refused, digest, now);
      if (admitted === undefined) throw new StoreFault('corrupt', 'DynamoDB UpdateItem: no attributes in the answer');
      const decision = admittedDecision(viewOfItem(admitted, digest, now), now);
      await tidy(accountId, admitted, now);
      return decision;
    },
    ban: async ({ accountId, digest }, ban) => {
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: { accountId: { S: accountId } },
        UpdateExpression: 'SET #b = :ban',
        ConditionExpression: 'attribute_exists(#k) AND (attribute_not_exists(#b) OR #b.#u < :until)',
        ExpressionAttributeNames: { '#b': banAttribute(digest), '#k': keyAttribute(digest), '#u': 'u' },
        ExpressionAttributeValues: { ':ban': banValue(ban), ':until': { N: String(ban.until) } },
      });
      await refusedBy('UpdateItem', retrying.send(command));
    },
    usage: async (accountId, now) => {
      const command = new GetItemCommand({ TableName: tableName, Key: { accountId: { S: accountId } }, ConsistentRead: true });
      const { Item: item } = await guarded('GetItem', retrying.send(command));
      if (item === undefined) return undefined;
      const view = viewOfItem(item, '', now);
      const bans = bansOfItem(item)
        .filter(([, ban]) => ban.until > now)
        .map(([digest, ban]) => ({ keyId: keyIdOf(accountId, digest), ban }));
      bans.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
      return { plan: view.plan, standings: standingsOf(view.limits, view.used, now), bans };
    },
  };
}

/** The item says why the condition failed: the pure decision on it is the answer. */
function decideRefused(item: Item, digest: string, now: number): Decision {
  if (Object.keys(item).length === 0) return { kind: 'unknown_key' };
  const decision = decide(viewOfItem(item, digest, now), now);
  if (decision.kind === 'admitted') throw new StoreFault('corrupt', 'DynamoDB refused a request that its own item admits');
  return decision;
}

/** The counters of the answer include this request already. */
function admittedDecision({ plan, limits, key, used }: AccountView, now: number): Decision {
  if (key === undefined) throw new StoreFault('corrupt', 'DynamoDB admitted a key that its item does not have');
  return { kind: 'admitted', plan, scopes: key.scopes, standings: standingsOf(limits, used, now) };
}

function removal(names: readonly string[]): string {
  return names.length === 0 ? '' : ` REMOVE ${names.map((_, index) => `#o${index}`).join(', ')}`;
}

function removalNames(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [`#o${index}`, name]));
}
