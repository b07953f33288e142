// The catalogue's Lambda function, with a role that permits exactly what the handler does.

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Alias, type IVersion } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { STATUS_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { Tables } from './catalogue-tables.ts';
import { allowAdmission, functionIdentity } from './function-identity.ts';
import { answersApiGateway, type ServiceFunction, serviceFunction } from './service-function.ts';
import type { ServiceProps } from './service-props.ts';

export interface ApiFunctionProps extends ServiceProps {
  readonly tables: Tables;
  /** Whether to send the RateLimit headers from the IETF draft as well. */
  readonly draftHeaders: boolean;
}

/** The function with its role, log group and the alias `live`. */
export class ApiFunction extends Construct {
  readonly function: ServiceFunction;
  /** The released version, which the API invokes. */
  readonly alias: Alias;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    const { tables, draftHeaders } = props;
    const { allow, ...identity } = functionIdentity(this, props);
    this.logGroup = identity.logGroup;
    this.role = identity.role;
    allowAdmission(allow, tables);
    // PutItem also permits a Put inside a transaction.
    allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'], [tables.pets.tableArn]);
    allow(['dynamodb:Query'], [`${tables.pets.tableArn}/index/${STATUS_INDEX}`]);

    this.function = serviceFunction(this, 'Function', {
      description: 'Petstore catalogue API',
      code: 'catalogue',
      // 1,769 MB is one full vCPU. Hashing and JSON are CPU-bound, so a faster response does not cost more.
      memorySize: 1_769,
      timeout: Duration.seconds(10),
      // Old versions are kept, so that the alias can be moved back manually.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      ...identity,
      environment: {
        PETS_TABLE: tables.pets.tableName,
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        DRAFT_HEADERS: draftHeaders ? 'on' : 'off',
      },
    });
    answersApiGateway(this.function);
    // The library's own types conflict under exactOptionalPropertyTypes.
    this.alias = new Alias(this, 'Live', { aliasName: 'live', version: this.function.currentVersion as IVersion });
  }
}
