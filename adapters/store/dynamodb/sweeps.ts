// The progress of the sweeps, in the control table: sweep / <name> is one sweep's, sweep#<thing> / reported is when a thing was first reported.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isTaken, type SweepProgress, type SweepStore } from '../../../core/domains/queue.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { getItem, putItem } from './calls.ts';
import { attributes, controlKey, type Item, integer, json, text, timeToLive } from './items.ts';

/** How long a report is stored. */
const REPORTED_MS = 7 * DAY_MS;

/** Creates the store of the sweeps' progress. */
export function createDynamoDbSweepStore(client: DynamoDBClient, table: string): SweepStore {
  const keyOf = (name: string) => controlKey('sweep', name);

  const itemOf = (name: string, run: string, progress: SweepProgress, until: number): Item => ({
    ...keyOf(name),
    ...attributes({ takenBy: run, takenUntil: until, progress: JSON.stringify(progress) }),
  });

  const progressOf = (item: Item | undefined): SweepProgress => (item === undefined ? {} : json(item, 'progress'));

  return {
    read: async (name) => progressOf(await getItem(client, table, keyOf(name))),

    take: async (name, run, now, until) => {
      const found = await getItem(client, table, keyOf(name));
      if (found !== undefined && isTaken(integer(found, 'takenUntil'), now, until)) return undefined;
      const progress = progressOf(found);
      const taken = itemOf(name, run, progress, until);
      // Of several runs that have read the same, one succeeds: each changes the name of the run.
      const before = { ':before': found ? text(found, 'takenBy') : run };
      const refused = await putItem(client, table, taken, 'attribute_not_exists(pk) OR takenBy = :before', before);
      return refused === undefined ? progress : undefined;
    },

    save: async (name, run, progress, until) => {
      const item = itemOf(name, run, progress, until);
      return (await putItem(client, table, item, 'takenBy = :run', { ':run': run })) === undefined;
    },

    firstReported: async (thing, now) => {
      const item = { ...controlKey(`sweep#${thing}`, 'reported'), ...attributes({ since: now }), ...timeToLive(now + REPORTED_MS) };
      // TTL deletion can take days, so the age is checked here as well.
      const known = await putItem(client, table, item, 'attribute_not_exists(pk) OR since <= :forgotten', { ':forgotten': now - REPORTED_MS });
      return known === undefined ? now : integer(known, 'since');
    },
  };
}
