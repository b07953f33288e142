// What a domain needs besides its DNS: a plan with custom domains, and a deployment (specification, section 4). Checked when the domain is added,
// at Verify, and again before it is attached, because both can change in 48 hours.

import { type Account, suspendedMessage } from '../access/account.ts';
import { PLANS_WITH_DOMAINS, planOf } from '../access/plans.ts';
import type { Project } from '../projects/project.ts';
import type { SuspensionReason } from './domain.ts';

export interface GuardFailure {
  readonly reason: SuspensionReason;
  /** What is missing, as a message. */
  readonly message: string;
}

/** @returns undefined if nothing is missing */
export function guardFailure(account: Account | undefined, project: Project | undefined): GuardFailure | undefined {
  if (account === undefined || project === undefined)
    return { reason: 'account', message: 'the account or the project of this domain no longer exists' };
  if (account.suspension !== undefined) return { reason: 'by_operator', message: suspendedMessage(account.id, account.suspension) };
  if (planOf(account.plan).domains === 0) {
    return { reason: 'plan', message: `custom domains need a paid plan: got plan ${account.plan}; allowed: ${PLANS_WITH_DOMAINS.join(', ')}` };
  }
  if (project.currentDeploymentId === undefined) {
    return { reason: 'no_deployment', message: `project ${project.id} has no deployment yet: deploy a folder first` };
  }
  return undefined;
}
