// The catalogue's HTTP API: one route per operation, so that metrics and throttling are per operation, and $default for everything else, all
// integrated with one function.

import { Duration, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  type DomainName,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import { type ApiDomainProps, apiDomain } from './api-domain.ts';
import { ApiFunction } from './api-function.ts';
import { CanaryRelease } from './canary-release.ts';
import type { Tables } from './catalogue-tables.ts';
import type { ServiceProps, Throttle } from './service-props.ts';

export interface CatalogueApiProps extends ServiceProps {
  readonly tables: Tables;
  /** Also send the RateLimit headers from the IETF draft. */
  readonly draftHeaders: boolean;
  readonly throttle: Throttle;
  /** Shift traffic to a new version gradually, and shift it back if an alarm goes off. */
  readonly canary: boolean;
  /** Undefined: the API has API Gateway's host name. */
  readonly domain: ApiDomainProps | undefined;
}

/** The API with its function, access log and host name. */
export class CatalogueApi extends Construct {
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  readonly accessLogs: LogGroup;
  /** The API's public address. */
  readonly url: string;
  /** The API's own host name. Undefined: it has API Gateway's. */
  readonly domainName: DomainName | undefined;

  constructor(scope: Construct, id: string, props: CatalogueApiProps) {
    super(scope, id);
    const { name, domain, throttle } = props;
    this.apiFunction = new ApiFunction(this, 'Api', props);
    const integration = new HttpLambdaIntegration('ApiIntegration', this.apiFunction.alias as IFunction);
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: `petstore-${name}`,
      description: `Petstore catalogue API, ${name}`,
      createDefaultStage: false,
      // A second address would not be protected by what may be in front of the first.
      disableExecuteApiEndpoint: domain !== undefined && domain.gatewayUrl !== true,
      // API Gateway answers preflight requests, so they cost no invocation.
      corsPreflight: {
        allowOrigins: ['*'],
        allowMethods: ALLOWED_METHODS.map((method) => CorsHttpMethod[method]),
        allowHeaders: ALLOWED_HEADERS,
        exposeHeaders: EXPOSED_HEADERS,
        maxAge: Duration.seconds(PREFLIGHT_MAX_AGE_SECONDS),
      },
      defaultIntegration: integration,
      // The function authenticates; an authorizer would be a second write per request.
      defaultAuthorizer: new HttpNoneAuthorizer(),
    });
    for (const { id: operationId, method, path } of OPERATIONS) {
      new HttpRoute(this, `Route-${operationId}`, { httpApi: this.api, integration, routeKey: HttpRouteKey.with(path, HttpMethod[method]) });
    }
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The function authenticates and admits in one write; an authorizer would add a second one to each request.',
    });
    this.accessLogs = accessLogGroup(this, props);
    const httpStage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
      accessLogSettings: accessLogSettings(this.accessLogs),
    });
    if (props.canary) new CanaryRelease(this, 'Release', { name, api: this.api, alias: this.apiFunction.alias });
    this.domainName = domain && apiDomain(this, domain, this.api, httpStage);
    this.url = domain === undefined ? this.api.apiEndpoint : `https://${domain.name}`;
  }
}

// The access log of an HTTP API.

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
