// Lambda entry point for the state machine's steps, and for the control API's requests to publish records and to find a zone's DNS provider.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { SeenZone } from '../core/domains/domain.ts';
import type { PublishResult } from '../core/domains/ports.ts';
import { createAwsWork } from '../platforms/aws/domain-work.ts';
import { domainSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { currentActor } from '../service/audit/acting.ts';
import { CERTIFICATE_FAILED, METRICS_NAMESPACE } from '../service/metric-names.ts';
import { performWorkflowStep, type StepInput, type StepOutcome, stepInputSchema } from '../service/workflow/advance.ts';
import { inspectFor, inspectRequestSchema, publishFor, publishRequestSchema } from '../service/workflow/attempt.ts';

const settings = parseEnvironment(domainSettings, process.env);
const logger = new Logger({ serviceName: settings.SERVICE_NAME });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.SERVICE_NAME });
const work = { ...createAwsWork(settings, currentActor), warn: (message: string) => logger.warn(message) };

/** Performs one step, publishes records, or inspects a zone. Faults are thrown, for the state machine to retry, or the control API to report. */
export async function handler(event: unknown): Promise<StepOutcome | PublishResult | Omit<SeenZone, 'at'> | null> {
  const inspection = inspectRequestSchema.safeParse(event);
  if (inspection.success) return inspectFor(work, inspection.data);
  const request = publishRequestSchema.safeParse(event);
  if (!request.success) return step(stepInputSchema.parse(event));
  const result = await publishFor(work, request.data);
  logger.info('publish', { host: request.data.publish.host, ...result });
  return result;
}

async function step(input: StepInput): Promise<StepOutcome> {
  const outcome = await performWorkflowStep(work, input);
  logger.info('step', { ...input, ...outcome });
  if (outcome.certificateFailed) {
    metrics.addMetric(CERTIFICATE_FAILED, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  }
  return outcome;
}
