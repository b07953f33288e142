// Does all the work that is due for a domain, and everything that follows without a wait. Called by the embedded timers.

import * as z from 'zod';
import type { Domain, DomainState } from '../../core/domains/domain.ts';
import { mended } from '../../core/domains/mended.ts';
import { isServed, nextCheckAt, STEP_NAMES, stepsOf } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { actingAs } from '../audit/acting.ts';
import { apply, performStep } from './steps.ts';

/** Maximum number of consecutive transitions without a wait: verified → pending → attaching → live. */
const STATES_AT_ONCE = 6;

/** @returns the resulting domain; undefined if it no longer exists */
export async function advance(work: DomainWork, domainId: string): Promise<Domain | undefined> {
  for (let count = 0; count < STATES_AT_ONCE; count += 1) {
    const domain = await currentDomain(work, domainId);
    if (domain === undefined) return undefined;
    const outcome = await performState(work, domain);
    // There is nothing to do, or another worker has changed the domain's state, so this call ends.
    if (outcome === undefined) break;
    if (outcome.state.name === domain.state.name || isServed(outcome.state)) return outcome;
  }
  return work.domains.getDomain(domainId);
}

/** Returns a domain, after correcting times that were stored while the clock was ahead; undefined if the domain no longer exists. */
async function currentDomain({ domains, clock }: Pick<DomainWork, 'domains' | 'clock'>, id: string): Promise<Domain | undefined> {
  const domain = await domains.getDomain(id);
  const now = domain && mended(domain, clock());
  if (now === undefined) return domain;
  return (await domains.saveDomain(now, domain as Domain)) === 'saved' ? now : domains.getDomain(id);
}

/** Performs the steps in the domain's state until one reports. @returns undefined if none reported, or if the report came too late */
async function performState(work: DomainWork, domain: Domain): Promise<Domain | undefined> {
  for (const step of stepsOf(domain.state)) {
    const report = await performStep(work, domain, step);
    if (report !== undefined) return apply(work, domain, report);
  }
  return undefined;
}

// One step of the state machine. It reads the domain, performs the step if the step is still due, and returns the domain's state; the machine only
// waits and branches. So an execution that is late, runs twice or resumes after a crash does no harm.

export const stepInputSchema = z.strictObject({ step: z.enum(STEP_NAMES), domainId: z.string(), generation: z.int() });

export type StepInput = z.infer<typeof stepInputSchema>;

export interface StepOutcome {
  /** `superseded`: a newer generation is being worked on, or the domain no longer exists. */
  readonly state: DomainState['name'] | 'superseded';
  /** Seconds to wait in this state before its next step. */
  readonly waitSeconds: number;
  /** Set if an attempt to get a certificate failed and the previous attempt had not. */
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
