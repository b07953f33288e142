// A gate's Lambda function, with a role that permits exactly what it does: admit requests, and invoke its target.

import { Duration, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Scope } from '../../core/access/scopes.ts';
import { allowAdmission } from './admission-permissions.ts';
import { serviceName } from './api-metrics.ts';
import type { AccessTables } from './catalogue-tables.ts';
import { functionIdentity } from './function-identity.ts';
import { type ServiceFunction, serviceFunction } from './service-function.ts';
import type { ServiceProps } from './service-props.ts';

/** What is behind the gate: the ARN of a Lambda function, or an https URL. */
export type GateTargetProps = { readonly functionArn: string } | { readonly url: string };

export interface GateFunctionProps extends ServiceProps {
  readonly tables: AccessTables;
  readonly target: GateTargetProps;
  /** How long the target may take. */
  readonly timeout: Duration;
  readonly memorySize: number;
  /** The scopes that a key needs: for GET, HEAD and OPTIONS, and for all other methods. */
  readonly scopes: { readonly read: Scope; readonly write: Scope };
  readonly draftHeaders: boolean;
}

/** The target's time, and a cold start and an admission before it. */
const OWN_SECONDS = 2;

/** The function with its role and log group. */
export class GateFunction extends Construct {
  readonly function: ServiceFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: GateFunctionProps) {
    super(scope, id);
    const { name, tables, target, timeout, scopes } = props;
    const { logGroup, role, allow } = functionIdentity(this, props);
    this.role = role;
    allowAdmission(allow, tables);
    if ('functionArn' in target) allow(['lambda:InvokeFunction'], [target.functionArn]);
    this.function = serviceFunction(this, 'Function', {
      code: 'gate',
      description: 'Petstore: authenticates and admits the requests to an API',
      memorySize: props.memorySize,
      timeout: timeout.plus(Duration.seconds(OWN_SECONDS)),
      role,
      logGroup,
      environment: {
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        ...('functionArn' in target ? { TARGET_FUNCTION: target.functionArn } : { TARGET_URL: target.url }),
        TARGET_TIMEOUT_MS: String(timeout.toMilliseconds()),
        READ_SCOPE: scopes.read,
        WRITE_SCOPE: scopes.write,
        SERVICE_NAME: serviceName(name),
        DRAFT_HEADERS: props.draftHeaders ? 'on' : 'off',
        POWERTOOLS_LOG_LEVEL: 'INFO',
      },
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Only API Gateway invokes it, and waits for the response: there is no asynchronous invocation that a queue could keep.',
    });
  }
}
