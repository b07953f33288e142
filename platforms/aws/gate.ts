// What a gate needs on AWS: the stores of admission, and the invocation of the function behind it. Separate from the rest of the platform, because the
// gate's function loads this file at each cold start.

import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { createDynamoDbUsageStore } from '../../adapters/store/dynamodb/usage.ts';
import type { Stores } from '../../core/stores.ts';
import type { GateSettings } from './gate-settings.ts';

/** Creates the stores with the environment's credentials and region. */
export function createGateStores(tables: GateSettings['tables']): Required<Pick<Stores, 'usage' | 'leases'>> {
  return createDynamoDbUsageStore(createDynamoDbClients(), tables);
}

type Outcome =
  | { readonly kind: 'returned'; readonly payload: string }
  | { readonly kind: 'failed' }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too_large' };

/** Errors of Invoke that say something about the function or the request (Lambda API reference, "Invoke"). All others are faults of ours. */
const KNOWN: Readonly<Record<string, Outcome>> = {
  TooManyRequestsException: { kind: 'throttled' },
  RequestTooLargeException: { kind: 'too_large' },
  AbortError: { kind: 'timeout' },
  TimeoutError: { kind: 'timeout' },
};

/** In milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * Returns a function that invokes another one, once: a request may have effects, so only the client may repeat it.
 *
 * @param client for tests. @default one with the environment's credentials and region
 */
export function createInvoke(
  functionArn: string,
  timeoutMs: number,
  client = new LambdaClient({ maxAttempts: 1, requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS } }),
): (payload: string) => Promise<Outcome> {
  return async (payload) => {
    try {
      const { FunctionError, Payload } = await client.send(new InvokeCommand({ FunctionName: functionArn, Payload: Buffer.from(payload) }), {
        abortSignal: AbortSignal.timeout(timeoutMs),
      });
      return FunctionError === undefined ? { kind: 'returned', payload: Buffer.from(Payload ?? []).toString() } : { kind: 'failed' };
    } catch (error) {
      const known = error instanceof Error ? KNOWN[error.name] : undefined;
      if (known === undefined) throw error;
      return known;
    }
  };
}
