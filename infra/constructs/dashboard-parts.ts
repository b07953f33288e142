// What alarms and graphs watch of the dashboard.

import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { UserPool, UserPoolClient } from 'aws-cdk-lib/aws-cognito';
import type { ControlFunction } from './control-function.ts';
import type { DashboardSite } from './dashboard-site.ts';
import type { NotifierFunction } from './notifier-function.ts';

export interface DashboardParts {
  readonly userPool: UserPool;
  readonly client: UserPoolClient;
  readonly api: HttpApi;
  readonly control: ControlFunction;
  readonly site: DashboardSite;
  /** Sends emails to owners. Undefined: there is no sender. */
  readonly notifier: NotifierFunction | undefined;
}
