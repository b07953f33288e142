// The control API's Lambda function, with exactly the permissions that its operations need.

import { Aws, Duration, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import type { Tables } from '../stacks/data.ts';
import type { DomainsStack } from '../stacks/domains.ts';
import type { EdgeStack } from '../stacks/edge.ts';
import type { EdgeSettings, StageSettings } from '../stages.ts';
import { serviceName } from './api-metrics.ts';
import { sitesBucketName } from './edge-origin.ts';
import { functionIdentity } from './function-identity.ts';
import { reservedConcurrency } from './reserved-concurrency.ts';
import { type ServiceFunction, serviceFunction } from './service-function.ts';

export interface ControlFunctionProps {
  readonly stage: StageSettings;
  readonly edge: EdgeSettings;
  readonly tables: Tables;
  readonly edgeStack: EdgeStack;
  readonly domains: DomainsStack;
}

/** The function with its role and log group. */
export class ControlFunction extends Construct {
  readonly function: ServiceFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, { stage, edge, tables, edgeStack, domains }: ControlFunctionProps) {
    super(scope, id);
    const { logGroup, role, allow } = functionIdentity(this, stage);
    this.role = role;
    const readWrite = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    allow([...readWrite, 'dynamodb:DeleteItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], [tables.control.tableArn]);
    allow(readWrite, [tables.usage.tableArn]);
    const sites = `arn:${Aws.PARTITION}:s3:::${sitesBucketName(stage)}`;
    allow(['s3:PutObject'], [`${sites}/*`]);
    allow(['s3:GetObject', 's3:DeleteObject'], [`${sites}/uploads/*`]);
    allow(['s3:ListBucket'], [sites]);
    allow(
      ['cloudfront-keyvaluestore:DescribeKeyValueStore', 'cloudfront-keyvaluestore:GetKey', 'cloudfront-keyvaluestore:UpdateKeys'],
      [edgeStack.map.keyValueStoreArn],
    );
    allow(['states:StartExecution'], [domains.workflow.stateMachineArn]);
    allow(['lambda:InvokeFunction'], [domains.steps.function.functionArn]);
    const parameter = parameterName(stage.name, 'edge', 'routing-endpoint');
    allow(['ssm:GetParameter'], [`arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${parameter}`]);
    for (const keys of ['*', 'uploads/*']) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${stage.tablePrefix}-sites-<AWS::AccountId>-<AWS::Region>/${keys}]`,
        reason: "Owners' files have names that are not known in advance.",
      });
    }

    this.function = serviceFunction(this, 'Function', {
      description: 'Petstore control API, for the dashboard',
      code: 'control',
      memorySize: 1_024,
      timeout: Duration.seconds(20),
      ...reservedConcurrency(stage, 'control'),
      role,
      logGroup,
      environment: {
        PETS_TABLE: tables.pets.tableName,
        USAGE_TABLE: tables.usage.tableName,
        CONTROL_TABLE: tables.control.tableName,
        SERVICE_NAME: serviceName(stage.name),
        KEY_MODE: stage.keyMode,
        EDGE_NAME: edge.name,
        ...(edge.certificateArn !== undefined && { SERVES_TARGETS: 'on' }),
        ROUTING_ENDPOINT_PARAMETER: parameter,
        EDGE_MAP_ARN: edgeStack.map.keyValueStoreArn,
        SITES_BUCKET: edgeStack.origin.bucket.bucketName,
        WORKFLOW_ARN: domains.workflow.stateMachineArn,
        SENDS_MAIL: stage.signIn.mailFrom === undefined ? 'off' : 'on',
        PUBLISH_FUNCTION: domains.steps.function.functionArn,
        POWERTOOLS_LOG_LEVEL: 'INFO',
      },
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Only API Gateway invokes it, and waits for the response: there is no asynchronous invocation that a queue could keep.',
    });
  }
}
