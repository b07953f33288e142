// SDK clients. Everything but admission may be retried; admission counts with ADD, which is not idempotent.

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** To connect, and to answer, in milliseconds: a caller waits for two calls at the most. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;

export interface DynamoDbClients {
  readonly retrying: DynamoDBClient;
  /** `maxAttempts: 1`. */
  readonly once: DynamoDBClient;
}

/** @param config endpoint, region and credentials where the environment does not give them */
export function createDynamoDbClients(config: DynamoDBClientConfig = {}): DynamoDbClients {
  const requestHandler = { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true };
  return {
    retrying: new DynamoDBClient({ requestHandler, maxAttempts: 3, ...config }),
    once: new DynamoDBClient({ requestHandler, ...config, maxAttempts: 1 }),
  };
}
