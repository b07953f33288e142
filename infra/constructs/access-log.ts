// The access log of an HTTP API.

import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { ServiceProps } from './service-props.ts';

/** One JSON line per request, including those that never reach the function. Headers are not logged, because one of them carries the key. */
export const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  path: '$context.path',
  routeKey: '$context.routeKey',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
};

/** Creates the log group `AccessLogs`. */
export function accessLogGroup(scope: Construct, { logRetention, removalPolicy }: Pick<ServiceProps, 'logRetention' | 'removalPolicy'>): LogGroup {
  return new LogGroup(scope, 'AccessLogs', { retention: logRetention, removalPolicy });
}

/** Returns the settings of an API's stage with which it writes the log. */
export function accessLogSettings(logs: LogGroup) {
  return { destination: new LogGroupLogDestination(logs), format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)) };
}
