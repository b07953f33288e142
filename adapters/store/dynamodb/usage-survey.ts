// All accounts' usage in the usage table, for notifications. A scan: an account has a kilobyte there, so that a thousand accounts cost 125 read units,
// eventually consistent.

import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { keyIdOf } from '../../../core/access/api-key.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import type { UsageSurvey } from '../../../core/notifications/ports.ts';
import type { SurveyedUsage } from '../../../core/notifications/usage-notifications.ts';
import { banOf, hasBan } from './bans.ts';
import { getItem } from './calls.ts';
import { guarded } from './faults.ts';
import { digestsOf, type Item, integer, refusalsKey, text } from './items.ts';
import { countersOf } from './usage-item.ts';

/** Creates the survey of the usage table. @param pageItems items in a page, for tests. @default as many as fit in one response, 1 MB */
export function createDynamoDbUsageSurvey(client: DynamoDBClient, table: string, pageItems?: number): UsageSurvey {
  async function surveyed(item: Item, now: number): Promise<SurveyedUsage> {
    const accountId = text(item, 'accountId');
    const digests = digestsOf(item).filter((digest) => hasBan(item, digest));
    // Only an account with a recent ban needs its other item, which has the ban's beginning.
    const refusals = digests.length === 0 ? {} : ((await getItem(client, table, refusalsKey(accountId))) ?? {});
    const bans = digests.flatMap((digest) => {
      const ban = banOf(item, refusals, digest);
      return ban === undefined ? [] : [{ keyId: keyIdOf(accountId, digest), ban }];
    });
    return { accountId, day: { used: countersOf(item).days.get(windowsAt(now).day) ?? 0, limit: integer(item, 'dl') }, bans };
  }

  return {
    usagePage: async (now, after) => {
      const command = new ScanCommand({
        TableName: table,
        // Items of refusals have no limits.
        FilterExpression: 'attribute_exists(dl)',
        ...(pageItems !== undefined && { Limit: pageItems }),
        ...(after !== undefined && { ExclusiveStartKey: { accountId: { S: after } } }),
      });
      const { Items = [], LastEvaluatedKey } = await guarded('Scan', client.send(command));
      const items: SurveyedUsage[] = [];
      for (const item of Items) items.push(await surveyed(item, now));
      return { items, next: LastEvaluatedKey && text(LastEvaluatedKey, 'accountId') };
    },
  };
}
