// The progress of the sweeps, in the control table: sweep / <name> is one sweep's, sweep#<thing> / reported is when a thing was first reported.

import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { isTaken, type SweepProgress, type SweepStore } from '../../../core/domains/queue.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { getItem } from './calls.ts';
import { refusedBy } from './faults.ts';
import { type Item, integer, json, text } from './items.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** How long a report is stored. */
const REPORTED_MS = 7 * DAY_MS;

/** Creates the store of the sweeps' progress. */
export function createDynamoDbSweepStore(client: DynamoDBClient, table: string): SweepStore {
  const keyOf = (name: string): Item => ({ pk: { S: 'sweep' }, sk: { S: name } });

  /** @returns the item that failed the condition; undefined if written */
  const put = (item: Item, condition: string, values: Item): Promise<Item | undefined> =>
    refusedBy(
      'PutItem',
      client.send(
        new PutItemCommand({
          TableName: table,
          Item: item,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );

  const progressOf = (item: Item | undefined): SweepProgress => (item === undefined ? {} : json(item, 'progress'));

  return {
    read: async (name) => progressOf(await getItem(client, table, keyOf(name))),

    take: async (name, run, now, until) => {
      const found = await getItem(client, table, keyOf(name));
      if (found !== undefined && isTaken(integer(found, 'takenUntil'), now, until)) return undefined;
      const progress = progressOf(found);
      const taken = { ...keyOf(name), takenBy: { S: run }, takenUntil: { N: String(until) }, progress: { S: JSON.stringify(progress) } };
      // Of several runs that have read the same, one succeeds: each changes the name of the run.
      const refused = await put(taken, 'attribute_not_exists(pk) OR takenBy = :before', { ':before': { S: found ? text(found, 'takenBy') : run } });
      return refused === undefined ? progress : undefined;
    },

    save: async (name, run, progress, until) => {
      const item = { ...keyOf(name), takenBy: { S: run }, takenUntil: { N: String(until) }, progress: { S: JSON.stringify(progress) } };
      return (await put(item, 'takenBy = :run', { ':run': { S: run } })) === undefined;
    },

    firstReported: async (thing, now) => {
      const item = {
        pk: { S: `sweep#${thing}` },
        sk: { S: 'reported' },
        since: { N: String(now) },
        [TTL_ATTRIBUTE]: { N: String(Math.ceil((now + REPORTED_MS) / 1_000)) },
      };
      // TTL deletion can take days, so the age is checked here as well.
      const known = await put(item, 'attribute_not_exists(pk) OR since <= :forgotten', { ':forgotten': { N: String(now - REPORTED_MS) } });
      return known === undefined ? now : integer(known, 'since');
    },
  };
}
