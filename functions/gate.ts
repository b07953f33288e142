// Lambda entry point for a gate: an API with keys in front of another function, or of a URL.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { gateSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { createGateStores, createInvoke } from '../platforms/aws/gate.ts';
import { createSecretReader } from '../platforms/aws/gate-secret.ts';
import { createGate } from '../service/gate/create-gate.ts';
import { createLambdaTarget } from '../service/gate/lambda-target.ts';
import type { GateTarget } from '../service/gate/target.ts';
import { createTargetSecret, createUrlTarget } from '../service/gate/url-target.ts';
import { METRICS_NAMESPACE } from '../service/metric-names.ts';

const settings = parseEnvironment(gateSettings, process.env);
const { SERVICE_NAME: serviceName, TARGET_FUNCTION, TARGET_URL, TARGET_SECRET_PARAMETER } = settings;
const logger = new Logger({ serviceName });
const clock = Date.now;

const onFault = (error: unknown) => logger.warn('gate: the target gave no response', { error });

export const handler = createGate({
  stores: createGateStores({ usage: settings.USAGE_TABLE, control: settings.CONTROL_TABLE }),
  target:
    TARGET_FUNCTION === undefined ? await urlTarget(TARGET_URL, TARGET_SECRET_PARAMETER) : createLambdaTarget(createInvoke(TARGET_FUNCTION), onFault),
  timeoutMs: settings.TARGET_TIMEOUT_MS,
  scopes: { read: settings.READ_SCOPE, write: settings.WRITE_SCOPE },
  clock,
  logger,
  metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName }),
  draftHeaders: settings.DRAFT_HEADERS,
});

async function urlTarget(url = '', secretParameter?: string): Promise<GateTarget> {
  const onSecretFault = (error: unknown) => logger.error("gate: the target's secret could not be read", { parameter: secretParameter, error });
  const secret = secretParameter && createTargetSecret({ read: createSecretReader(secretParameter), clock, onFault: onSecretFault });
  // The secret is read now, so that the first request does not have to wait for it. If this fails, the gate still starts, and tries again later.
  if (secret) await secret();
  return createUrlTarget({ url, fetch, onFault, ...(secret && { secret }) });
}
