// An HTTP API in front of one function that authenticates and admits requests: the catalogue's API, or another API with keys.

import { Duration, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CorsHttpMethod,
  HttpApi,
  HttpNoneAuthorizer,
  HttpRoute,
  type HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ALLOWED_HEADERS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import { type ApiDomainProps, apiDomain } from './public-api-props.ts';
import type { ServiceProps, Throttle } from './service-props.ts';

export interface PublicHttpApiProps extends ServiceProps {
  readonly description: string;
  readonly integration: HttpLambdaIntegration;
  /** Routes with their own metrics, by their construct's id. All other requests go to the same function. */
  readonly routes: readonly (readonly [id: string, route: HttpRouteKey])[];
  readonly throttle: Throttle;
  /** The API's own host name; undefined if it has API Gateway's. */
  readonly domain: ApiDomainProps | undefined;
  readonly methods: CorsHttpMethod[];
  /** Headers for other origins, in addition to those that all our APIs have. */
  readonly allowHeaders?: readonly string[] | undefined;
  readonly exposeHeaders?: readonly string[] | undefined;
  /** Why an authorizer would be wrong here, for cdk-nag. */
  readonly withAuthorizer: string;
}

/** Creates `HttpApi`, its routes, `Stage`, `AccessLogs`, and what `apiDomain` creates. @returns also the API's URL, and its own host name if any */
export function publicHttpApi(scope: Construct, props: PublicHttpApiProps) {
  const { name, description, integration, domain, allowHeaders = [], exposeHeaders = [] } = props;
  const api = new HttpApi(scope, 'HttpApi', {
    apiName: `petstore-${name}`,
    description: `${description}, ${name}`,
    createDefaultStage: false,
    // A second address would bypass any protection in front of the first.
    disableExecuteApiEndpoint: domain !== undefined && domain.gatewayUrl !== true,
    // API Gateway answers preflight requests, so they cost no invocation.
    corsPreflight: {
      allowOrigins: ['*'],
      allowMethods: props.methods,
      allowHeaders: [...ALLOWED_HEADERS, ...allowHeaders],
      exposeHeaders: [...EXPOSED_HEADERS, ...exposeHeaders],
      maxAge: Duration.seconds(PREFLIGHT_MAX_AGE_SECONDS),
    },
    defaultIntegration: integration,
    defaultAuthorizer: new HttpNoneAuthorizer(),
  });
  for (const [id, routeKey] of props.routes) new HttpRoute(scope, `Route-${id}`, { httpApi: api, integration, routeKey });
  Validations.of(scope).acknowledge({
    id: 'AwsSolutions-APIG4',
    reason: `The function authenticates and admits in one write; an authorizer ${props.withAuthorizer}.`,
  });
  const { stage, accessLogs } = defaultStage(scope, api, props);
  const domainName = domain && apiDomain(scope, domain, api, stage);
  return { api, accessLogs, domainName, url: domain === undefined ? api.apiEndpoint : `https://${domain.name}` };
}

/** One JSON line per request, including those that never reach the function. Headers are not logged, because one of them contains the key. */
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

/** Creates an API's only stage, `Stage`, with its log, `AccessLogs`. */
export function defaultStage(
  scope: Construct,
  httpApi: HttpApi,
  { throttle, logRetention, removalPolicy }: Pick<ServiceProps, 'logRetention' | 'removalPolicy'> & { readonly throttle: Throttle },
) {
  const accessLogs = new LogGroup(scope, 'AccessLogs', { retention: logRetention, removalPolicy });
  const stage = new HttpStage(scope, 'Stage', {
    httpApi,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
    accessLogSettings: { destination: new LogGroupLogDestination(accessLogs), format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)) },
  });
  return { stage, accessLogs };
}
