// The domain sweep finds work that nothing else would do: daily checks of live domains, and work whose execution was lost.

import type { Domain } from '../../core/domains/domain.ts';
import type { Counts } from '../../core/domains/queue.ts';
import { renewalLateAt } from '../../core/domains/renewal.ts';
import { isServed, nextCheckAt } from '../../core/domains/states.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { advance } from './advance.ts';
import { forEachItem, runSweep, type SweepRun } from './sweep-cycle.ts';

export interface SweepReport {
  /** Live domains that were checked. */
  readonly checked: number;
  /** Domains whose work was restarted. */
  readonly restarted: number;
  /** Number of domains that are at least an hour overdue for a check. */
  readonly stuck: number;
  /** Number of live domains whose certificate is long overdue for renewal. */
  readonly renewalOverdue: number;
  /** Number of domains for which a step failed. */
  readonly failed: number;
}

export interface DomainSweep extends SweepReport {
  /** Whether the run went through all domains that were due when the cycle began. */
  readonly complete: boolean;
  /** Figures of a whole cycle; see SweepOutcome. */
  readonly known: Pick<SweepReport, 'stuck' | 'renewalOverdue'>;
}

/** Number of domains in a page. With silent name servers, each worker needs about 12 s per domain, so a page takes less than LAST_PAGE_MS. */
const PAGE = 64;
const AT_ONCE = 16;
/** A running execution would have changed the domain's state sooner. */
const LOST_AFTER_MS = 15 * 60_000;
const STUCK_AFTER_MS = 60 * 60_000;

/**
 * Continues the sweep of due domains, longest-waiting first. A domain that fails stays due, and the others are still checked.
 * @param onFault called for each domain that could not be checked @returns undefined if another run holds the sweep
 */
export async function sweep(work: SweepWork, run: SweepRun, onFault: (error: unknown, domain: Domain) => void): Promise<DomainSweep | undefined> {
  const outcome = await runSweep(run, 'domains', [
    async (after, { startedAt }) => {
      const due = await work.domains.dueDomains(startedAt, PAGE, after);
      return { next: due.next, counts: await forEachItem(due.items, AT_ONCE, (domain, count) => look(work, domain, count), onFault) };
    },
  ]);
  return outcome && { ...report(outcome.counted), complete: outcome.complete, known: report(outcome.known) };
}

async function look(work: SweepWork, domain: Domain, count: (name: keyof SweepReport) => void): Promise<void> {
  const now = work.clock();
  if (isServed(domain.state)) {
    count('checked');
    const { certificate } = (await advance(work, domain.id)) ?? domain;
    if (certificate !== undefined && now >= renewalLateAt(certificate)) count('renewalOverdue');
    return;
  }
  const late = now - (nextCheckAt(domain.state) ?? now);
  if (late >= STUCK_AFTER_MS) count('stuck');
  if (late < LOST_AFTER_MS) return;
  await work.restart(domain, now);
  count('restarted');
}

function report({ checked = 0, restarted = 0, stuck = 0, renewalOverdue = 0, failed = 0 }: Counts): SweepReport {
  return { checked, restarted, stuck, renewalOverdue, failed };
}
