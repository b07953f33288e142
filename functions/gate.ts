// Lambda entry point of a gate: an API with keys in front of another function, or of a URL.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createGateStores, createInvoke } from '../platforms/aws/gate.ts';
import { createSecretReader } from '../platforms/aws/gate-secret.ts';
import { parseGateSettings } from '../platforms/aws/gate-settings.ts';
import { createGate } from '../service/gate/create-gate.ts';
import { createLambdaTarget } from '../service/gate/lambda-target.ts';
import type { GateTarget } from '../service/gate/target.ts';
import { createTargetSecret } from '../service/gate/target-secret.ts';
import { createUrlTarget } from '../service/gate/url-target.ts';
import { METRICS_NAMESPACE } from '../service/metric-names.ts';

const { tables, target, timeoutMs, scopes, draftHeaders, serviceName } = parseGateSettings(process.env);
const logger = new Logger({ serviceName });
const clock = Date.now;

const onFault = (error: unknown) => logger.warn('gate: the target gave no response', { error });

export const handler = createGate({
  stores: createGateStores(tables),
  target: 'functionArn' in target ? createLambdaTarget(createInvoke(target.functionArn), onFault) : await urlTarget(target),
  timeoutMs,
  scopes,
  clock,
  logger,
  metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName }),
  draftHeaders,
});

async function urlTarget({ url, secretParameter }: Exclude<typeof target, { readonly functionArn: string }>): Promise<GateTarget> {
  const onSecretFault = (error: unknown) => logger.error("gate: the target's secret could not be read", { parameter: secretParameter, error });
  const secret = secretParameter && createTargetSecret({ read: createSecretReader(secretParameter), clock, onFault: onSecretFault });
  // Before the first request, which would have to wait for it. If this fails, the gate starts nevertheless, and tries again.
  if (secret) await secret();
  return createUrlTarget({ url, fetch, onFault, ...(secret && { secret }) });
}
