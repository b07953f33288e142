// Leaves the inspection of a zone to the function for the workflow's steps, which has the resolvers' settings, and permission to read Route 53.

import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { ZoneInspector } from '../../core/domains/ports.ts';

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
