// Leaves the publication of records to the function for the workflow's steps. The control API's function, which the internet can reach, then needs no
// permission to change DNS.

import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { PublishResult, RecordPublisher } from '../../core/domains/ports.ts';

/** Creates the publisher. It rejects if the function fails. @param functionName the name or ARN of the function */
export function createDelegatedPublisher(client: LambdaClient, functionName: string): Pick<RecordPublisher, 'publish'> {
  return {
    publish: async (accountId, host, records) => {
      const payload = JSON.stringify({ publish: { accountId, host, records } });
      const { FunctionError, Payload } = await client.send(new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(payload) }));
      const text = Buffer.from(Payload ?? []).toString();
      if (FunctionError !== undefined) throw new Error(`publishing the records of ${host}: ${text}`);
      return JSON.parse(text) as PublishResult;
    },
  };
}
