// What the control API shows of an account, a project, a deployment and a domain.

import type { Account } from '../../core/access/account.ts';
import { type PlanName, planOf } from '../../core/access/plans.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import { recordsOf } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { labelOf, parseHostName } from '../../core/domains/host-name.ts';
import { projectTarget } from '../../core/domains/project-target.ts';
import { shownDomain } from '../../core/domains/shown.ts';
import type { Deployment, Project } from '../../core/projects/project.ts';

export function shownAccount({ id, name, plan, limits, createdAt }: Account) {
  return { accountId: id, name, plan, limits, createdAt: new Date(createdAt).toISOString() };
}

export function shownPlan(plan: PlanName) {
  const { label, limits = null, projects, domains } = planOf(plan);
  return { plan, label, limits, projects, domains };
}

export function shownProject({ id, accountId, name, token, currentDeploymentId, createdAt }: Project, { edge }: NameRules) {
  return {
    projectId: id,
    accountId,
    name,
    target: projectTarget(token, edge.host),
    deploymentId: currentDeploymentId ?? null,
    createdAt: new Date(createdAt).toISOString(),
  };
}

export function shownDeployment({ id, createdAt, files, bytes }: Deployment, { currentDeploymentId }: Project) {
  return { deploymentId: id, current: id === currentDeploymentId, createdAt: new Date(createdAt).toISOString(), files, bytes };
}

export function shownDomainWithRecords(domain: Domain, project: Project, rules: NameRules, now: number) {
  const parsed = parseHostName(domain.host, rules.policy);
  const registrable = parsed.ok ? parsed.name.registrable : domain.host;
  return {
    ...shownDomain(domain, now),
    records: recordsOf(project, domain, rules).map((record) => ({ ...record, label: labelOf(record.name, registrable) })),
  };
}

export function shownConfiguration({ configuration: { domains } }: Project) {
  const { primary, redirects } = domains;
  return { domains: { ...(primary !== undefined && { primary }), redirects } };
}
