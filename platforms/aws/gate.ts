// A gate's admission and target on AWS. Separate from the rest of the platform because the gate's function loads this file at each cold start.

import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import type { AccessTableNames } from '../../adapters/store/dynamodb/tables.ts';
import { createDynamoDbUsageStore } from '../../adapters/store/dynamodb/usage/usage.ts';
import type { Stores } from '../../core/ports.ts';

/** Creates the stores with the environment's credentials and region. */
export function createGateStores(tables: AccessTableNames): Required<Pick<Stores, 'usage' | 'leases'>> {
  return createDynamoDbUsageStore(createDynamoDbClients(), tables);
}

type Outcome =
  | { readonly kind: 'returned'; readonly payload: string }
  | { readonly kind: 'failed'; readonly error?: unknown }
  | { readonly kind: 'busy' | 'timeout' | 'too_large' };

/** Errors of Invoke (Lambda API reference, "Invoke") which mean that the function did not receive the request, but may soon accept another. */
const BUSY: ReadonlySet<string> = new Set([
  'TooManyRequestsException',
  // The function is being created, updated or reactivated.
  'CodeArtifactUserPendingException',
  'ENINotReadyException',
  'ResourceConflictException',
  'ResourceNotReadyException',
  'SnapStartNotReadyException',
  'SnapStartTimeoutException',
  // There is no network interface for another execution environment.
  'EC2ThrottledException',
  'ENILimitReachedException',
  'SubnetIPAddressLimitReachedException',
]);
const TOO_LARGE: ReadonlySet<string> = new Set(['RequestTooLargeException', 'SerializedRequestEntityTooLargeException']);
/** The SDK also reports broken connections as timeouts. */
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** In milliseconds. */
const CONNECTION_TIMEOUT_MS = 1_000;

/** Returns a function that invokes the target without retries: requests may have effects, so only their client may retry. @param client for tests */
export function createInvoke(
  functionArn: string,
  client = new LambdaClient({ maxAttempts: 1, requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS } }),
): (payload: string, timeoutMs: number) => Promise<Outcome> {
  return async (payload, timeoutMs) => {
    const abortSignal = AbortSignal.timeout(timeoutMs);
    try {
      const command = new InvokeCommand({ FunctionName: functionArn, Payload: Buffer.from(payload) });
      const { FunctionError, Payload } = await client.send(command, { abortSignal });
      return FunctionError === undefined ? { kind: 'returned', payload: Buffer.from(Payload ?? []).toString() } : { kind: 'failed' };
    } catch (error) {
      return abortSignal.aborted ? { kind: 'timeout' } : outcomeOf(error);
    }
  };
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Error)) return { kind: 'failed', error };
  if (BUSY.has(error.name)) return { kind: 'busy' };
  if (TOO_LARGE.has(error.name)) return { kind: 'too_large' };
  const timedOut = error.name === 'TimeoutError' && !BROKEN.has((error as NodeJS.ErrnoException).code);
  return timedOut ? { kind: 'timeout' } : { kind: 'failed', error };
}
