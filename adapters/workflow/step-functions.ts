// The work on a domain as an execution of the state machine, one a generation.

import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainWorkflow } from '../../core/domains/ports.ts';

export interface StepFunctionsWorkflow extends DomainWorkflow {
  /** Starts the work once more, for a domain whose execution has ended before its time. @param now tells tries apart */
  restart(domain: Domain, now: number): Promise<void>;
}

/** Executions of one name may start again after this; within it a second restart does nothing. */
const RESTART_MS = 3_600_000;

export function createStepFunctionsWorkflow(client: SFNClient, stateMachineArn: string): StepFunctionsWorkflow {
  const start = async ({ id, generation }: Domain, name: string): Promise<void> => {
    const input = JSON.stringify({ domainId: id, generation });
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input })).catch((error: unknown) => {
      // It runs already, or has run: the same name and input are the same work.
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    });
  };
  return {
    start: (domain) => start(domain, executionName(domain)),
    restart: (domain, now) => start(domain, `${executionName(domain)}-r${Math.floor(now / RESTART_MS)}`),
  };
}

/** At most 80 characters of letters, digits, hyphens and underscores (API reference). */
function executionName({ id, generation }: Domain): string {
  return `${id}-g${generation}`;
}
