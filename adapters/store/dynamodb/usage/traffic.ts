// Visits by project and day in the control table: visits#<day> / <project> has requests (r) and bytes (b).

import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DAY_MS } from '../../../../core/limits/windows.ts';
import { type ProjectTraffic, TRAFFIC_KEPT_DAYS, type TrafficStore } from '../../../../core/projects/project.ts';
import { type DynamoDbClients, guarded, partition } from '../calls.ts';
import { attributes, controlKey, integer, secondsOf, text } from '../items.ts';
import { TTL_ATTRIBUTE } from '../tables.ts';

/** Maximum number of concurrent writes, so that a burst is not throttled. */
const AT_ONCE = 10;

/** Creates the store. An addition is not retried, because it would count twice if only the answer was lost. */
export function createDynamoDbTrafficStore({ once, retrying }: DynamoDbClients, table: string): TrafficStore {
  const add = ({ projectId, day, requests, bytes }: ProjectTraffic) =>
    guarded(
      'UpdateItem',
      once.send(
        new UpdateItemCommand({
          TableName: table,
          Key: controlKey(`visits#${day}`, projectId),
          UpdateExpression: 'SET #ttl = :ttl ADD r :requests, b :bytes',
          ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
          ExpressionAttributeValues: attributes({
            ':ttl': secondsOf(Date.parse(day) + TRAFFIC_KEPT_DAYS * DAY_MS),
            ':requests': requests,
            ':bytes': bytes,
          }),
        }),
      ),
    );

  return {
    add: async (traffic) => {
      const waiting = [...traffic];
      const worker = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await add(next).catch((error: unknown) => faults.push(error));
      };
      const faults: unknown[] = [];
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      // All other additions are done.
      if (faults.length > 0) throw faults[0];
    },
    between: async (first, last) => {
      const found: ProjectTraffic[] = [];
      for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
        const day = new Date(at).toISOString().slice(0, 10);
        const items = await partition(retrying, table, `visits#${day}`);
        found.push(...items.map((item) => ({ projectId: text(item, 'sk'), day, requests: integer(item, 'r'), bytes: integer(item, 'b') })));
      }
      return found;
    },
  };
}
