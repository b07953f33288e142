// The permissions that drift detection needs beyond AWS's policy SecurityAudit; what they don't cover is reported as UNKNOWN. The actions are those
// of the resource types' `read` handlers (https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html).

import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { sitesBucketName } from './edge/edge-origin.ts';
import type { SitesProps } from './service-props.ts';

export interface DriftReadsProps extends Pick<SitesProps, 'name' | 'globalName' | 'tablePrefix'> {
  /** The prefix of the stage's stack names, and so of names that CloudFormation generates. */
  readonly stackPrefix: string;
  readonly hasEdge: boolean;
}

/** Returns the statements for a stage. @param regions its stacks' regions */
export function driftReads(stage: DriftReadsProps, regions: readonly string[]): readonly PolicyStatement[] {
  const { name, globalName, tablePrefix, stackPrefix } = stage;
  const arn = (service: string, resource: string, region: string = Aws.REGION, account: string = Aws.ACCOUNT_ID) =>
    `arn:${Aws.PARTITION}:${service}:${region}:${account}:${resource}`;
  const global = (service: string, resource: string) => arn(service, resource, '');
  const reads: [actions: readonly string[], ...resources: string[]][] = [
    // The ids of APIs are not known in advance.
    [['apigateway:GET'], arn('apigateway', '/apis/*', Aws.REGION, ''), arn('apigateway', '/domainnames/*', Aws.REGION, '')],
    [['dynamodb:DescribeContributorInsights', 'dynamodb:DescribeTableReplicaAutoScaling'], arn('dynamodb', `table/${tablePrefix}-*`)],
    [
      [
        'lambda:GetAlias',
        'lambda:GetFunction',
        'lambda:GetFunctionRecursionConfig',
        'lambda:GetFunctionScalingConfig',
        'lambda:GetFunctionUrlConfig',
        'lambda:GetProvisionedConcurrencyConfig',
      ],
      arn('lambda', `function:${stackPrefix}-*`),
    ],
    [
      ['logs:GetDataProtectionPolicy'],
      arn('logs', `log-group:${stackPrefix}-*`),
      ...(!stage.hasEdge ? [] : [arn('logs', `log-group:/aws/vendedlogs/states/petstore-${name}-domains:*`)]),
    ],
    [['sns:GetDataProtectionPolicy'], ...regions.map((region) => arn('sns', `${stackPrefix}-*`, region))],
    // Subscriptions have no ARNs in policies.
    [['sns:GetSubscriptionAttributes'], '*'],
    [['ssm:GetParameters'], arn('ssm', `parameter/petstore/${name}/*`)],
  ];
  if (stage.hasEdge)
    reads.push(
      [['cloudfront:DescribeFunction'], global('cloudfront', `function/petstore-${globalName}-*`)],
      [['cloudfront:DescribeKeyValueStore'], global('cloudfront', 'key-value-store/*')],
      [['cognito-idp:GetUserPoolMfaConfig', 'cognito-idp:DescribeManagedLoginBranding'], arn('cognito-idp', 'userpool/*')],
      // CloudFormation names the bucket with the dashboard's files after its stack.
      [
        ['s3:GetIntelligentTieringConfiguration'],
        `arn:${Aws.PARTITION}:s3:::${stackPrefix}-*`,
        `arn:${Aws.PARTITION}:s3:::${sitesBucketName(tablePrefix)}`,
      ],
      // These are in the region of the EdgeAlarms stack. Deliveries have no names of their own.
      [['logs:GetDelivery'], arn('logs', 'delivery:*', 'us-east-1')],
      [['logs:GetDeliverySource'], arn('logs', `delivery-source:petstore-${globalName}-*`, 'us-east-1')],
      [
        ['logs:GetDeliveryDestination', 'logs:GetDeliveryDestinationPolicy'],
        arn('logs', `delivery-destination:petstore-${globalName}-*`, 'us-east-1'),
      ],
      [['states:ListTagsForResource'], arn('states', `stateMachine:petstore-${name}-domains`)],
    );
  return reads.map(([actions, ...resources]) => new PolicyStatement({ actions: [...actions], resources }));
}
