// The control API's Lambda function, with exactly the permissions that its operations need.

import { Aws, Duration, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { KeyMode } from '../../core/access/api-key.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import type { Tables } from './catalogue-tables.ts';
import type { DomainWorkflow } from './domain-workflow.ts';
import { sitesBucketName, sitesFinding } from './edge/edge-origin.ts';
import type { SiteEdge } from './edge/site-edge.ts';
import { functionIdentity, reservedConcurrency } from './function-identity.ts';
import { answersApiGateway, type ServiceFunction, serviceFunction } from './service-function.ts';
import type { EdgeNameProps, SitesProps } from './service-props.ts';

export interface ControlFunctionProps extends SitesProps {
  readonly edgeName: EdgeNameProps;
  readonly tables: Tables;
  readonly edge: SiteEdge;
  readonly domains: DomainWorkflow;
  readonly keyMode: KeyMode;
  readonly sendsMail: boolean;
  /** Ids of the users who operate the stage in the dashboard. */
  readonly operators: readonly string[];
}

/** The function with its role and log group. */
export class ControlFunction extends Construct {
  readonly function: ServiceFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: ControlFunctionProps) {
    super(scope, id);
    const { name, tablePrefix, edgeName, tables, edge, domains } = props;
    const { allow, ...identity } = functionIdentity(this, props);
    this.role = identity.role;
    const readWrite = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    allow([...readWrite, 'dynamodb:DeleteItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], [tables.control.tableArn]);
    // For the operators' view of domains and emails.
    if (props.operators.length > 0) allow(['dynamodb:Query'], [`${tables.control.tableArn}/index/${WAKE_INDEX}`]);
    allow([...readWrite, 'dynamodb:DeleteItem'], [tables.usage.tableArn]);
    // Owners read their account's entries; the index of all accounts' entries is for the operator.
    allow(['dynamodb:PutItem', 'dynamodb:Query'], [tables.audit.tableArn]);
    const sites = `arn:${Aws.PARTITION}:s3:::${sitesBucketName(tablePrefix)}`;
    allow(['s3:PutObject'], [`${sites}/*`]);
    allow(['s3:GetObject', 's3:DeleteObject'], [`${sites}/uploads/*`]);
    allow(['s3:ListBucket'], [sites]);
    allow(
      ['cloudfront-keyvaluestore:DescribeKeyValueStore', 'cloudfront-keyvaluestore:GetKey', 'cloudfront-keyvaluestore:UpdateKeys'],
      [edge.map.keyValueStoreArn],
    );
    allow(['states:StartExecution'], [domains.workflow.stateMachineArn]);
    allow(['lambda:InvokeFunction'], [domains.steps.function.functionArn]);
    const parameter = parameterName(name, 'edge', 'routing-endpoint');
    allow(['ssm:GetParameter'], [`arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${parameter}`]);
    for (const keys of ['*', 'uploads/*']) {
      Validations.of(this.role).acknowledge({
        id: sitesFinding(tablePrefix, keys),
        reason: "Owners' files have names that are not known in advance.",
      });
    }

    this.function = serviceFunction(this, 'Function', {
      description: 'Petstore control API, for the dashboard',
      code: 'control',
      memorySize: 1_024,
      timeout: Duration.seconds(29),
      ...reservedConcurrency(props.reserveConcurrency, 'control'),
      ...identity,
      environment: {
        PETS_TABLE: tables.pets.tableName,
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        AUDIT_TABLE: tables.audit.tableName,
        KEY_MODE: props.keyMode,
        EDGE_NAME: edgeName.name,
        ...(edgeName.certificateArn !== undefined && { SERVES_TARGETS: 'on' }),
        ROUTING_ENDPOINT_PARAMETER: parameter,
        EDGE_MAP_ARN: edge.map.keyValueStoreArn,
        SITES_BUCKET: edge.origin.bucket.bucketName,
        WORKFLOW_ARN: domains.workflow.stateMachineArn,
        SENDS_MAIL: props.sendsMail ? 'on' : 'off',
        ...(props.operators.length > 0 && { OPERATORS: props.operators.join(',') }),
        PUBLISH_FUNCTION: domains.steps.function.functionArn,
      },
    });
    answersApiGateway(this.function);
  }
}
