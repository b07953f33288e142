// The catalogue's HTTP API: one route per operation, so that metrics and throttling are per operation, and $default for everything else, all
// integrated with one function.

import { CorsHttpMethod, type DomainName, type HttpApi, HttpMethod, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { ALLOWED_METHODS } from '../../service/http/cors-headers.ts';
import type { ApiDomainProps } from './api-domain.ts';
import { ApiFunction } from './api-function.ts';
import { CanaryRelease } from './canary-release.ts';
import type { Tables } from './catalogue-tables.ts';
import { publicHttpApi } from './public-http-api.ts';
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
    const { name } = props;
    this.apiFunction = new ApiFunction(this, 'Api', props);
    const { api, accessLogs, domainName, url } = publicHttpApi(this, {
      ...props,
      description: 'Petstore catalogue API',
      integration: new HttpLambdaIntegration('ApiIntegration', this.apiFunction.alias as IFunction),
      routes: OPERATIONS.map(({ id: operationId, method, path }) => [operationId, HttpRouteKey.with(path, HttpMethod[method])]),
      methods: ALLOWED_METHODS.map((method) => CorsHttpMethod[method]),
      withAuthorizer: 'would add a second one to each request',
    });
    this.api = api;
    this.accessLogs = accessLogs;
    this.domainName = domainName;
    this.url = url;
    if (props.canary) new CanaryRelease(this, 'Release', { name, api, alias: this.apiFunction.alias });
  }
}
