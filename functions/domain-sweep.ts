// Lambda entry point for the sweep. Schedules call it with `{}` every few minutes; such a run also continues a sweep of the edge that was too long
// for one run. Every hour, they call it with `{"changes":true}`: that run publishes recent changes again, counts the visits that CloudFront has
// logged and, once a day, begins a sweep of the edge. `{"orphans":true}` begins such a sweep immediately.

import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { removeFiles } from '../core/projects/uploads.ts';
import { createAwsSweepWork } from '../platforms/aws/domain-work.ts';
import { domainSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { actingAs, currentActor } from '../service/audit/acting.ts';
import {
  DOMAINS_STUCK,
  EDGE_MAP_BYTES,
  EDGE_SWEEP_AGE,
  EDGE_TENANTS,
  METRICS_NAMESPACE,
  PUBLICATIONS_FAILED,
  RENEWALS_OVERDUE,
} from '../service/metric-names.ts';
import { countVisits, type VisitsReport } from '../service/workflow/count-visits.ts';
import { type DomainSweep, sweep } from '../service/workflow/sweep.ts';
import { type ChangesReport, publishChanges } from '../service/workflow/sweep-changes.ts';
import type { CycleOptions, SweepRun } from '../service/workflow/sweep-cycle.ts';
import { EDGE_EVERY_MS, type OrphanSweep, sweepOrphans } from '../service/workflow/sweep-orphans.ts';

const settings = parseEnvironment(domainSettings, process.env);
const logger = new Logger({ serviceName: settings.SERVICE_NAME });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.SERVICE_NAME });
const { work: sweepWork, store, files, visits } = createAwsSweepWork(settings, currentActor);
const work = { ...sweepWork, warn: (message: string) => logger.warn(message) };
/** Minimum time left, in milliseconds, to begin a removal: listing and deleting 1,000 objects takes seconds. */
const LAST_REMOVAL_MS = 30_000;
/** Age, in milliseconds, above which the last complete sweep of the edge is reported. */
const REPORTED_AGE_MS = 1.5 * EDGE_EVERY_MS;

export interface SweepResult {
  /** Missing if another run is sweeping domains. */
  readonly domains?: DomainSweep;
  /** Missing if another run is sweeping the edge, or if there was nothing to continue. */
  readonly edge?: OrphanSweep;
  /** Missing unless this run was to publish recent changes again. */
  readonly changes?: ChangesReport;
  /** Missing unless this run was to count visits. */
  readonly visits?: VisitsReport;
  /** Number of completed file removals. */
  readonly removals: number;
}

interface SweepEvent {
  /** Whether to begin a sweep of the edge. @default false */
  readonly orphans?: boolean;
  /** Whether to publish recent changes again, to count visits, and to begin a sweep of the edge if the last one began a day ago. @default false */
  readonly changes?: boolean;
}

interface SweepContext {
  getRemainingTimeInMillis(): number;
}

/** Sweeps domains, or the edge, until the run's time is up, and publishes the metrics so far. */
export function handler(event: SweepEvent, context: SweepContext): Promise<SweepResult> {
  return actingAs({ kind: 'sweep' }, () => sweepAll(event, context));
}

async function sweepAll({ orphans = false, changes = false }: SweepEvent, context: SweepContext): Promise<SweepResult> {
  const run = { store, id: randomUUID(), clock: work.clock, remainingMs: () => context.getRemainingTimeInMillis() };
  const others = orphans || changes;
  const [domains, edge, removals, changed, counted] = await Promise.allSettled([
    others ? undefined : sweepDomains(run),
    sweepEdge(run, others ? { everyMs: orphans ? 0 : EDGE_EVERY_MS } : { onlyContinue: true }),
    others ? 0 : removeFiles(files, work.clock(), () => run.remainingMs() > LAST_REMOVAL_MS),
    changes ? publishChanged(run) : undefined,
    changes ? countLogged(run) : undefined,
    others ? undefined : reportEdgeSweep(),
  ]);
  metrics.publishStoredMetrics();
  // A fault in one sweep does not stop the others.
  for (const outcome of [domains, edge, removals, changed, counted]) if (outcome.status === 'rejected') throw outcome.reason;
  const result = {
    ...value(domains, 'domains'),
    ...value(edge, 'edge'),
    ...value(changed, 'changes'),
    ...value(counted, 'visits'),
    removals: removals.status === 'fulfilled' ? removals.value : 0,
  };
  logger.info('sweep', result);
  return result;
}

function value<Name extends string, Value>(outcome: PromiseSettledResult<Value | undefined>, name: Name): { readonly [key in Name]?: Value } {
  return outcome.status === 'fulfilled' && outcome.value !== undefined ? ({ [name]: outcome.value } as { [key in Name]: Value }) : {};
}

async function sweepDomains(run: SweepRun): Promise<DomainSweep | undefined> {
  const report = await sweep(work, run, (error, domain) => logger.error('sweep: a domain could not be checked', { error, domainId: domain.id }));
  if (report === undefined) return undefined;
  metrics.addMetric(DOMAINS_STUCK, MetricUnit.Count, report.known.stuck);
  metrics.addMetric(RENEWALS_OVERDUE, MetricUnit.Count, report.known.renewalOverdue);
  return report;
}

async function publishChanged(run: SweepRun): Promise<ChangesReport | undefined> {
  const onFault = (error: unknown, changed: object) => logger.error('sweep: a project could not be published', { error, changed });
  const report = await publishChanges(work, run, onFault);
  // Added only if there are failures, because a metric is charged for the hours in which it has data.
  if (report !== undefined && report.failed > 0) metrics.addMetric(PUBLICATIONS_FAILED, MetricUnit.Count, report.failed);
  return report;
}

function countLogged(run: SweepRun): Promise<VisitsReport | undefined> {
  const onFault = (error: unknown, file: string) => logger.error('sweep: a log of visits could not be read', { error, file });
  return countVisits({ ...work, ...visits, logVisit: (visit) => logger.info('visit', visit) }, run, onFault);
}

/** Reports the age of the last complete sweep of the edge if it is too high. */
async function reportEdgeSweep(): Promise<void> {
  const { lastStartedAt, cycle } = await store.read('edge');
  const age = work.clock() - (lastStartedAt ?? cycle?.startedAt ?? work.clock());
  if (age > REPORTED_AGE_MS) metrics.addMetric(EDGE_SWEEP_AGE, MetricUnit.Count, Math.floor(age / 3_600_000));
}

async function sweepEdge(run: SweepRun, options: CycleOptions): Promise<OrphanSweep | undefined> {
  const onFault = (error: unknown, thing: object | string) => logger.error('sweep: something at the edge could not be checked', { error, thing });
  const report = await sweepOrphans(work, run, { ...options, onFault });
  if (report === undefined) return undefined;
  metrics.addMetric(EDGE_TENANTS, MetricUnit.Count, report.known.tenants);
  metrics.addMetric(EDGE_MAP_BYTES, MetricUnit.Bytes, (await work.edge.bytes?.()) ?? 0);
  return report;
}
