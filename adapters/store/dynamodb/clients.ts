// SDK clients. All calls may be retried except admission, which counts with ADD and is not idempotent.

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** Timeouts for connecting and for the response, in milliseconds: a caller waits for at most two calls. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;
/** How long one attempt takes at most, in milliseconds. */
export const LONGEST_CALL_MS = CONNECTION_TIMEOUT_MS + REQUEST_TIMEOUT_MS;

export interface DynamoDbClients {
  readonly retrying: DynamoDBClient;
  /** The client with `maxAttempts: 1`. */
  readonly once: DynamoDBClient;
}

/**
 * Creates both clients.
 *
 * @param config endpoint, region and credentials where the environment does not provide them
 */
export function createDynamoDbClients(config: DynamoDBClientConfig = {}): DynamoDbClients {
  const requestHandler = { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true };
  return {
    retrying: new DynamoDBClient({ requestHandler, maxAttempts: 3, ...config }),
    once: new DynamoDBClient({ requestHandler, ...config, maxAttempts: 1 }),
  };
}
