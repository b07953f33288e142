// What CloudFormation reads when it detects drift, by resource type, and what AWS's managed policy SecurityAudit allows of it.

import type { Statement } from '../../../judge/rules.ts';
import { ACCOUNT, REGION } from './deployed-templates.ts';

// biome-ignore lint/suspicious/noExplicitAny: properties of any resource
type Properties = any;

/** @param name the resource's own name, or the one that CloudFormation generates from its stack and logical id */
type Read = readonly [arn: (name: string, properties: Properties) => string, name: string | undefined, ...actions: string[]];

/** An ARN in the stage's account. @param region empty for a global service */
export function arn(service: string, resource: string, region = REGION, account = ACCOUNT): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}

const api = (path: string) => arn('apigateway', path, REGION, '');
const global = (service: string, resource: string) => arn(service, resource, '');
const unnamed = undefined;
const onAll = () => '*';

/**
 * What CloudFormation calls to read a resource: the permissions of the handler `read` in the type's schema, without those that it needs only for
 * features that our templates don't use (customer managed keys, APIs from files in S3, roles of rules, scaling of provisioned tables).
 */
export const READS: Readonly<Record<string, readonly Read[]>> = {
  'AWS::ApiGatewayV2::Api': [[() => api('/apis/a1'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::ApiMapping': [[() => api('/domainnames/api.example.com/apimappings/m1'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::Authorizer': [[() => api('/apis/a1/authorizers/u1'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::DomainName': [[() => api('/domainnames/api.example.com'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::Integration': [[() => api('/apis/a1/integrations/i1'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::Route': [[() => api('/apis/a1/routes/r1'), unnamed, 'apigateway:GET']],
  'AWS::ApiGatewayV2::Stage': [[() => api('/apis/a1/stages/$default'), unnamed, 'apigateway:GET']],
  'AWS::CloudFront::ConnectionGroup': [
    [() => global('cloudfront', 'connection-group/cg_1'), unnamed, 'cloudfront:GetConnectionGroup', 'cloudfront:ListTagsForResource'],
  ],
  'AWS::CloudFront::Distribution': [
    [
      () => global('cloudfront', 'distribution/E1'),
      unnamed,
      'cloudfront:GetDistribution',
      'cloudfront:GetDistributionConfig',
      'cloudfront:ListTagsForResource',
    ],
  ],
  'AWS::CloudFront::DistributionTenant': [
    [() => global('cloudfront', 'distribution-tenant/dt_1'), unnamed, 'cloudfront:GetDistributionTenant', 'cloudfront:ListTagsForResource'],
  ],
  'AWS::CloudFront::Function': [
    [
      (name) => global('cloudfront', `function/${name}`),
      'Name',
      'cloudfront:DescribeFunction',
      'cloudfront:GetFunction',
      'cloudfront:ListTagsForResource',
    ],
  ],
  'AWS::CloudFront::KeyValueStore': [
    [() => global('cloudfront', 'key-value-store/0a1b'), unnamed, 'cloudfront:DescribeKeyValueStore', 'cloudfront:ListTagsForResource'],
  ],
  'AWS::CloudFront::OriginAccessControl': [[() => global('cloudfront', 'origin-access-control/E1'), unnamed, 'cloudfront:GetOriginAccessControl']],
  'AWS::CloudFront::ResponseHeadersPolicy': [
    [() => global('cloudfront', 'response-headers-policy/0a1b'), unnamed, 'cloudfront:GetResponseHeadersPolicy'],
  ],
  'AWS::CloudWatch::Alarm': [
    [(name) => arn('cloudwatch', `alarm:${name}`), 'AlarmName', 'cloudwatch:DescribeAlarms', 'cloudwatch:ListTagsForResource'],
  ],
  'AWS::CloudWatch::Dashboard': [
    [(name) => global('cloudwatch', `dashboard/${name}`), 'DashboardName', 'cloudwatch:GetDashboard', 'cloudwatch:ListTagsForResource'],
  ],
  'AWS::CodeDeploy::Application': [
    [(name) => arn('codedeploy', `application:${name}`), 'ApplicationName', 'codedeploy:GetApplication', 'codedeploy:ListTagsForResource'],
  ],
  'AWS::CodeDeploy::DeploymentGroup': [
    [
      (name) => arn('codedeploy', `deploymentgroup:${name}`),
      'DeploymentGroupName',
      'codedeploy:GetDeploymentGroup',
      'codedeploy:ListTagsForResource',
      'codedeploy:ListDeployments',
      'codedeploy:GetDeployment',
    ],
  ],
  'AWS::Cognito::ManagedLoginBranding': [[() => arn('cognito-idp', `userpool/${REGION}_1`), unnamed, 'cognito-idp:DescribeManagedLoginBranding']],
  'AWS::Cognito::UserPool': [
    [() => arn('cognito-idp', `userpool/${REGION}_1`), unnamed, 'cognito-idp:DescribeUserPool', 'cognito-idp:GetUserPoolMfaConfig'],
  ],
  'AWS::Cognito::UserPoolClient': [[() => arn('cognito-idp', `userpool/${REGION}_1`), unnamed, 'cognito-idp:DescribeUserPoolClient']],
  'AWS::Cognito::UserPoolDomain': [[onAll, unnamed, 'cognito-idp:DescribeUserPoolDomain']],
  'AWS::DynamoDB::GlobalTable': [
    [
      (name) => arn('dynamodb', `table/${name}`),
      'TableName',
      'dynamodb:DescribeTable',
      'dynamodb:DescribeContinuousBackups',
      'dynamodb:DescribeContributorInsights',
      'dynamodb:DescribeKinesisStreamingDestination',
      'dynamodb:DescribeTableReplicaAutoScaling',
      'dynamodb:DescribeTimeToLive',
      'dynamodb:GetResourcePolicy',
      'dynamodb:ListTagsOfResource',
    ],
    [(name) => arn('dynamodb', `table/${name}/index/i`), 'TableName', 'dynamodb:DescribeContributorInsights'],
  ],
  'AWS::Events::Rule': [
    [(name) => arn('events', `rule/${name}`), 'Name', 'events:DescribeRule', 'events:ListTargetsByRule', 'events:ListTagsForResource'],
  ],
  'AWS::IAM::Policy': [[onAll, unnamed, 'iam:GetRolePolicy']],
  'AWS::IAM::Role': [
    [(name) => global('iam', `role/${name}`), 'RoleName', 'iam:GetRole', 'iam:ListAttachedRolePolicies', 'iam:ListRolePolicies', 'iam:GetRolePolicy'],
  ],
  'AWS::Lambda::Alias': [
    [(_, { FunctionName }) => lambda(FunctionName), unnamed, 'lambda:GetAlias'],
    [(_, { FunctionName }) => `${lambda(FunctionName)}:live`, unnamed, 'lambda:GetProvisionedConcurrencyConfig'],
  ],
  'AWS::Lambda::EventInvokeConfig': [[(_, { FunctionName }) => lambda(FunctionName), unnamed, 'lambda:GetFunctionEventInvokeConfig']],
  'AWS::Lambda::Function': [
    [
      (name) => lambda(name),
      'FunctionName',
      'lambda:GetFunction',
      'lambda:GetFunctionCodeSigningConfig',
      'lambda:GetFunctionRecursionConfig',
      'lambda:GetFunctionScalingConfig',
      'lambda:GetRuntimeManagementConfig',
    ],
  ],
  'AWS::Lambda::Permission': [[onAll, unnamed, 'lambda:GetPolicy']],
  'AWS::Lambda::Url': [[(_, { TargetFunctionArn }) => TargetFunctionArn, unnamed, 'lambda:GetFunctionUrlConfig']],
  'AWS::Lambda::Version': [
    [(_, { FunctionName }) => lambda(FunctionName), unnamed, 'lambda:GetFunctionConfiguration', 'lambda:GetFunctionScalingConfig'],
    [(_, { FunctionName }) => `${lambda(FunctionName)}:7`, unnamed, 'lambda:GetProvisionedConcurrencyConfig', 'lambda:GetRuntimeManagementConfig'],
  ],
  'AWS::Logs::Delivery': [[() => arn('logs', 'delivery:0a1b'), unnamed, 'logs:GetDelivery', 'logs:ListTagsForResource']],
  'AWS::Logs::DeliveryDestination': [
    [
      (name) => arn('logs', `delivery-destination:${name}`),
      'Name',
      'logs:GetDeliveryDestination',
      'logs:GetDeliveryDestinationPolicy',
      'logs:ListTagsForResource',
    ],
  ],
  'AWS::Logs::DeliverySource': [[(name) => arn('logs', `delivery-source:${name}`), 'Name', 'logs:GetDeliverySource', 'logs:ListTagsForResource']],
  'AWS::Logs::LogGroup': [
    [
      (name) => arn('logs', `log-group:${name}:*`),
      'LogGroupName',
      'logs:DescribeLogGroups',
      'logs:GetDataProtectionPolicy',
      'logs:ListTagsForResource',
    ],
  ],
  'AWS::Route53::RecordSet': [[() => 'arn:aws:route53:::hostedzone/Z1', unnamed, 'route53:GetHostedZone', 'route53:ListResourceRecordSets']],
  'AWS::S3::Bucket': [
    [
      (name) => `arn:aws:s3:::${name}`,
      'BucketName',
      's3:GetAccelerateConfiguration',
      's3:GetAnalyticsConfiguration',
      's3:GetBucketCORS',
      's3:GetBucketLogging',
      's3:GetBucketMetadataTableConfiguration',
      's3:GetBucketNotification',
      's3:GetBucketObjectLockConfiguration',
      's3:GetBucketOwnershipControls',
      's3:GetBucketPublicAccessBlock',
      's3:GetBucketTagging',
      's3:GetBucketVersioning',
      's3:GetBucketWebsite',
      's3:GetEncryptionConfiguration',
      's3:GetIntelligentTieringConfiguration',
      's3:GetInventoryConfiguration',
      's3:GetLifecycleConfiguration',
      's3:GetMetricsConfiguration',
      's3:GetReplicationConfiguration',
      's3:ListBucket',
    ],
  ],
  'AWS::S3::BucketPolicy': [[onAll, unnamed, 's3:GetBucketPolicy']],
  'AWS::SNS::Subscription': [[onAll, unnamed, 'sns:GetSubscriptionAttributes']],
  'AWS::SNS::Topic': [
    [
      (name) => arn('sns', name),
      'TopicName',
      'sns:GetTopicAttributes',
      'sns:GetDataProtectionPolicy',
      'sns:ListSubscriptionsByTopic',
      'sns:ListTagsForResource',
    ],
  ],
  'AWS::SNS::TopicPolicy': [[onAll, unnamed, 'sns:GetTopicAttributes']],
  'AWS::SSM::Parameter': [[(name) => arn('ssm', `parameter${name}`), 'Name', 'ssm:GetParameters', 'ssm:ListTagsForResource']],
  'AWS::StepFunctions::StateMachine': [
    [(name) => arn('states', `stateMachine:${name}`), 'StateMachineName', 'states:DescribeStateMachine', 'states:ListTagsForResource'],
  ],
};

/** Types without drift detection (CloudFormation User Guide, "Resource type support"). */
export const WITHOUT_DETECTION = ['AWS::Budgets::Budget'];

/** The ARN of a function. @param nameOrArn its name or, as it is, its ARN */
export function lambda(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? nameOrArn : arn('lambda', `function:${nameOrArn}`);
}

/** The part of AWS's managed policy SecurityAudit, version 86, that is about these resources. */
export const SECURITY_AUDIT: readonly Statement[] = [
  {
    Effect: 'Allow',
    Resource: '*',
    Action: [
      'cloudfront:Get*',
      'cloudfront:List*',
      'cloudwatch:Describe*',
      'cloudwatch:GetDashboard',
      'cloudwatch:ListTagsForResource',
      'codedeploy:Get*',
      'codedeploy:List*',
      'cognito-idp:Describe*',
      'dynamodb:DescribeContinuousBackups',
      'dynamodb:DescribeKinesisStreamingDestination',
      'dynamodb:DescribeTable',
      'dynamodb:DescribeTimeToLive',
      'dynamodb:GetResourcePolicy',
      'dynamodb:ListTagsOfResource',
      'events:Describe*',
      'events:List*',
      'iam:Get*',
      'iam:List*',
      'lambda:GetFunctionCodeSigningConfig',
      'lambda:GetFunctionConfiguration',
      'lambda:GetFunctionEventInvokeConfig',
      'lambda:GetPolicy',
      'lambda:GetRuntimeManagementConfig',
      'logs:Describe*',
      'logs:ListTagsForResource',
      'route53:Get*',
      'route53:List*',
      's3:GetAccelerateConfiguration',
      's3:GetAnalyticsConfiguration',
      's3:GetBucket*',
      's3:GetEncryptionConfiguration',
      's3:GetInventoryConfiguration',
      's3:GetLifecycleConfiguration',
      's3:GetMetricsConfiguration',
      's3:GetReplicationConfiguration',
      's3:ListBucket',
      'sns:GetTopicAttributes',
      'sns:ListSubscriptionsByTopic',
      'sns:ListTagsForResource',
      'ssm:ListTagsForResource',
      'states:DescribeStateMachine',
    ],
  },
  {
    Effect: 'Allow',
    Action: 'apigateway:GET',
    Resource: ['/apis', '/apis/*/authorizers/*', '/apis/*/integrations/*', '/apis/*/routes/*', '/apis/*/stages/*', '/domainnames'].map(
      (path) => `arn:aws:apigateway:*::${path}`,
    ),
  },
];
