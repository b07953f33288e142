// Publishes again what has changed lately. A change is stored first and published afterwards: a process that ended in between, or that other writers
// kept from the edge map for too long, has left the edge behind.

import type { AuditAction, AuditEntry } from '../../core/audit/entry.ts';
import { projectsAndDomainsOf } from '../../core/domains/of-account.ts';
import { publish } from '../../core/domains/publication.ts';
import { DOMAIN_STATES, type DomainStateName, isServed } from '../../core/domains/states.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { forEachItem } from './sweep-cycle.ts';

/** Changes of a project after which its visitors get something else. */
const OF_PROJECTS: readonly AuditAction[] = ['deployment.published', 'deployment.served', 'project.configured', 'project.deleted'];
/** Changes after which all projects of an account are served, or none. */
const OF_ACCOUNTS: readonly AuditAction[] = ['account.suspended', 'account.resumed'];

const PAGE = 500;
/** The edge may take the changes of several projects in one step. */
const AT_ONCE = 16;

interface Changed {
  readonly projectId: string;
  /** The hosts that have changed. Undefined: all hosts that are to be served. */
  readonly hosts: readonly string[] | undefined;
}

/**
 * Publishes what has changed.
 *
 * @param since milliseconds since 1970
 * @param onFault called for each project that could not be published
 * @returns number of publications that were attempted; a project may count twice
 */
export async function publishChanges(
  { changes, ...work }: SweepWork,
  since: number,
  onFault: (error: unknown, changed: object) => void,
): Promise<number> {
  if (changes === undefined) return 0;
  const projects = new Set<string>();
  const hosts = new Map<string, Set<string>>();
  const accounts = new Set<string>();
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const { items, next } = await changes.entries({ since }, PAGE, after);
    for (const entry of items) {
      const { action, accountId, subject, details = {} } = entry;
      const projectId = String(details.projectId ?? subject);
      if (OF_PROJECTS.includes(action)) projects.add(projectId);
      if (OF_ACCOUNTS.includes(action) && accountId !== undefined) accounts.add(accountId);
      if (hasServed(entry)) hosts.set(projectId, (hosts.get(projectId) ?? new Set()).add(String(details.host)));
    }
    after = next;
    isLast = next === undefined;
  }
  for (const accountId of accounts) {
    const all = await projectsAndDomainsOf(work, accountId);
    for (const { id } of all.projects) projects.add(id);
    for (const { projectId, host } of all.domains) hosts.set(projectId, (hosts.get(projectId) ?? new Set()).add(host));
  }
  const changed: Changed[] = [
    ...[...projects].map((projectId) => ({ projectId, hosts: undefined })),
    ...[...hosts].map(([projectId, names]) => ({ projectId, hosts: [...names] })),
  ];
  await forEachItem(changed, AT_ONCE, ({ projectId, hosts: names }) => publish(work, { id: projectId }, names), onFault);
  return changed.length;
}

/** Whether a domain has come to the edge or has left it. */
function hasServed({ action, details = {} }: AuditEntry): boolean {
  if (action !== 'domain.state_set') return false;
  return [details.from, details.to].some((name) => typeof name === 'string' && name in DOMAIN_STATES && isServed({ name: name as DomainStateName }));
}
