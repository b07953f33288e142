// The functions for emails to owners, as deployed: they may read and write what they need.

import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { allPages } from '../../testing/suite.ts';

const lambda = new LambdaClient({});

test('emails to owners: a run finds nothing to send, and a survey reads all accounts', async () => {
  const functions = await allPages(async (Marker: string | undefined) => {
    const { Functions = [], NextMarker } = await lambda.send(new ListFunctionsCommand({ ...(Marker !== undefined && { Marker }) }));
    return { items: Functions, next: NextMarker };
  });
  const notifiers = functions.filter(({ Description = '' }) => Description.includes('emails to owners')).map(({ FunctionName = '' }) => FunctionName);
  const ofStage = (stage: string) => notifiers.find((name) => name.startsWith(`${stage}-`));
  expect(notifiers).toHaveLength(2);
  for (const [stage, event] of [
    ['production', {}],
    ['production', { survey: true }],
    ['staging', { survey: true }],
  ] as const) {
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName: ofStage(stage), Payload: JSON.stringify(event) }));
    const text = Buffer.from(Payload ?? []).toString();
    expect(FunctionError, text).toBeUndefined();
    expect(JSON.parse(text)).toMatchObject({ lost: 0, ...(stage === 'production' && { sent: 0 }) });
  }
});
