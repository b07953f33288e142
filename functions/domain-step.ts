// Lambda entry point for the state machine's steps.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { parseDomainSettings } from '../platforms/aws/domain-settings.ts';
import { createAwsWork } from '../platforms/aws/domain-work.ts';
import { CERTIFICATE_FAILED, METRICS_NAMESPACE } from '../service/metric-names.ts';
import { performWorkflowStep, type StepOutcome, stepInputSchema } from '../service/workflow/workflow-step.ts';

const settings = parseDomainSettings(process.env);
const logger = new Logger({ serviceName: settings.serviceName });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.serviceName });
const work = createAwsWork(settings);

/** Performs one step. Faults are thrown, and the state machine retries. */
export async function handler(event: unknown): Promise<StepOutcome> {
  const input = stepInputSchema.parse(event);
  const outcome = await performWorkflowStep(work, input);
  logger.info('step', { ...input, ...outcome });
  if (outcome.state === 'certificate_failed') {
    metrics.addMetric(CERTIFICATE_FAILED, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  }
  return outcome;
}
