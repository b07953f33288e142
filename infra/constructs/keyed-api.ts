// API keys, plans and exact limits in front of a target that knows nothing about them.

import { Duration, Stack } from 'aws-cdk-lib';
import { CorsHttpMethod, type HttpApi, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { SCOPES, type Scope } from '../../core/access/plans.ts';
import { type ApiAlarmsProps, apiAlarms } from '../alarms/api.ts';
import { COUNT, check, MEMORY, problem, refuseProblems } from './allowed-values.ts';
import { type AccessTables, type AnyTable, KeyTables, tableParameters } from './catalogue-tables.ts';
import { commandStatements, grantStatements } from './command-permissions.ts';
import { GateFunction } from './gate-function.ts';
import type { KeyedApiTarget } from './keyed-api-target.ts';
import { checkApiProps, checkIfKnown, type PublicApiProps } from './public-api-props.ts';
import { publicHttpApi } from './public-http-api.ts';
import { ServiceAlarm } from './service-alarm.ts';

export interface KeyedApiProps extends PublicApiProps {
  readonly target: KeyedApiTarget;
  /**
   * How long the target may take, in whole seconds: 1 to 28, because API Gateway waits 30 seconds for everything. Above 20, a cold start or a slow
   * admission leaves the target less time. @default 25 seconds
   */
  readonly timeout?: Duration;
  /** Routes with their own metrics, such as `GET /orders/{id}`; all other requests are admitted as well. @default one route for everything */
  readonly routes?: readonly string[];
  /** The scopes that a key needs. @default pets:read for GET, HEAD and OPTIONS; pets:write for POST, PUT, PATCH and DELETE */
  readonly scopes?: { readonly read?: Scope; readonly write?: Scope };
  /** Further request headers that pages of other origins may send. @default Authorization, Content-Type and those for conditional requests */
  readonly allowHeaders?: readonly string[];
  /** Further response headers that pages of other origins may read. @default this API's own */
  readonly exposeHeaders?: readonly string[];
  /** Memory of the function in front of the target, in MB: 128 to 10,240. The function waits while the target works. @default 512 */
  readonly memorySize?: number;
  /**
   * Reserved concurrency of the function in front of the target, which is also its maximum: a whole number of at least 1. Each unit works on one
   * request at a time, so the function needs the rate of requests times the target's usual time in seconds; at most `throttle.rate` times `timeout`.
   * The reservation is taken from the account's concurrency, of which Lambda keeps 100 for functions without one. Requests above it get 503 from API
   * Gateway, and are not counted. @default nothing is reserved, and only the account's concurrency limits the function
   */
  readonly reservedConcurrency?: number;
}

const MAX_TIMEOUT_SECONDS = 28;
/** Share of the timeout. If the alarm went off only at the timeout, requests would already be failing. */
const SLOW_SHARE = 0.8;
const ROUTE_PATTERN = /^(ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/(\S*[^\s/])?$/;

/**
 * An HTTP API that authenticates each request by its API key, admits it within the limits of its account's plan, and passes it to a target. Accounts
 * and keys are created with `petstore --stage NAME`.
 *
 * @example
 * const api = new KeyedApi(this, 'Api', { name: 'orders', target: KeyedApiTarget.lambda(handler) });
 * new CfnOutput(this, 'Url', { value: api.url });
 */
export class KeyedApi extends Construct {
  readonly tables: AccessTables;
  /** Routes that you add with another integration need no key, and their requests are not counted. */
  readonly api: HttpApi;
  /** The API's public address. */
  readonly url: string;
  /** The function in front of the target. */
  readonly function: IFunction;
  /** The function's role. */
  readonly role: Role;
  /** Empty without an `alarmTopic`. */
  readonly alarms: readonly ServiceAlarm[];
  private readonly deploymentName: string;

  constructor(scope: Construct, id: string, props: KeyedApiProps) {
    super(scope, id);
    const { target, timeout = Duration.seconds(25), routes = [], memorySize = 512, reservedConcurrency, alarmTopic: topic } = props;
    const scopes = { read: props.scopes?.read ?? 'pets:read', write: props.scopes?.write ?? 'pets:write' } as const;
    const problems = [...target.problems(Stack.of(this)), ...ownProblems(props, scopes)];
    const checked = checkApiProps(props, problems);
    refuseProblems(this.node.path, problems);
    this.deploymentName = checked.name;
    this.tables = props.tables ?? new KeyTables(this, 'Tables', checked).tables;
    if (props.tables !== undefined) tableParameters(this, checked, props.tables);
    const { tables } = this;
    const gate = new GateFunction(this, 'Gate', { ...checked, tables, target: target.settings, timeout, memorySize, reservedConcurrency, scopes });
    // The library's own types conflict under exactOptionalPropertyTypes.
    this.function = gate.function as IFunction;
    this.role = gate.role;
    const { api, url } = publicHttpApi(this, {
      ...checked,
      description: 'Petstore keyed API',
      // One permission covers all routes, because a function's policy has a maximum size.
      integration: new HttpLambdaIntegration('GateIntegration', this.function, { scopePermissionToRoute: false }),
      routes: routes.map((route) => [route.replaceAll('/', '|'), routeKeyOf(route)]),
      methods: [CorsHttpMethod.ANY],
      allowHeaders: props.allowHeaders,
      exposeHeaders: props.exposeHeaders,
      withAuthorizer: 'could not answer 429 with the rate-limit headers',
    });
    this.api = api;
    this.url = url;
    const { slowAlarm = Duration.millis(Math.round(timeout.toMilliseconds() * SLOW_SHARE)) } = checked;
    const watched = { ...checked, tables, api, handler: this.function, reservedConcurrency, slowAlarm, probe: undefined };
    this.alarms = topic === undefined ? [] : new PublicApiAlarms(this, 'Alarms', { ...watched, topic }).alarms;
  }

  /** Lets a role or user run `petstore --stage NAME` for accounts, keys and usage. @throws Error if this app can't change its policy */
  grantOperate(grantee: IGrantable): void {
    grantStatements(this, grantee, commandStatements(this, { name: this.deploymentName, tables: this.tables, parameters: ['tables'] }));
  }
}

function routeKeyOf(route: string): HttpRouteKey {
  const [method = '', path = ''] = route.split(' ');
  return HttpRouteKey.with(path, method as Parameters<typeof HttpRouteKey.with>[1]);
}

function ownProblems(
  { timeout, routes = [], memorySize = 512, reservedConcurrency = 1 }: KeyedApiProps,
  scopes: Readonly<Record<string, string>>,
): string[] {
  const problems: string[] = [];
  const seconds = timeout?.isUnresolved() ? Number.NaN : (timeout?.toSeconds({ integral: false }) ?? 1);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    problems.push(problem('timeout', Number.isNaN(seconds) ? 'a token' : `${seconds} s`, `whole seconds, 1 to ${MAX_TIMEOUT_SECONDS}`));
  checkIfKnown('memorySize', memorySize, MEMORY, problems);
  check('reservedConcurrency', reservedConcurrency, COUNT, problems);
  for (const [index, route] of routes.entries()) {
    if (!ROUTE_PATTERN.test(route)) problems.push(problem(`routes[${index}]`, route, 'a method or ANY, and a path, such as GET /orders/{id}'));
    else if (routes.indexOf(route) < index) problems.push(problem(`routes[${index}]`, route, 'each route once'));
  }
  for (const [use, scope] of Object.entries(scopes))
    if (!(SCOPES as readonly string[]).includes(scope)) problems.push(problem(`scopes.${use}`, scope, SCOPES.join(', ')));
  return problems;
}

// The alarms for an API in other people's CDK apps. Our own stages have more alarms, and an incident dashboard (stacks/observability.ts).

export interface PublicApiAlarmsProps extends ApiAlarmsProps {
  readonly topic: ITopic;
}

/** The tables that already have alarms: constructs that share tables create the alarms only once. */
const watched = new WeakSet<AnyTable>();

/** The alarms, which notify a topic when they go off and when they end. */
export class PublicApiAlarms extends Construct {
  readonly alarms: readonly ServiceAlarm[];

  constructor(scope: Construct, id: string, { topic, ...props }: PublicApiAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const tables = Object.fromEntries(Object.entries(props.tables).filter(([, table]) => !watched.has(table)));
    for (const table of Object.values(tables)) watched.add(table);
    this.alarms = apiAlarms({ ...props, tables }).map(({ id: alarmId, ...definition }) => {
      const alarm = new ServiceAlarm(this, alarmId, { stage: props.name, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
  }
}
