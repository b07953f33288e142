// Lambda entry point for the probe, which a schedule calls every few minutes.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { parseEnvironment, probeSettings } from '../platforms/aws/function-settings.ts';
import { METRICS_NAMESPACE, PROBE_FAILED } from '../service/metric-names.ts';
import { probeApi } from '../service/probe/probe-api.ts';

const settings = parseEnvironment(probeSettings, process.env);
const logger = new Logger({ serviceName: settings.SERVICE_NAME });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.SERVICE_NAME });

/** Probes the API, and publishes the number of responses that were not as documented. */
export async function handler(): Promise<{ readonly problems: readonly string[] }> {
  const problems = await probeApi({ url: settings.API_URL, keyMode: settings.KEY_MODE, fetch, randomBytes });
  if (problems.length > 0) logger.error('probe: the API does not work', { problems });
  metrics.addMetric(PROBE_FAILED, MetricUnit.Count, problems.length);
  metrics.publishStoredMetrics();
  return { problems };
}
