// The secret of a gate's target, in Parameter Store.

import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

/** Time limit for a read with all its attempts, in milliseconds: short, because a request waits for it. */
const READ_TIMEOUT_MS = 2_000;
/** Time limit for one attempt, in milliseconds. */
const ATTEMPT_TIMEOUT_MS = 1_000;

/** Returns a function that reads a SecureString. It rejects if the parameter does not exist or can't be read by the role. @param client for tests */
export function createSecretReader(
  parameter: string,
  client = new SSMClient({
    requestHandler: { connectionTimeout: ATTEMPT_TIMEOUT_MS, requestTimeout: ATTEMPT_TIMEOUT_MS, throwOnRequestTimeout: true },
  }),
): () => Promise<string> {
  return async () => {
    const command = new GetParameterCommand({ Name: parameter, WithDecryption: true });
    const { Parameter } = await client.send(command, { abortSignal: AbortSignal.timeout(READ_TIMEOUT_MS) });
    return Parameter?.Value ?? '';
  };
}
