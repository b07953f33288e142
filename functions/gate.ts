// Lambda entry point of a gate: an API with keys in front of another function, or of a URL.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createGateStores, createInvoke } from '../platforms/aws/gate.ts';
import { parseGateSettings } from '../platforms/aws/gate-settings.ts';
import { createGate } from '../service/gate/create-gate.ts';
import { createLambdaTarget } from '../service/gate/lambda-target.ts';
import { createUrlTarget } from '../service/gate/url-target.ts';
import { METRICS_NAMESPACE } from '../service/metric-names.ts';

const { tables, target, timeoutMs, scopes, draftHeaders, serviceName } = parseGateSettings(process.env);
const logger = new Logger({ serviceName });

const onFault = (error: unknown) => logger.warn('gate: the target gave no response', { error });

export const handler = createGate({
  stores: createGateStores(tables),
  target:
    'functionArn' in target
      ? createLambdaTarget(createInvoke(target.functionArn, timeoutMs), onFault)
      : createUrlTarget({ url: target.url, timeoutMs, fetch, onFault }),
  scopes,
  clock: Date.now,
  logger,
  metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName }),
  draftHeaders,
});
