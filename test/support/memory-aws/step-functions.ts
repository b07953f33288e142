// Step Functions: starts executions, whose names are unique.

import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { CLIENT_SETTINGS, type MemoryAccount } from './account.ts';

/** Creates a client of the account's Step Functions. */
export function stepFunctionsOf(account: MemoryAccount): SFNClient {
  const client = account.clientOf(new SFNClient(CLIENT_SETTINGS));

  account.on(StartExecutionCommand, ({ stateMachineArn, name = '', input = '' }) => {
    const same = account.executions.get(name);
    // While an execution runs, a start with the same input is idempotent (API reference).
    if (same !== undefined && !(same.isRunning && same.input === input)) throw new ExecutionAlreadyExists({ message: 'exists', $metadata: {} });
    account.executions.set(name, { input, isRunning: true });
    return { executionArn: `${stateMachineArn?.replace(':stateMachine:', ':execution:')}:${name}`, startDate: new Date(0) };
  });

  return client;
}
