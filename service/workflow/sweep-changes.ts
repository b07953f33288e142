// Republishes recent changes. A change is stored first and published afterwards, so the edge may be out of date if the process ended in between, or
// if other writers blocked the edge map for too long.

import type { AuditAction, AuditEntry } from '../../core/audit/entry.ts';
import { projectsAndDomainsOf } from '../../core/domains/actions.ts';
import { isAtEdge, publish } from '../../core/domains/publication.ts';
import { DOMAIN_STATES, type DomainStateName } from '../../core/domains/states.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { forEachItem, runSweep, type SweepList, type SweepRun } from './sweep-cycle.ts';

/** Changes to a project that affect what visitors are served. */
const OF_PROJECTS: readonly AuditAction[] = ['deployment.published', 'deployment.served', 'project.configured', 'project.deleted'];
/** Changes that affect which of an account's projects and domains are served. */
const OF_ACCOUNTS: readonly AuditAction[] = ['account.suspended', 'account.resumed', 'account.plan_set'];

/** Small enough that a page takes less than LAST_PAGE_MS, even if each change has to wait for others. */
const PAGE = 100;
/** Number of changes published concurrently; the edge may accept those of several projects in one step. */
const AT_ONCE = 16;
/** In milliseconds. Changes up to this long before the start of the last complete cycle are republished too, in case it could not publish them. */
const OVERLAP_MS = 60 * 60_000;

interface Changed {
  readonly projectId: string;
  /** The hosts that have changed; undefined for all hosts that are to be served. */
  readonly hosts: readonly string[] | undefined;
}

export interface ChangesReport {
  /** Number of attempted publications; a project may count twice. */
  readonly published: number;
  readonly failed: number;
}

/** Republishes changes since the last complete cycle. @param onFault called for each failed project @returns undefined if another run does so */
export async function publishChanges(
  work: SweepWork,
  run: SweepRun,
  onFault: (error: unknown, changed: object) => void,
): Promise<ChangesReport | undefined> {
  const list: SweepList = async (after, { startedAt, lastStartedAt = startedAt }) => {
    const range = { since: lastStartedAt - OVERLAP_MS, until: startedAt };
    const { items, next } = (await work.changes?.entries(range, PAGE, after)) ?? { items: [], next: undefined };
    const changed = await changedBy(work, items);
    const counts = await forEachItem(changed, AT_ONCE, ({ projectId, hosts }) => publish(work, { id: projectId }, hosts), onFault);
    return { next, counts: { ...counts, published: changed.length } };
  };
  const outcome = await runSweep(run, 'changes', [list]);
  if (outcome === undefined) return undefined;
  const { published = 0, failed = 0 } = outcome.counted;
  return { published, failed };
}

async function changedBy(work: SweepWork, entries: readonly AuditEntry[]): Promise<readonly Changed[]> {
  const projects = new Set<string>();
  const hosts = new Map<string, Set<string>>();
  const accounts = new Set<string>();
  for (const entry of entries) {
    const { action, accountId, subject, details = {} } = entry;
    const projectId = String(details.projectId ?? subject);
    if (OF_PROJECTS.includes(action)) projects.add(projectId);
    if (OF_ACCOUNTS.includes(action) && accountId !== undefined) accounts.add(accountId);
    if (isOfEdge(entry)) hosts.set(projectId, (hosts.get(projectId) ?? new Set()).add(String(details.host)));
  }
  for (const accountId of accounts) {
    const all = await projectsAndDomainsOf(work, accountId);
    for (const { id } of all.projects) projects.add(id);
    for (const { projectId, host } of all.domains) hosts.set(projectId, (hosts.get(projectId) ?? new Set()).add(host));
  }
  return [
    ...[...projects].map((projectId) => ({ projectId, hosts: undefined })),
    ...[...hosts].map(([projectId, names]) => ({ projectId, hosts: [...names] })),
  ];
}

/** Whether a domain was, or may have been, added to the edge or removed from it. */
function isOfEdge({ action, details = {} }: AuditEntry): boolean {
  if (action !== 'domain.state_set') return false;
  return [details.from, details.to].some((name) => typeof name === 'string' && name in DOMAIN_STATES && isAtEdge({ name: name as DomainStateName }));
}
