// The whole catalogue in one construct: tables, function and API.

import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { refuseProblems } from './allowed-values.ts';
import { PublicApiAlarms } from './api-alarms.ts';
import { CatalogueApi } from './catalogue-api.ts';
import { CatalogueTables, type Tables, tableParameters } from './catalogue-tables.ts';
import { commandStatements, petCommandStatements } from './command-permissions.ts';
import { grantStatements } from './operate-grant.ts';
import { ProbeFunction } from './probe-function.ts';
import { checkApiProps, type PublicApiProps } from './public-api-props.ts';
import type { ServiceAlarm } from './service-alarm.ts';

export interface CatalogueProps extends PublicApiProps {
  /** Existing tables, as for every API, with that of the animals. @default tables of its own */
  readonly tables?: Tables;
  /** Shift traffic to a new version gradually, and shift it back if an alarm goes off. @default false */
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
  /** Routes that you add to it with another integration need no key, and their requests are not counted. */
  readonly api: HttpApi;
  /** The API's public address. */
  readonly url: string;
  /** What the API invokes: the released version of its function. */
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

  /**
   * Permits a role or a user to run `petstore --stage NAME` for accounts, keys, usage and animals.
   *
   * @throws Error if this app can't change the grantee's policy, such as that of a role in another account
   */
  grantOperate(grantee: IGrantable): void {
    const { deploymentName: name, tables } = this;
    grantStatements(this, grantee, [...commandStatements(this, { name, tables, parameters: ['tables'] }), ...petCommandStatements(tables)]);
  }
}
