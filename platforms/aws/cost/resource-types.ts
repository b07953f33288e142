// Every type of resource in a stage's templates, with the prices of what it causes, or the reason why it costs nothing. A test fails for a type that
// is missing here.

import type { PriceName } from './prices.ts';

const PART = 'a setting of a resource that is listed here';
const IAM = 'IAM is free';

/** For each type, the prices of what it causes, or why it costs nothing. */
export const RESOURCE_COSTS: Readonly<Record<string, readonly PriceName[] | string>> = {
  'AWS::ApiGatewayV2::Api': ['httpApiRequests', 'dataOut'],
  'AWS::ApiGatewayV2::ApiMapping': PART,
  'AWS::ApiGatewayV2::Authorizer': 'JWT authorizers are free; only Lambda authorizers cost their calls',
  'AWS::ApiGatewayV2::DomainName': 'custom domain names of HTTP APIs are free, and so are their certificates in ACM',
  'AWS::ApiGatewayV2::Integration': PART,
  'AWS::ApiGatewayV2::Route': ['metrics'],
  'AWS::ApiGatewayV2::Stage': ['metrics', 'logsIngested', 'logsStored'],
  'AWS::CloudFront::ConnectionGroup': 'only tenants are charged for; no static addresses are ordered',
  'AWS::CloudFront::Distribution': ['cdnRequests', 'cdnDataOut', 'tenantsBase', 'tenants'],
  'AWS::CloudFront::DistributionTenant': ['tenantsBase', 'tenants'],
  'AWS::CloudFront::Function': ['cdnFunctions'],
  'AWS::CloudFront::KeyValueStore': ['mapReads', 'mapCalls'],
  'AWS::CloudFront::OriginAccessControl': PART,
  'AWS::CloudFront::ResponseHeadersPolicy': PART,
  'AWS::CloudWatch::Alarm': ['alarmMetrics'],
  'AWS::CloudWatch::Dashboard': ['dashboards'],
  'AWS::Budgets::Budget': 'AWS charges only for budgets with actions; this one has none',
  'AWS::CodeDeploy::Application': 'CodeDeploy is free for Lambda',
  'AWS::CodeDeploy::DeploymentGroup': 'CodeDeploy is free for Lambda',
  'AWS::Cognito::UserPool': ['activeUsers'],
  'AWS::Cognito::UserPoolClient': 'only clients for machines are charged for',
  'AWS::Cognito::UserPoolDomain': PART,
  'AWS::DynamoDB::GlobalTable': ['readUnits', 'writeUnits', 'tableStorage', 'tableBackup', 'kmsRequests'],
  'AWS::Events::Rule': 'rules on the default bus and their schedules are free',
  'AWS::IAM::Policy': IAM,
  'AWS::IAM::Role': IAM,
  'AWS::Lambda::Alias': PART,
  'AWS::Lambda::EventInvokeConfig': PART,
  'AWS::Lambda::Function': ['lambdaRequests', 'lambdaGbSeconds', 'traces', 'metrics'],
  'AWS::Lambda::Permission': IAM,
  'AWS::Lambda::Url': 'function URLs are free',
  'AWS::Lambda::Version': 'code of up to 75 GB is stored for free',
  'AWS::Logs::Delivery': 'CloudFront does not charge for standard logs in S3; their files cost writes there',
  'AWS::Logs::DeliveryDestination': PART,
  'AWS::Logs::DeliverySource': PART,
  'AWS::Logs::LogGroup': ['logsIngested', 'logsStored'],
  'AWS::Route53::RecordSet': ['dnsQueries'],
  'AWS::S3::Bucket': ['objectStorage', 'objectReads', 'objectWrites'],
  'AWS::S3::BucketPolicy': PART,
  'AWS::SNS::Subscription': ['emails'],
  'AWS::SNS::Topic': ['emails'],
  'AWS::SNS::TopicPolicy': PART,
  'AWS::SSM::Parameter': 'standard parameters are free',
  'AWS::StepFunctions::StateMachine': ['stateTransitions', 'logsIngested', 'traces'],
};
