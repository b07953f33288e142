// A gate's Lambda function, with a role that permits exactly what it does: admit requests, and invoke its target or read the target's secret.

import { Duration, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Scope } from '../../core/access/plans.ts';
import type { Environments } from '../../platforms/aws/function-settings.ts';
import type { AccessTables } from './catalogue-tables.ts';
import { type Allow, allowAdmission, functionIdentity } from './function-identity.ts';
import { answersApiGateway, type ServiceFunction, serviceFunction } from './service-function.ts';
import type { ServiceProps } from './service-props.ts';

/** The gate's target: the ARN of a Lambda function, or an https URL. */
export type GateTargetProps = { readonly functionArn: string } | GateUrlProps;

export interface GateUrlProps {
  readonly url: string;
  /** The name of the SecureString whose value is sent with each request; undefined if there is none. */
  readonly secretParameter: string | undefined;
  /** The key with which the parameter is encrypted; undefined for `aws/ssm`. */
  readonly secretKeyArn: string | undefined;
}

export interface GateFunctionProps extends ServiceProps {
  readonly tables: AccessTables;
  readonly target: GateTargetProps;
  /** How long the target may take. */
  readonly timeout: Duration;
  readonly memorySize: number;
  /** Undefined for none. */
  readonly reservedConcurrency: number | undefined;
  /** The scopes that a key needs: `read` for GET, HEAD and OPTIONS; `write` for POST, PUT, PATCH and DELETE. */
  readonly scopes: { readonly read: Scope; readonly write: Scope };
  readonly draftHeaders: boolean;
}

/** For everything besides the target: two calls to DynamoDB, 3 s each (calls.ts), a read of the secret, 2 s (gate-secret.ts), and the response. */
const OWN_SECONDS = 9;
/** API Gateway waits no longer. The gate limits the target's time to the rest (service/gate/target.ts). */
const MAX_SECONDS = 30;

/** The function with its role and log group. */
export class GateFunction extends Construct {
  readonly function: ServiceFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: GateFunctionProps) {
    super(scope, id);
    const { tables, target, timeout, reservedConcurrency, scopes } = props;
    const { allow, ...identity } = functionIdentity(this, props);
    this.role = identity.role;
    allowAdmission(allow, tables);
    if ('functionArn' in target) allow(['lambda:InvokeFunction'], [target.functionArn]);
    else allowSecret(allow, Stack.of(this), target);
    this.function = serviceFunction(this, 'Function', {
      code: 'gate',
      description: 'Petstore: authenticates and admits the requests to an API',
      memorySize: props.memorySize,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      timeout: Duration.seconds(Math.min(timeout.toSeconds() + OWN_SECONDS, MAX_SECONDS)),
      ...identity,
      environment: {
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        ...targetSettings(target),
        TARGET_TIMEOUT_MS: String(timeout.toMilliseconds()),
        READ_SCOPE: scopes.read,
        WRITE_SCOPE: scopes.write,
        DRAFT_HEADERS: props.draftHeaders ? 'on' : 'off',
      },
    });
    answersApiGateway(this.function);
  }
}

function targetSettings(target: GateTargetProps): Pick<Environments['gate'], 'TARGET_FUNCTION' | 'TARGET_URL' | 'TARGET_SECRET_PARAMETER'> {
  if ('functionArn' in target) return { TARGET_FUNCTION: target.functionArn };
  const { url, secretParameter } = target;
  return { TARGET_URL: url, ...(secretParameter !== undefined && { TARGET_SECRET_PARAMETER: secretParameter }) };
}

/** Permits a function to read the target's secret. With `aws/ssm`, SSM decrypts for every principal in the account that may read the parameter. */
function allowSecret(allow: Allow, { partition, region, account }: Stack, { secretParameter, secretKeyArn }: GateUrlProps): void {
  if (secretParameter === undefined) return;
  const parameterArn = `arn:${partition}:ssm:${region}:${account}:parameter/${secretParameter.replace(/^\//, '')}`;
  allow(['ssm:GetParameter'], [parameterArn]);
  if (secretKeyArn === undefined) return;
  // Permits decryption only through SSM, and only of this parameter (Systems Manager User Guide, "How Parameter Store uses AWS KMS").
  const through = { 'kms:ViaService': `ssm.${region}.amazonaws.com`, 'kms:EncryptionContext:PARAMETER_ARN': parameterArn };
  allow(['kms:Decrypt'], [secretKeyArn], { StringEquals: through });
}
