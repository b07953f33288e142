// The control API's views of accounts, projects, deployments and domains.

import { OPERATOR, type PlanRequest } from '../../core/access/account.ts';
import type { DeployToken } from '../../core/access/deploy-token.ts';
import type { Invitation } from '../../core/access/invitation.ts';
import { type PlanName, planOf } from '../../core/access/plans.ts';
import type { Member } from '../../core/access/ports.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import { recordsOf } from '../../core/domains/actions.ts';
import { providerView } from '../../core/domains/diagnosis/providers.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { domainView } from '../../core/domains/domain-view.ts';
import { labelOf, parseHostName } from '../../core/domains/host-name.ts';
import { projectTarget } from '../../core/domains/records.ts';
import type { SignInRecord } from '../../core/identity/ports.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';
import type { Deployment, Project } from '../../core/projects/project.ts';
import type { Upload } from '../../core/projects/uploads.ts';
import type { DirectoryPort, OwnAccount } from './context.ts';

/** Returns the view of an account. */
export function accountView({ id, name, plan, limits, createdAt, role, planRequest, suspension, requiresSecondFactor }: OwnAccount) {
  const request = planRequest === undefined ? null : planRequestView(planRequest);
  return {
    accountId: id,
    name,
    plan,
    limits,
    role,
    planRequest: request,
    suspension: suspension === undefined ? null : { since: new Date(suspension.since).toISOString(), reason: suspension.reason },
    secondFactorRequired: requiresSecondFactor === true,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Returns the view of a request for a plan. */
export function planRequestView({ plan, note, requestedAt, decision }: PlanRequest) {
  return {
    plan,
    note,
    requestedAt: new Date(requestedAt).toISOString(),
    decision: decision === undefined ? null : { ...decision, at: new Date(decision.at).toISOString() },
  };
}

/** Returns the view of a member. */
export async function memberView({ userId, role }: Member, directory: Pick<DirectoryPort, 'emailOf'>) {
  return { userId, email: (await directory.emailOf(userId)) ?? null, role };
}

/** Returns the view of a sign-in. */
export function signInView({ at, method, address, ...rest }: SignInRecord) {
  return { ...rest, at: new Date(at).toISOString(), method: method ?? null, address: address ?? null };
}

/** Returns the view of an invitation. */
export async function invitationView(
  { id, email, role, mailed, invitedBy, createdAt, expiresAt }: Invitation,
  directory: Pick<DirectoryPort, 'emailOf'>,
) {
  const inviter = invitedBy === OPERATOR ? null : invitedBy;
  return {
    invitationId: id,
    email,
    role,
    mailed,
    invitedBy: { userId: inviter, email: inviter === null ? null : ((await directory.emailOf(inviter)) ?? null) },
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Returns the view of a deploy token. @param now milliseconds since 1970 */
export function deployTokenView({ id, name, createdBy, createdAt, expiresAt, lastUsedAt }: DeployToken, now: number) {
  return {
    tokenId: id,
    name,
    state: expiresAt > now ? ('active' as const) : ('expired' as const),
    createdBy,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt - (lastUsedAt % MINUTE_MS)).toISOString(),
  };
}

/** Returns the view of a plan. */
export function planView(plan: PlanName) {
  const { label, limits = null, projects, domains, deployment } = planOf(plan);
  return { plan, label, limits, projects, domains, deployment };
}

/** Returns the view of a project. */
export function projectView({ id, accountId, name, token, currentDeploymentId, createdAt }: Project, { edge }: NameRules) {
  return {
    projectId: id,
    accountId,
    name,
    target: projectTarget(token, edge.host),
    deploymentId: currentDeploymentId ?? null,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Returns the view of a project, with its own address if the platform serves such addresses. @param httpsPort the port of all domains */
export function projectViewWithUrl(project: Project, rules: NameRules, httpsPort: number) {
  const view = projectView(project, rules);
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;
  return { ...view, url: rules.edge.servesTargets === true ? `https://${view.target}${port}/` : null };
}

/** Returns the view of a project's deployment. */
export function deploymentView({ id, createdAt, files, bytes, pinned = false }: Deployment, { currentDeploymentId }: Project) {
  return { deploymentId: id, current: id === currentDeploymentId, pinned, createdAt: new Date(createdAt).toISOString(), files, bytes };
}

/** Returns the view of an upload. */
export function uploadView({ deploymentId, expiresAt, files, bytes }: Upload) {
  return { deploymentId, expiresAt: new Date(expiresAt).toISOString(), files, bytes };
}

/** Returns the view of a domain, with the records to set, and how to set them at its DNS provider. @param now milliseconds since 1970 */
export function domainViewWithRecords(domain: Domain, project: Project, rules: NameRules, now: number) {
  const parsed = parseHostName(domain.host, rules.policy);
  const registrable = parsed.ok ? parsed.name.registrable : domain.host;
  const records = recordsOf(project, domain, rules);
  return {
    ...domainView(domain, now),
    records: records.map((record) => ({ ...record, label: labelOf(record.name, registrable) })),
    provider: providerView(domain.zone, records) ?? null,
  };
}

/** Returns the view of a project's configuration. */
export function configurationView({ configuration: { domains, logs } }: Project) {
  const { primary, redirects } = domains;
  return { domains: { ...(primary !== undefined && { primary }), redirects }, ...(logs !== undefined && { logs }) };
}
