// The function for emails to owners, as deployed: it may read and write what it needs. Only the stage production has a sender.

import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { allPages } from '../support/pages.ts';

const lambda = new LambdaClient({});

test('emails to owners: a run finds nothing to send, and a survey reads all accounts', async () => {
  const functions = await allPages(async (Marker: string | undefined) => {
    const { Functions = [], NextMarker } = await lambda.send(new ListFunctionsCommand({ ...(Marker !== undefined && { Marker }) }));
    return { items: Functions, next: NextMarker };
  });
  const notifiers = functions.filter(({ Description = '' }) => Description.includes('emails to owners')).map(({ FunctionName = '' }) => FunctionName);
  expect(notifiers).toEqual([expect.stringMatching(/^production-/)]);
  for (const event of [{}, { survey: true }]) {
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName: notifiers[0], Payload: JSON.stringify(event) }));
    const text = Buffer.from(Payload ?? []).toString();
    expect(FunctionError, text).toBeUndefined();
    expect(JSON.parse(text)).toMatchObject({ sent: 0, lost: 0 });
  }
});
