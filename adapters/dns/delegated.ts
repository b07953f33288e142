// Leaves the publication of records to the function for the workflow's steps. The control API's function, which the internet can reach, then needs no
// permission to change DNS.

import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { PublishResult, RecordPublisher, ZoneInspector } from '../../core/domains/ports.ts';

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

// Leaves the inspection of a zone to the function for the workflow's steps, which has the resolvers' settings, and permission to read Route 53.

/** An owner is waiting for the domain to be added. */
const DEADLINE_MS = 2_000;

/** Creates the inspector. @param functionName the name or ARN of the function */
export function createDelegatedInspector(client: LambdaClient, functionName: string): ZoneInspector {
  return {
    inspect: async (accountId, host) => {
      const payload = JSON.stringify({ inspect: { accountId, host } });
      try {
        const { FunctionError, Payload } = await client.send(new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(payload) }), {
          abortSignal: AbortSignal.timeout(DEADLINE_MS),
        });
        // Without a zone, the function returns null.
        return FunctionError === undefined ? (JSON.parse(Buffer.from(Payload ?? []).toString()) ?? undefined) : undefined;
      } catch {
        // A cold start takes longer: the first check finds it out.
        return undefined;
      }
    },
  };
}
