// The sweep finds work that no other worker returns to: daily checks of live domains, work whose execution was lost, and what a crash left behind
// at the edge.

import type { Domain } from '../../core/domains/domain.ts';
import { isRenewalOverdue } from '../../core/domains/renewal.ts';
import { isGone, isServed, nextCheckAt } from '../../core/domains/states.ts';
import type { DomainWork, SweepWork } from '../../core/domains/work.ts';
import { advance } from './advance.ts';

export interface SweepReport {
  /** Live domains that were checked. */
  readonly checked: number;
  /** Domains whose work was restarted. */
  readonly restarted: number;
  /** Domains that are at least an hour overdue for a check. */
  readonly stuck: number;
  /** Live domains whose certificate is long overdue for renewal. */
  readonly renewalOverdue: number;
  /** Domains for which a step failed. */
  readonly failed: number;
}

/** Maximum number of domains checked in one sweep; the next sweep continues from there. */
const AT_ONCE = 500;
const SIDE_BY_SIDE = 8;
/** An execution that is still running moves a domain sooner. */
const LOST_AFTER_MS = 15 * 60_000;
const STUCK_AFTER_MS = 60 * 60_000;

/** Sweeps the domains that are due. @param onFault called for each domain that could not be checked; the others still are */
export async function sweep(work: SweepWork, onFault: (error: unknown, domain: Domain) => void): Promise<SweepReport> {
  const now = work.clock();
  const due = await work.domains.dueDomains(now, AT_ONCE);
  const counts = { checked: 0, restarted: 0, stuck: 0, renewalOverdue: 0, failed: 0 };

  async function look(domain: Domain): Promise<void> {
    if (isServed(domain.state)) {
      counts.checked += 1;
      const after = await advance(work, domain.id);
      const certificate = after !== undefined && 'certificate' in after.state ? await work.authority.check(after.state.certificate) : undefined;
      if (certificate?.kind === 'issued' && certificate.life !== undefined && isRenewalOverdue(certificate.life, now)) counts.renewalOverdue += 1;
      return;
    }
    const late = now - (nextCheckAt(domain.state) ?? now);
    if (late >= STUCK_AFTER_MS) counts.stuck += 1;
    if (late < LOST_AFTER_MS) return;
    await work.restart(domain, now);
    counts.restarted += 1;
  }

  const waiting = [...due];
  const worker = async () => {
    for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
      const current = domain;
      await look(current).catch((error) => {
        counts.failed += 1;
        onFault(error, current);
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return counts;
}

/**
 * Deletes what remains at the edge for removed domains.
 *
 * @returns the number of tenants at the edge, and the number of orphans found
 */
export async function sweepOrphans(work: DomainWork): Promise<{ readonly tenants: number; readonly orphans: number }> {
  let orphans = 0;
  for (const entry of await work.edge.hosts()) {
    const claims = await work.domains.claimsOf(entry.host);
    // A domain that is being verified again is served meanwhile.
    if (claims.some(({ projectId, state }) => projectId === entry.projectId && !isGone(state))) continue;
    await work.edge.detach(entry);
    orphans += 1;
  }
  for (const projectId of (await work.edge.kept?.projects()) ?? []) {
    if ((await work.projects.getProject(projectId)) !== undefined) continue;
    await work.edge.kept?.forget(projectId);
    orphans += 1;
  }
  const made = await work.edge.made();
  for (const thing of made) {
    const domain = await work.domains.getDomain(thing.id);
    if (domain !== undefined && !isGone(domain.state)) continue;
    orphans += 1;
    // The next sweep finishes teardowns that take minutes.
    if (await work.edge.release(thing)) await work.authority.release(thing);
  }
  return { tenants: made.length, orphans };
}
