// The Lambda entry of the sweep, called by a schedule: `{}` every few minutes, `{"orphans":true}` now and then.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import { DOMAINS_STUCK, EDGE_TENANTS, METRICS_NAMESPACE, RENEWALS_OVERDUE } from '../metric-names.ts';
import { createAwsWork } from './aws-work.ts';
import { parseDomainSettings } from './settings.ts';
import { sweep, sweepOrphans } from './sweep.ts';

const settings = parseDomainSettings(process.env);
const logger = new Logger({ serviceName: settings.serviceName });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.serviceName });
const work = createAwsWork(settings);
const { restart } = createStepFunctionsWorkflow(new SFNClient({}), settings.workflowArn);

export async function handler(event: { readonly orphans?: boolean }): Promise<Readonly<Record<string, number>>> {
  const report = event.orphans === true ? await sweepEdge() : await sweepDomains();
  logger.info('sweep', { ...report });
  metrics.publishStoredMetrics();
  return report;
}

async function sweepDomains() {
  const report = await sweep({ ...work, restart }, (error, domain) =>
    logger.error('a domain could not be looked at', { error, domainId: domain.id }),
  );
  metrics.addMetric(DOMAINS_STUCK, MetricUnit.Count, report.stuck);
  metrics.addMetric(RENEWALS_OVERDUE, MetricUnit.Count, report.renewalOverdue);
  return { ...report };
}

async function sweepEdge() {
  const report = await sweepOrphans(work);
  metrics.addMetric(EDGE_TENANTS, MetricUnit.Count, report.tenants);
  return { ...report };
}
