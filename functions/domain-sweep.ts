// Lambda entry point of the sweep. Schedules call it with `{}` every few minutes and with `{"orphans":true}` occasionally.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { parseDomainSettings } from '../platforms/aws/domain-settings.ts';
import { createAwsSweepWork } from '../platforms/aws/domain-work.ts';
import { DOMAINS_STUCK, EDGE_TENANTS, METRICS_NAMESPACE, RENEWALS_OVERDUE } from '../service/metric-names.ts';
import { sweep, sweepOrphans } from '../service/workflow/sweep.ts';

const settings = parseDomainSettings(process.env);
const logger = new Logger({ serviceName: settings.serviceName });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.serviceName });
const work = createAwsSweepWork(settings);

/** Sweeps domains, or orphans at the edge, and publishes the run's metrics. */
export async function handler(event: { readonly orphans?: boolean }): Promise<Readonly<Record<string, number>>> {
  const report = event.orphans === true ? await sweepEdge() : await sweepDomains();
  logger.info('sweep', { ...report });
  metrics.publishStoredMetrics();
  return report;
}

async function sweepDomains() {
  const report = await sweep(work, (error, domain) => logger.error('sweep: a domain could not be checked', { error, domainId: domain.id }));
  metrics.addMetric(DOMAINS_STUCK, MetricUnit.Count, report.stuck);
  metrics.addMetric(RENEWALS_OVERDUE, MetricUnit.Count, report.renewalOverdue);
  return { ...report };
}

async function sweepEdge() {
  const report = await sweepOrphans(work);
  metrics.addMetric(EDGE_TENANTS, MetricUnit.Count, report.tenants);
  return { ...report };
}
