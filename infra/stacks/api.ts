// The HTTP API: one route per operation, so that metrics and throttling are per operation, and $default for everything else, all integrated with
// one function.

import { CfnOutput, Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import { ApiFunction } from '../constructs/api-function.ts';
import { CanaryRelease } from '../constructs/canary-release.ts';
import { dataRemovalPolicy } from '../constructs/retention.ts';
import type { StageSettings } from '../stages.ts';
import type { Tables } from './data.ts';

export interface ApiStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly tables: Tables;
}

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

/** The catalogue API with its function, access log and domain name. */
export class ApiStack extends Stack {
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  readonly accessLogs: LogGroup;
  /** The API's public address. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { stage, tables } = props;
    this.apiFunction = new ApiFunction(this, 'Api', { stage, tables });
    const integration = new HttpLambdaIntegration('ApiIntegration', this.apiFunction.alias as IFunction);
    this.api = new HttpApi(this, 'HttpApi', {
      apiName: `petstore-${stage.name}`,
      description: `Petstore catalogue API, ${stage.name}`,
      createDefaultStage: false,
      // A second address would not be protected by what may be in front of the first.
      disableExecuteApiEndpoint: stage.apiDomain !== undefined && !stage.apiDomain.gatewayUrl,
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
    this.accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(stage),
    });
    const httpStage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: stage.throttle.rate, burstLimit: stage.throttle.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLogs), format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)) },
    });
    if (stage.canary) new CanaryRelease(this, 'Release', { stage, api: this.api, alias: this.apiFunction.alias });
    if (stage.apiDomain !== undefined) {
      const { name, certificateArn, zone } = stage.apiDomain;
      const domainName = new DomainName(this, 'Domain', {
        domainName: name,
        securityPolicy: SecurityPolicy.TLS_1_2,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      });
      new ApiMapping(this, 'Mapping', { api: this.api, domainName, stage: httpStage });
      if (zone !== undefined) {
        const target = new ApiGatewayv2DomainProperties(domainName.regionalDomainName, domainName.regionalHostedZoneId);
        const hostedZone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { zoneName: zone.name, hostedZoneId: zone.id });
        const record = { zone: hostedZone, recordName: name, target: RecordTarget.fromAlias(target) };
        new ARecord(this, 'AddressRecord', record);
        new AaaaRecord(this, 'Ipv6AddressRecord', record);
      }
      new CfnOutput(this, 'DomainTarget', { description: 'CNAME or ALIAS target of the API domain', value: domainName.regionalDomainName });
    }
    this.url = stage.apiDomain === undefined ? this.api.apiEndpoint : `https://${stage.apiDomain.name}`;
    new CfnOutput(this, 'Url', { description: 'URL of the API', value: this.url });
  }
}
