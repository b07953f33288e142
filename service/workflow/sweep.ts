// What nobody else comes back for: daily checks of live domains, work whose execution was lost, and what a crash left at the edge.

import type { Domain } from '../../core/domains/domain.ts';
import { isRenewalOverdue } from '../../core/domains/renewal.ts';
import { isGone, isServed, nextCheckAt } from '../../core/domains/states.ts';
import type { DomainWork, SweepWork } from '../../core/domains/work.ts';
import { advance } from './advance.ts';

export interface SweepReport {
  /** Live domains that were looked at. */
  readonly checked: number;
  /** Domains whose work was started again. */
  readonly restarted: number;
  /** Domains whose time was up an hour ago and more, and which nobody has moved since. */
  readonly stuck: number;
  /** Live domains whose certificate should long have been renewed. */
  readonly renewalOverdue: number;
  /** Domains that a step failed for. */
  readonly failed: number;
}

/** Domains looked at in one sweep; the next one goes on. */
const AT_ONCE = 500;
const SIDE_BY_SIDE = 8;
/** An execution that is alive moves a domain sooner. */
const LOST_AFTER_MS = 15 * 60_000;
const STUCK_AFTER_MS = 60 * 60_000;

/** @param onFault told of each domain that could not be looked at; the others are */
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
 * Takes down what stands at the edge for domains that are gone.
 *
 * @returns how much stands there, and how much of it was taken down
 */
export async function sweepOrphans(work: DomainWork): Promise<{ readonly tenants: number; readonly orphans: number }> {
  let orphans = 0;
  for (const entry of await work.edge.hosts()) {
    const claims = await work.domains.claimsOf(entry.host);
    // One that is on its way through the states again is served meanwhile.
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
    // What takes minutes is done by the next sweep.
    if (await work.edge.release(thing)) await work.authority.release(thing);
  }
  return { tenants: made.length, orphans };
}
