// What happens to domains while their account is suspended.

import { type DomainPorts, move, projectsAndDomainsOf } from './actions.ts';
import type { Domain } from './domain.ts';
import { publish } from './publication.ts';

/** Suspending the account suspends domains in these states, which are served or may soon be. */
const UNDER_WAY: readonly Domain['state']['name'][] = [
  ...(['verifying', 'dns_failed', 'verified', 'certificate_pending', 'certificate_failed', 'attaching'] as const),
  ...(['live', 'degraded', 'certificate_expired'] as const),
];

/** The ports that stop and start what an account serves. */
export type ServingPorts = DomainPorts;

/**
 * Stops serving a suspended account's projects, at their own addresses and on their domains, before this resolves. Idempotent.
 *
 * @param now milliseconds since 1970
 * @returns the domains that were suspended
 */
export async function stopServing(ports: ServingPorts, accountId: string, now: number): Promise<readonly Domain[]> {
  const { projects, domains } = await projectsAndDomainsOf(ports, accountId);
  const hostsOf = Map.groupBy(domains, ({ projectId }) => projectId);
  // Done concurrently, because the edge may accept many changes in one step.
  await Promise.all(
    projects.map((project) =>
      publish(
        ports,
        project,
        hostsOf.get(project.id)?.map(({ host }) => host),
      ),
    ),
  );
  const suspended: Domain[] = [];
  for (const domain of domains) {
    if (!UNDER_WAY.includes(domain.state.name)) continue;
    const moved = await move(ports.domains, domain, { kind: 'suspend', reason: 'by_operator' }, now);
    if (moved.ok) suspended.push(moved.domain);
  }
  return suspended;
}

/**
 * Resumes serving an account's projects: at their own addresses immediately, on their domains once these are verified. Idempotent.
 *
 * @param now milliseconds since 1970
 * @returns the domains that are being verified
 */
export async function startServing(ports: ServingPorts, accountId: string, now: number): Promise<readonly Domain[]> {
  const { projects, domains } = await projectsAndDomainsOf(ports, accountId);
  await Promise.all(projects.map((project) => publish(ports, project)));
  const resumed: Domain[] = [];
  for (const domain of domains) {
    if (domain.state.name !== 'suspended' || domain.state.reason !== 'by_operator') continue;
    const moved = await move(ports.domains, domain, { kind: 'verify' }, now);
    if (!moved.ok) continue;
    await ports.workflow.start(moved.domain);
    resumed.push(moved.domain);
  }
  return resumed;
}
