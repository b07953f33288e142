// Lambda entry point for the edge's failover, behind a function URL that only CloudFront may call.

import { Logger } from '@aws-lambda-powertools/logger';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { createEdgeFailover } from '../platforms/aws/edge-failover.ts';
import { failoverSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';

const settings = parseEnvironment(failoverSettings, process.env);
const logger = new Logger({ serviceName: settings.SERVICE_NAME });
const answer = createEdgeFailover(settings, (error) => logger.error('failover: a file could not be read', { error }));

/** Answers a request for which S3 returned an error. */
export async function handler({ rawPath, headers, requestContext }: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> {
  return { ...(await answer({ method: requestContext.http.method, path: rawPath, headers })) };
}
