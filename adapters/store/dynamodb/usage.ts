// Admission in DynamoDB: a single UpdateItem authenticates, checks expiry and ban, and counts both windows (docs/decisions/0002-admission.md). If
// its condition fails, the response contains the item, which shows why.

import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyIdOf } from '../../../core/access/api-key.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { AdmissionRequest } from '../../../core/limits/admit.ts';
import { CLOCK_DIFFERENCE_MS, isInForce } from '../../../core/limits/ban.ts';
import { type AccountSnapshot, type Decision, decide, quotasOf } from '../../../core/limits/decide.ts';
import { historyOf } from '../../../core/limits/history.ts';
import type { LeaseStore, UsageStore } from '../../../core/limits/ports.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import { StoreFault } from '../../../core/store-fault.ts';
import { getItem } from './calls.ts';
import type { DynamoDbClients } from './clients.ts';
import { guarded, refusedBy } from './faults.ts';
import type { Item } from './items.ts';
import {
  banAttribute,
  bansOfItem,
  banValue,
  countersOf,
  dayAttribute,
  keyAttribute,
  lastUseAttribute,
  minuteAttribute,
  refusalsAttribute,
  refusalsKey,
  snapshotOfItem,
  staleAttributes,
  usageKey,
} from './usage-item.ts';

/** Number of accounts whose stale counters a process remembers. */
const REMEMBERED_ACCOUNTS = 10_000;
/** From this many stale counters on, an extra call removes them. Only an account with a single request per process reaches this number. */
const STALE_COUNTERS_TO_CLEAR = 8;

/** `isInForce` from core/limits/ban.ts as a condition, negated. */
const NOT_BANNED = '(attribute_not_exists(#b) OR #b.#u <= :now OR #b.#f > :future)';

const CONDITION = ['#k.#e > :now', NOT_BANNED, '(attribute_not_exists(#m) OR #m < #ml)', '(attribute_not_exists(#d) OR #d < #dl)'].join(' AND ');
const FIXED_NAMES = { '#e': 'e', '#u': 'u', '#f': 'f', '#ml': 'ml', '#dl': 'dl' };

/** The condition for a block of requests: `mayTake` from core/limits/lease.ts. */
const blockCondition = (back: number) =>
  [
    '#k.#e > :now',
    NOT_BANNED,
    '#ml = :ml AND #dl = :dl',
    '(attribute_not_exists(#m) OR #m <= :mroom)',
    back > 0 ? '#d >= :back AND #d <= :droom' : '(attribute_not_exists(#d) OR #d <= :droom)',
  ].join(' AND ');

/** Creates admission and leases on the usage table. Admission uses the client that does not retry. */
export function createDynamoDbUsageStore({ once, retrying }: DynamoDbClients, tableName: string): { usage: UsageStore; leases: LeaseStore } {
  /** Stale counters and bans in each account's last response; the next write removes them. */
  const stale = new BoundedMap<string, readonly string[]>(REMEMBERED_ACCOUNTS);

  /** Builds the conditional write that counts and also removes stale counters. */
  function update(
    { accountId, digest }: AdmissionRequest,
    now: number,
    expressions: { readonly update: string; readonly condition: string; readonly values: Readonly<Record<string, number>> },
  ): UpdateItemCommand {
    const { minute, day } = windowsAt(now);
    const remove = stale.get(accountId) ?? [];
    const values = Object.entries({ ...expressions.values, ':now': now, ':future': now + CLOCK_DIFFERENCE_MS, ':minute': minute });
    return new UpdateItemCommand({
      TableName: tableName,
      Key: usageKey(accountId),
      UpdateExpression: `${expressions.update} SET #lu = :minute${removal(remove)}`,
      ConditionExpression: expressions.condition,
      ExpressionAttributeNames: {
        ...FIXED_NAMES,
        '#k': keyAttribute(digest),
        '#b': banAttribute(digest),
        '#m': minuteAttribute(minute),
        '#d': dayAttribute(day),
        '#lu': lastUseAttribute(digest),
        ...removalNames(remove),
      },
      ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [name, { N: String(value) }])),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  }

  /** Sends the write, once. @returns the account after it, or the item that failed the condition */
  async function send(
    request: AdmissionRequest,
    now: number,
    command: UpdateItemCommand,
  ): Promise<{ readonly view: AccountSnapshot & { readonly key: NonNullable<AccountSnapshot['key']> } } | { readonly refused: Item }> {
    let written: Item | undefined;
    const refused = await refusedBy(
      'UpdateItem',
      once.send(command).then(({ Attributes }) => {
        written = Attributes;
      }),
    );
    if (refused !== undefined) return { refused };
    if (written === undefined) throw new StoreFault('corrupt', 'DynamoDB UpdateItem: no attributes in the response');
    const view = snapshotOfItem(written, request.digest, now);
    if (view.key === undefined) throw new StoreFault('corrupt', 'DynamoDB admitted a key that is not in its item');
    await tidy(request.accountId, written, now);
    return { view: { ...view, key: view.key } };
  }

  /** Notes the item's stale attributes for the next write; removes them immediately if there are many. */
  async function tidy(accountId: string, item: Item, now: number): Promise<void> {
    const names = staleAttributes(item, now);
    if (names.length === 0) {
      stale.delete(accountId);
      return;
    }
    stale.set(accountId, names);
    if (names.length < STALE_COUNTERS_TO_CLEAR) return;
    await clear(usageKey(accountId), names);
    stale.delete(accountId);
  }

  async function clear(key: Item, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const command = new UpdateItemCommand({
      TableName: tableName,
      Key: key,
      UpdateExpression: removal(names).trim(),
      ConditionExpression: 'attribute_exists(accountId)',
      ExpressionAttributeNames: removalNames(names),
    });
    await refusedBy('UpdateItem', retrying.send(command));
  }

  const leases: LeaseStore = {
    take: async (request, { take, back, limits }, now) => {
      const net = take - back;
      // The condition does not compare a counter that does not exist yet.
      if (take > limits.perMinute || net > limits.perDay) return undefined;
      const answer = await send(
        request,
        now,
        update(request, now, {
          update: 'ADD #m :take, #d :net',
          condition: blockCondition(back),
          values: {
            ':take': take,
            ':net': net,
            ':ml': limits.perMinute,
            ':dl': limits.perDay,
            ':mroom': limits.perMinute - take,
            ':droom': limits.perDay - net,
            ...(back > 0 && { ':back': back }),
          },
        }),
      );
      if ('refused' in answer) return undefined;
      const { plan, key, used } = answer.view;
      return { plan, scopes: key.scopes, expiresAt: key.expiresAt, quotas: quotasOf(limits, used, now) };
    },
  };

  const usage: UsageStore = {
    admit: async (request, now) => {
      const command = update(request, now, { update: 'ADD #m :one, #d :one', condition: CONDITION, values: { ':one': 1 } });
      const answer = await send(request, now, command);
      if ('refused' in answer) return decideRefused(answer.refused, request.digest, now);
      // The counters in the response already include this request.
      const { plan, key, limits, used } = answer.view;
      return { kind: 'admitted', plan, scopes: key.scopes, quotas: quotasOf(limits, used, now) };
    },
    hasKey: async ({ accountId, digest }, now) => {
      const item = await getItem(retrying, tableName, usageKey(accountId));
      return item !== undefined && (snapshotOfItem(item, digest, now).key?.expiresAt ?? 0) > now;
    },
    ban: async ({ accountId, digest }, ban) => {
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: usageKey(accountId),
        UpdateExpression: 'SET #b = :ban',
        ConditionExpression: 'attribute_exists(#k) AND (attribute_not_exists(#b) OR #b.#u < :until OR #b.#f > :future)',
        ExpressionAttributeNames: { '#b': banAttribute(digest), '#k': keyAttribute(digest), '#u': 'u', '#f': 'f' },
        ExpressionAttributeValues: {
          ':ban': banValue(ban),
          ':until': { N: String(ban.until) },
          ':future': { N: String(ban.since + CLOCK_DIFFERENCE_MS) },
        },
      });
      await refusedBy('UpdateItem', retrying.send(command));
    },
    countRefusals: async (accountId, count, now) => {
      const { day } = windowsAt(now);
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: refusalsKey(accountId),
        UpdateExpression: 'ADD #r :count',
        ExpressionAttributeNames: { '#r': refusalsAttribute(day) },
        ExpressionAttributeValues: { ':count': { N: String(count) } },
        ReturnValues: 'ALL_NEW',
      });
      const { Attributes: item = {} } = await guarded('UpdateItem', once.send(command));
      await clear(refusalsKey(accountId), staleAttributes(item, now));
    },
    usage: async (accountId, now) => {
      const [item, refusals = {}] = await Promise.all([
        getItem(retrying, tableName, usageKey(accountId)),
        getItem(retrying, tableName, refusalsKey(accountId)),
      ]);
      if (item === undefined) return undefined;
      const view = snapshotOfItem(item, '', now);
      const bans = bansOfItem(item)
        .filter(([, ban]) => isInForce(ban, now))
        .map(([digest, ban]) => ({ keyId: keyIdOf(accountId, digest), ban }));
      bans.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
      const history = historyOf({ minutes: countersOf(item, 'm'), days: countersOf(item, 'd'), refused: countersOf(refusals, 'r') }, now);
      return { plan: view.plan, quotas: quotasOf(view.limits, view.used, now), bans, history };
    },
  };
  return { usage, leases };
}

/** Decides from the item why the condition failed. */
function decideRefused(item: Item, digest: string, now: number): Decision {
  if (Object.keys(item).length === 0) return { kind: 'unknown_key' };
  const decision = decide(snapshotOfItem(item, digest, now), now);
  if (decision.kind === 'admitted') throw new StoreFault('corrupt', 'DynamoDB refused a request that its own item allows');
  return decision;
}

function removal(names: readonly string[]): string {
  return names.length === 0 ? '' : ` REMOVE ${names.map((_, index) => `#o${index}`).join(', ')}`;
}

function removalNames(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [`#o${index}`, name]));
}
