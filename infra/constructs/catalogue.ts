// The whole catalogue in one construct: tables, function and API.

import { CorsHttpMethod, type DomainName, type HttpApi, HttpMethod, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { ALLOWED_METHODS } from '../../service/http/cors-headers.ts';
import { refuseProblems } from './allowed-values.ts';
import { ApiFunction } from './api-function.ts';
import { CatalogueTables, type Tables, tableParameters } from './catalogue-tables.ts';
import { commandStatements, grantStatements, petCommandStatements } from './command-permissions.ts';
import { PublicApiAlarms } from './keyed-api.ts';
import { ProbeFunction } from './probe-function.ts';
import { type ApiDomainProps, checkApiProps, type PublicApiProps } from './public-api-props.ts';
import { publicHttpApi } from './public-http-api.ts';
import type { ServiceAlarm } from './service-alarm.ts';
import { CanaryRelease } from './service-function.ts';
import type { ServiceProps, Throttle } from './service-props.ts';

export interface CatalogueProps extends PublicApiProps {
  /** Existing tables: those of any API with keys, and the animals table. @default its own tables */
  readonly tables?: Tables;
  /** Whether to shift traffic to a new version gradually, and back if an alarm goes off. @default false */
  readonly canary?: boolean;
}

/**
 * The pet catalogue: tables, function, HTTP API and access log. `petstore --stage NAME` works on it.
 *
 * @example
 * const catalogue = new Catalogue(this, 'Pets', { name: 'pets' });
 * new CfnOutput(this, 'Url', { value: catalogue.url });
 */
export class Catalogue extends Construct {
  readonly tables: Tables;
  /** Routes that you add with another integration need no key, and their requests are not counted. */
  readonly api: HttpApi;
  /** The API's public address. */
  readonly url: string;
  /** The released version of the function, which the API invokes. */
  readonly handler: IFunction;
  /** The function's role. */
  readonly role: Role;
  /** Empty without an `alarmTopic`. */
  readonly alarms: readonly ServiceAlarm[];
  private readonly deploymentName: string;

  constructor(scope: Construct, id: string, props: CatalogueProps) {
    super(scope, id);
    const problems: string[] = [];
    const checked = checkApiProps(props, problems);
    refuseProblems(this.node.path, problems);
    this.deploymentName = checked.name;
    const { alarmTopic: topic, canary = false } = props;
    this.tables = props.tables ?? new CatalogueTables(this, 'Tables', checked).tables;
    if (props.tables !== undefined) tableParameters(this, checked, props.tables);
    const catalogue = new CatalogueApi(this, 'Api', { ...checked, canary, tables: this.tables });
    this.api = catalogue.api;
    this.url = catalogue.url;
    this.role = catalogue.apiFunction.role;
    // The library's own types conflict under exactOptionalPropertyTypes.
    this.handler = catalogue.apiFunction.alias as IFunction;
    this.alarms = [];
    if (topic === undefined) return;
    const probe = new ProbeFunction(this, 'Probe', { ...checked, url: this.url }).function as IFunction;
    this.alarms = new PublicApiAlarms(this, 'Alarms', { ...checked, topic, tables: this.tables, api: this.api, handler: this.handler, probe }).alarms;
  }

  /** Lets a role or user run `petstore --stage NAME` for accounts, keys, usage and animals. @throws Error if this app can't change its policy */
  grantOperate(grantee: IGrantable): void {
    const { deploymentName: name, tables } = this;
    grantStatements(this, grantee, [...commandStatements(this, { name, tables, parameters: ['tables'] }), ...petCommandStatements(tables)]);
  }
}

// The catalogue's HTTP API: one route per operation, with its own metrics and throttling, and $default for the rest. One function answers all.

export interface CatalogueApiProps extends ServiceProps {
  readonly tables: Tables;
  /** Whether to send the RateLimit headers from the IETF draft as well. */
  readonly draftHeaders: boolean;
  readonly throttle: Throttle;
  /** Whether to shift traffic to a new version gradually, and back if an alarm goes off. */
  readonly canary: boolean;
  /** The API's own host name; undefined if it has API Gateway's. */
  readonly domain: ApiDomainProps | undefined;
}

/** The API with its function, access log and host name. */
export class CatalogueApi extends Construct {
  readonly api: HttpApi;
  readonly apiFunction: ApiFunction;
  readonly accessLogs: LogGroup;
  readonly url: string;
  /** The API's own host name; undefined if it has API Gateway's. */
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
