// What a domain needs beside its DNS: a plan that has custom domains, and something to serve (specification, section 4). Asked when
// it is added, at Verify, and again before it is attached: both can change in 48 hours.

import type { Account } from '../access/account.ts';
import { PLANS_WITH_DOMAINS, planOf } from '../access/plans.ts';
import type { Project } from '../projects/project.ts';
import type { SuspensionReason } from './domain.ts';

export interface GuardFailure {
  readonly reason: SuspensionReason;
  /** What is needed, for people. */
  readonly message: string;
}

/** @returns undefined if nothing is in the way */
export function guardFailure(account: Account | undefined, project: Project | undefined): GuardFailure | undefined {
  if (account === undefined || project === undefined) return { reason: 'account', message: 'the account or the project of this domain is gone' };
  if (planOf(account.plan).domains === 0) {
    return { reason: 'plan', message: `custom domains need a paid plan: got plan ${account.plan}; allowed: ${PLANS_WITH_DOMAINS.join(', ')}` };
  }
  if (project.currentDeploymentId === undefined) {
    return { reason: 'no_deployment', message: `project ${project.id} has no deployment yet: publish one first` };
  }
  return undefined;
}
