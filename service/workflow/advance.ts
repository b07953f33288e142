// Does all the work that is due for a domain and everything that follows without a wait: called by the embedded timers.

import type { Domain } from '../../core/domains/domain.ts';
import { mended } from '../../core/domains/mended.ts';
import { isServed, stepsOf } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { apply, performStep } from './steps.ts';

/** Maximum number of transitions that can follow each other without a wait: verified → pending → attaching → live. */
const STATES_AT_ONCE = 6;

/** @returns the domain afterwards; undefined if it no longer exists */
export async function advance(work: DomainWork, domainId: string): Promise<Domain | undefined> {
  for (let count = 0; count < STATES_AT_ONCE; count += 1) {
    const domain = await currentDomain(work, domainId);
    if (domain === undefined) return undefined;
    const outcome = await performState(work, domain);
    // There is nothing to do, or another worker has moved the domain and this call ends.
    if (outcome === undefined) break;
    if (outcome.state.name === domain.state.name || isServed(outcome.state)) return outcome;
  }
  return work.domains.getDomain(domainId);
}

/** Returns a domain, after what a clock that was ahead has stored with it is mended; undefined if it no longer exists. */
export async function currentDomain({ domains, clock }: Pick<DomainWork, 'domains' | 'clock'>, id: string): Promise<Domain | undefined> {
  const domain = await domains.getDomain(id);
  const now = domain && mended(domain, clock());
  if (now === undefined) return domain;
  return (await domains.saveDomain(now, domain as Domain)) === 'saved' ? now : domains.getDomain(id);
}

/** Performs the steps in the domain's state until one reports. @returns undefined if none did, or if the report came too late */
async function performState(work: DomainWork, domain: Domain): Promise<Domain | undefined> {
  for (const step of stepsOf(domain.state)) {
    const report = await performStep(work, domain, step);
    if (report !== undefined) return apply(work, domain, report);
  }
  return undefined;
}
