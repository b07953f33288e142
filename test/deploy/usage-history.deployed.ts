// The usage history on the emulated AWS: the first request of a minute copies what the account has counted before, with the function's own permissions.

import { QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { expect, test } from 'vitest';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { usageKey } from '../../adapters/store/dynamodb/items.ts';
import { minuteAttribute } from '../../adapters/store/dynamodb/usage/usage-item.ts';
import { windowsAt } from '../../core/limits/windows.ts';
import { parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { startTarget } from '../e2e/target.ts';
import { eventually } from '../support/eventually.ts';

test('the first request of a minute copies the minutes before it', async () => {
  const target = await startTarget();
  const clients = createDynamoDbClients();
  const { Parameters = [] } = await new SSMClient({}).send(
    new GetParametersByPathCommand({ Path: parameterPath(String(process.env.E2E_STAGE), 'tables') }),
  );
  const table = (name: string) => Parameters.find(({ Name }) => Name?.endsWith(`/${name}`))?.Value ?? '';
  try {
    const { accountId, key } = await target.issueKey(['pro']);
    const minute = windowsAt(Date.now()).minute - 3;
    // As if there had been requests then.
    await clients.retrying.send(
      new UpdateItemCommand({
        TableName: table('usage'),
        Key: usageKey(accountId),
        UpdateExpression: 'SET #minute = :five',
        ExpressionAttributeNames: { '#minute': minuteAttribute(minute) },
        ExpressionAttributeValues: { ':five': { N: '5' } },
      }),
    );
    const history = new QueryCommand({
      TableName: table('control'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: `usage-history#${accountId}` } },
    });
    // A function's process is frozen between requests: the second one lets it end the work that the first one has left.
    await eventually(
      async () => {
        expect((await fetch(`${target.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
        return JSON.stringify((await clients.retrying.send(history)).Items);
      },
      (items) => expect(items).toContain(`"w${minute % 60}":{"N":"5"}`),
    );
    type Usage = { history: { minutes: { admitted: number }[] } };
    const { minutes } = (await target.petstore<Usage>(['usage', '--account', accountId])).history;
    expect(minutes.map(({ admitted }) => admitted)).toContain(5);
  } finally {
    for (const client of [clients.once, clients.retrying]) client.destroy();
    await target.stop();
  }
});
