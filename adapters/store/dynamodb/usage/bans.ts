// Bans in the usage table. Admission compares only a ban's end, so the account's item, which each request writes, contains only the end; the rest is
// in the refusals item. A ban takes effect with the first of the two writes. If the second is never made, the ban counts as the key's first.

import type { AttributeValue, DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Ban, CLOCK_DIFFERENCE_MS, isForgotten } from '../../../../core/limits/ban.ts';
import { getItem, isWritten, updateItem } from '../calls.ts';
import { attributes, type Item, integer, keyAttribute, malformed, refusalsKey, shortened, usageKey } from '../items.ts';

const MOMENT_BYTES = 6;

/** Returns the attribute of a key's last ban: only its end in the account's item, the whole ban in the refusals item. */
export const banAttribute = (digest: string) => `b${shortened(digest)}`;

/** Encodes a time, in milliseconds since 1970, in six bytes, not eight. DynamoDB compares bytes as unsigned numbers (API reference, Condition). */
export function momentValue(time: number): AttributeValue.BMember {
  const bytes = Buffer.alloc(MOMENT_BYTES);
  bytes.writeUIntBE(Math.max(0, time), 0, MOMENT_BYTES);
  return { B: bytes };
}

/** Builds the value of a ban in the refusals item. */
export function banValue(ban: Ban): AttributeValue {
  return { M: attributes({ f: ban.since, u: ban.until, l: ban.level }) };
}

/** Whether the key has a ban according to the account's item. The rest of the ban is in the refusals item. */
export function hasBan(item: Item, digest: string): boolean {
  return item[banAttribute(digest)] !== undefined;
}

/** Returns a key's last ban; undefined if it has none. @param refusals the refusals item */
export function banOf(item: Item, refusals: Item, digest: string): Ban | undefined {
  const attribute = banAttribute(digest);
  const until = momentOf(item, attribute);
  if (until === undefined) return undefined;
  const whole = refusals[attribute] && toBan(refusals[attribute]);
  // The end in the account's item is authoritative.
  return whole !== undefined && Math.max(0, whole.until) === until ? whole : { since: 0, until, level: whole?.level ?? 1 };
}

/** Reads the refusals item if the account's item says that one of its keys has a ban. */
export async function readBans(client: DynamoDBClient, table: string, accountId: string, item: Item | undefined): Promise<Item> {
  const needed = item !== undefined && markedAttributes(item).length > 0;
  return (needed && (await getItem(client, table, refusalsKey(accountId)))) || {};
}

function momentOf(item: Item, attribute: string): number | undefined {
  const value = item[attribute];
  if (value === undefined) return undefined;
  if (value.B?.length !== MOMENT_BYTES) throw malformed(attribute, value);
  return Buffer.from(value.B).readUIntBE(0, MOMENT_BYTES);
}

function toBan(value: AttributeValue): Ban {
  const ban = value.M;
  if (ban === undefined) throw malformed('of a ban', value);
  return { since: integer(ban, 'f'), until: integer(ban, 'u'), level: integer(ban, 'l') };
}

function markedAttributes(item: Item): readonly string[] {
  return Object.keys(item).filter((name) => /^b[\w-]{6}$/.test(name));
}

/** Replaces the ban in the item that was read. @param also further writes in the same transaction @returns false if the key or its ban has changed */
export async function replaceBan(
  client: DynamoDBClient,
  table: string,
  { accountId, digest, item }: { readonly accountId: string; readonly digest: string; readonly item: Item },
  ban: Ban,
  also: TransactWriteItem[] = [],
): Promise<boolean> {
  const marked = item[banAttribute(digest)];
  const replacement = {
    UpdateExpression: 'SET #b = :mark',
    ConditionExpression: `attribute_exists(#k) AND ${marked === undefined ? 'attribute_not_exists(#b)' : '#b = :b'}`,
    ExpressionAttributeNames: { '#k': keyAttribute(digest), '#b': banAttribute(digest) },
    ExpressionAttributeValues: {
      ':mark': momentValue(ban.until),
      ...(marked !== undefined && { ':b': marked }),
    },
  };
  const Update = { TableName: table, Key: usageKey(accountId), ...replacement };
  const isReplaced = also.length === 0 ? (await updateItem(client, Update)) !== undefined : await isWritten(client, [{ Update }, ...also]);
  if (!isReplaced) return false;
  // Another process may have stored its ban first; it is kept if it began later.
  await updateItem(client, {
    TableName: table,
    Key: refusalsKey(accountId),
    UpdateExpression: 'SET #b = :ban',
    ConditionExpression: 'attribute_not_exists(#b) OR #b.#f <= :since OR #b.#f > :future',
    ExpressionAttributeNames: { '#b': banAttribute(digest), '#f': 'f' },
    ExpressionAttributeValues: attributes({ ':ban': banValue(ban), ':since': ban.since, ':future': ban.since + CLOCK_DIFFERENCE_MS }),
  });
  return true;
}

/** Drops bans that no longer count, each only if it is still the one that was read, so that a new ban is never dropped. */
export async function tidyBans(client: DynamoDBClient, table: string, accountId: string, item: Item, now: number): Promise<void> {
  for (const attribute of markedAttributes(item)) {
    const until = momentOf(item, attribute) ?? 0;
    if (!isForgotten({ since: 0, until, level: 1 }, now)) continue;
    const values = { ':mark': item[attribute] as AttributeValue };
    if (!(await drop(usageKey(accountId), attribute, '#b = :mark', values))) continue;
    // A ban that was stored after the read ends later, so it is kept.
    await drop(refusalsKey(accountId), attribute, '#b.#u <= :until', attributes({ ':until': until }), { '#u': 'u' });
  }

  /** @returns whether the condition held */
  async function drop(Key: Item, attribute: string, condition: string, values: Item, names: Record<string, string> = {}): Promise<boolean> {
    const dropped = await updateItem(client, {
      TableName: table,
      Key,
      UpdateExpression: 'REMOVE #b',
      ConditionExpression: condition,
      ExpressionAttributeNames: { '#b': attribute, ...names },
      ExpressionAttributeValues: values,
    });
    return dropped !== undefined;
  }
}
