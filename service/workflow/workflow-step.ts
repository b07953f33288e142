// One step of the state machine. It reads the domain, performs the step if the step is still due, and returns the domain's state; the machine only
// waits and branches. So an execution that runs late, twice, or after a crash does no harm.

import * as z from 'zod';
import type { DomainState } from '../../core/domains/domain.ts';
import { nextCheckAt, STEP_NAMES, stepsOf } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { actingAs } from '../audit/acting.ts';
import { currentDomain } from './advance.ts';
import { apply, performStep } from './steps.ts';

export const stepInputSchema = z.strictObject({ step: z.enum(STEP_NAMES), domainId: z.string(), generation: z.int() });

export type StepInput = z.infer<typeof stepInputSchema>;

export interface StepOutcome {
  /** `superseded`: a newer generation is being worked on, or the domain no longer exists. */
  readonly state: DomainState['name'] | 'superseded';
  /** Seconds to wait in this state before its next step. */
  readonly waitSeconds: number;
  /** Set if an attempt at a certificate failed, the first one in a row. */
  readonly certificateFailed?: true;
}

const SUPERSEDED: StepOutcome = { state: 'superseded', waitSeconds: 0 };

/** Performs a step for a generation, and returns the resulting state. */
export function performWorkflowStep(work: DomainWork, input: StepInput): Promise<StepOutcome> {
  return actingAs({ kind: 'workflow' }, () => perform(work, input));
}

async function perform(work: DomainWork, { step, domainId, generation }: StepInput): Promise<StepOutcome> {
  const domain = await currentDomain(work, domainId);
  if (domain?.generation !== generation) return SUPERSEDED;
  const report = stepsOf(domain.state).includes(step) ? await performStep(work, domain, step) : undefined;
  if (report !== undefined) await apply(work, domain, report);
  const current = report === undefined ? domain : await work.domains.getDomain(domainId);
  if (current?.generation !== generation) return SUPERSEDED;
  const wake = nextCheckAt(current.state);
  const waitSeconds = wake === undefined ? 0 : Math.max(0, Math.ceil((wake - work.clock()) / 1_000));
  const hasFailed = domain.lastFailure === undefined && current.lastFailure !== undefined;
  return { state: current.state.name, waitSeconds, ...(hasFailed && { certificateFailed: true as const }) };
}
