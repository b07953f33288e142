// A domain's workflow as an execution of the state machine, one per generation.

import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainWorkflow } from '../../core/domains/ports.ts';
import { unlessNamed } from '../aws-errors.ts';

export interface StepFunctionsWorkflow extends DomainWorkflow {
  /** Starts another execution for a domain whose last execution ended early. @param now in milliseconds since 1970; distinguishes restarts */
  restart(domain: Domain, now: number): Promise<void>;
}

/** Further restarts of a domain within this interval, in milliseconds, do nothing. */
const RESTART_MS = 3_600_000;

/** Creates the workflow that starts executions of the state machine. */
export function createStepFunctionsWorkflow(client: SFNClient, stateMachineArn: string): StepFunctionsWorkflow {
  const start = async ({ id, generation }: Domain, name: string): Promise<void> => {
    const input = JSON.stringify({ domainId: id, generation });
    // If the execution is running or has already run, the same name and input mean the same work.
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input })).catch(unlessNamed('ExecutionAlreadyExists'));
  };
  return {
    start: (domain) => start(domain, executionName(domain)),
    restart: (domain, now) => start(domain, `${executionName(domain)}-r${Math.floor(now / RESTART_MS)}`),
  };
}

/** Returns a name of at most 80 characters: letters, digits, hyphens and underscores (API reference). */
function executionName({ id, generation }: Domain): string {
  return `${id}-g${generation}`;
}
