// Admission in DynamoDB: a single UpdateItem authenticates, checks expiry and ban, and counts both windows, even for a suspended account
// (docs/decisions/0002-admission.md). If its condition fails, the response has the item, which shows why, together with the ban in the refusals item.

import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyIdOf } from '../../../../core/access/api-key.ts';
import type { AdmissionRequest } from '../../../../core/limits/admit.ts';
import { isInForce, replaces } from '../../../../core/limits/ban.ts';
import { type AccountSnapshot, decide, isCounted, quotasOf } from '../../../../core/limits/decide.ts';
import { historyOf, merged } from '../../../../core/limits/history.ts';
import type { LeaseStore, UsageStore } from '../../../../core/limits/ports.ts';
import { windowsAt } from '../../../../core/limits/windows.ts';
import { StoreFault } from '../../../../core/refusal.ts';
import { type DynamoDbClients, getItem, guarded, refusedBy } from '../calls.ts';
import { attributes, digestsOf, type Item, keyAttribute, refusalsKey, usageKey } from '../items.ts';
import type { AccessTableNames } from '../tables.ts';
import { banAttribute, banOf, hasBan, momentValue, readBans, replaceBan, tidyBans } from './bans.ts';
import { createCounterRemoval, removal, removalNames, removeAttributes } from './counter-removal.ts';
import { createDynamoDbUsageHistory } from './usage-history.ts';
import {
  countersOf,
  dayAttribute,
  lastUseAttribute,
  minuteAttribute,
  refusalsAttributes,
  refusalsOf,
  snapshotOfItem,
  staleRefusals,
} from './usage-item.ts';

/** Once there are this many stale refusal counters, an extra call removes them: at most one call in as many minutes with refusals. */
const STALE_REFUSALS_TO_CLEAR = 16;

/** Maximum attempts at a write while other writes change what it depends on. */
const TRIES = 5;

/** The key's ban has ended, or is ignored because it was set while the clock was wrong. */
const NOT_BANNED = '(attribute_not_exists(#b) OR #b <= :moment OR #b = :ignored)';

const CONDITION = ['#k.#e > :now', NOT_BANNED, '(attribute_not_exists(#m) OR #m < #ml)', '(attribute_not_exists(#d) OR #d < #dl)'].join(' AND ');
const FIXED_NAMES = { '#e': 'e', '#ml': 'ml', '#dl': 'dl' };

/** Returns the condition for a block of requests: `mayTake` from core/limits/lease.ts. */
const blockCondition = (back: number) =>
  [
    '#k.#e > :now',
    NOT_BANNED,
    '#ml = :ml AND #dl = :dl',
    '(attribute_not_exists(#m) OR #m <= :mroom)',
    back > 0 ? '#d >= :back AND #d <= :droom' : '(attribute_not_exists(#d) OR #d <= :droom)',
  ].join(' AND ');

/**
 * Creates admission, with the client that does not retry, and leases on the usage table. An account's first admitted request of a minute copies final
 * counters to the history, and the next minute's again if that fails: a counter stays until it is copied, or until there is no room for it.
 * @param inBackground receives this work, for which no request waits and which never rejects. @default it is not awaited
 */
export function createDynamoDbUsageStore(
  { once, retrying }: DynamoDbClients,
  { usage: tableName, control }: AccessTableNames,
  inBackground: (work: Promise<void>) => void = () => {},
): { usage: UsageStore; leases: LeaseStore } {
  const recordedHistory = createDynamoDbUsageHistory(retrying, control);
  const counters = createCounterRemoval(retrying, tableName, recordedHistory);

  /** Builds the conditional write that counts and also removes stale counters. */
  function update(
    { accountId, digest }: AdmissionRequest,
    now: number,
    expressions: {
      readonly update: string;
      readonly condition: string;
      readonly values: Readonly<Record<string, number>>;
      readonly ignored?: AttributeValue | undefined;
    },
  ): UpdateItemCommand {
    const { minute, day } = windowsAt(now);
    const remove = counters.removable(accountId);
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
      ExpressionAttributeValues: attributes({
        ...expressions.values,
        ':now': now,
        ':minute': minute,
        ':moment': momentValue(now),
        ':ignored': expressions.ignored ?? momentValue(0),
      }),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  }

  /** Sends the write once. @param counted how many requests it counts @returns the account afterwards, or the item that failed the condition */
  async function send(
    request: AdmissionRequest,
    now: number,
    command: UpdateItemCommand,
    counted: number,
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
    // Of all processes, exactly one counts the first request of a minute.
    if (counted > 0 && view.used.minute === counted) inBackground(counters.record(request.accountId, written, now));
    await tidyBans(retrying, tableName, request.accountId, written, now);
    await counters.note(request.accountId, written, now);
    return { view: { ...view, key: view.key } };
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
        take,
      );
      if ('refused' in answer) return undefined;
      const { plan, suspended, key, used } = answer.view;
      return { plan, ...(suspended && { suspended }), scopes: key.scopes, expiresAt: key.expiresAt, quotas: quotasOf(limits, used, now) };
    },
  };

  const usage: UsageStore = {
    admit: async (request, now) => {
      const { accountId, digest } = request;
      let ignored: AttributeValue | undefined;
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const command = update(request, now, { update: 'ADD #m :one, #d :one', condition: CONDITION, values: { ':one': 1 }, ignored });
        const answer = await send(request, now, command, 1);
        if (!('refused' in answer)) {
          // The counters in the response already include this request.
          const { plan, suspended, key, limits, used } = answer.view;
          const quotas = quotasOf(limits, used, now);
          return suspended ? { kind: 'suspended', plan, quotas } : { kind: 'admitted', plan, scopes: key.scopes, quotas };
        }
        const item = answer.refused;
        if (Object.keys(item).length === 0) return { kind: 'unknown_key' };
        const bans = hasBan(item, digest) ? await readBans(retrying, tableName, accountId, item) : {};
        const decision = decide(snapshotOfItem(item, digest, now, bans), now);
        if (!isCounted(decision)) return decision;
        if (!hasBan(item, digest)) throw new StoreFault('corrupt', 'DynamoDB refused a request that its own item allows');
        // The clock has been set back since the ban was stored. The condition can't detect this, because the item does not say when the ban began.
        ignored = item[banAttribute(digest)];
      }
      throw new StoreFault('unavailable', `DynamoDB UpdateItem: a key's ban has changed ${TRIES} times`);
    },
    hasKey: async ({ accountId, digest }, now) => {
      const item = await getItem(retrying, tableName, usageKey(accountId));
      return item !== undefined && (snapshotOfItem(item, digest, now).key?.expiresAt ?? 0) > now;
    },
    ban: async ({ accountId, digest }, ban) => {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const item = await getItem(retrying, tableName, usageKey(accountId));
        if (item?.[keyAttribute(digest)] === undefined) return;
        const last = banOf(item, await readBans(retrying, tableName, accountId, item), digest);
        if (!replaces(ban, last) || (await replaceBan(retrying, tableName, { accountId, digest, item }, ban))) return;
      }
      throw new StoreFault('unavailable', `DynamoDB UpdateItem: a key's ban has changed ${TRIES} times`);
    },
    countRefusals: async (accountId, count, now) => {
      const names = refusalsAttributes(now);
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: refusalsKey(accountId),
        UpdateExpression: `ADD ${names.map((name) => `${name} :count`).join(', ')}`,
        ExpressionAttributeValues: attributes({ ':count': count }),
        ReturnValues: 'ALL_NEW',
      });
      const { Attributes: item = {} } = await guarded('UpdateItem', once.send(command));
      const old = staleRefusals(item, now);
      if (old.length >= STALE_REFUSALS_TO_CLEAR) await removeAttributes(retrying, tableName, refusalsKey(accountId), old);
    },
    usage: async (accountId, now) => {
      const [item, refusals = {}] = await Promise.all([
        getItem(retrying, tableName, usageKey(accountId)),
        getItem(retrying, tableName, refusalsKey(accountId)),
      ]);
      if (item === undefined) return undefined;
      const view = snapshotOfItem(item, '', now);
      const bans = digestsOf(item).flatMap((digest) => {
        const ban = banOf(item, refusals, digest);
        return isInForce(ban, now) ? [{ keyId: keyIdOf(accountId, digest), ban }] : [];
      });
      bans.sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
      // The history is read after the item, so counters that have left the item are in it.
      const copies = await recordedHistory.read(accountId, now);
      const counted = countersOf(item);
      const admitted = { minutes: merged(copies.minutes, counted.minutes), days: merged(copies.days, counted.days) };
      const history = historyOf({ admitted, refused: refusalsOf(refusals) }, now);
      return { plan: view.plan, quotas: quotasOf(view.limits, view.used, now), bans, history };
    },
  };
  return { usage, leases };
}
