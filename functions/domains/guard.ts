// What a domain needs beside its DNS: a plan that has custom domains, and something to serve (specification, section 4).

import type { PlanName } from '../../core/access/plans.ts';
import type { SuspensionReason } from '../../core/domains/domain.ts';
import type { AccountStore, ProjectStore } from '../../core/ports.ts';

const PLANS_WITH_DOMAINS: readonly PlanName[] = ['pro', 'business', 'enterprise'];

export interface GuardFailure {
  readonly reason: SuspensionReason;
  /** What is needed, for people. */
  readonly message: string;
}

/** Asked at Verify, and again before the domain is attached: both can change in 48 hours. */
export async function guardFailure(
  stores: { readonly accounts: Pick<AccountStore, 'getAccount'>; readonly projects: Pick<ProjectStore, 'getProject'> },
  { accountId, projectId }: { readonly accountId: string; readonly projectId: string },
): Promise<GuardFailure | undefined> {
  const account = await stores.accounts.getAccount(accountId);
  if (account === undefined) return { reason: 'account', message: `account ${accountId} is gone` };
  if (!PLANS_WITH_DOMAINS.includes(account.plan)) {
    return { reason: 'plan', message: `custom domains need a paid plan: got plan ${account.plan}; allowed: ${PLANS_WITH_DOMAINS.join(', ')}` };
  }
  const project = await stores.projects.getProject(projectId);
  if (project?.currentDeploymentId === undefined) {
    return { reason: 'no_deployment', message: `project ${projectId} has no deployment yet: publish one first` };
  }
  return undefined;
}
