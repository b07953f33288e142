// The services that our code, the tests and the CDK call through an SDK client.

import * as acm from '@aws-sdk/client-acm';
import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as cloudfront from '@aws-sdk/client-cloudfront';
import * as keyValueStore from '@aws-sdk/client-cloudfront-keyvaluestore';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as cognito from '@aws-sdk/client-cognito-identity-provider';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as iam from '@aws-sdk/client-iam';
import * as lambda from '@aws-sdk/client-lambda';
import * as route53 from '@aws-sdk/client-route-53';
import * as s3 from '@aws-sdk/client-s3';
import * as ses from '@aws-sdk/client-sesv2';
import * as stepFunctions from '@aws-sdk/client-sfn';
import * as ssm from '@aws-sdk/client-ssm';
import * as sts from '@aws-sdk/client-sts';
import '@aws-sdk/signature-v4a';
import type { WireModel } from '../../wire/model.ts';
import { MODELS } from './models.ts';
import { type SdkClient, type SdkPackage, sdkClient, sdkSender } from './sdk-requests.ts';

interface Service {
  readonly signingName: string;
  readonly sdk: SdkPackage;
  /** The client's class. */
  readonly client: string;
}

/** By botocore's names. */
export const SERVICES = {
  acm: { signingName: 'acm', sdk: acm, client: 'ACMClient' },
  cloudformation: { signingName: 'cloudformation', sdk: cloudformation, client: 'CloudFormationClient' },
  cloudfront: { signingName: 'cloudfront', sdk: cloudfront, client: 'CloudFrontClient' },
  'cloudfront-keyvaluestore': { signingName: 'cloudfront-keyvaluestore', sdk: keyValueStore, client: 'CloudFrontKeyValueStoreClient' },
  cloudwatch: { signingName: 'monitoring', sdk: cloudwatch, client: 'CloudWatchClient' },
  'cognito-idp': { signingName: 'cognito-idp', sdk: cognito, client: 'CognitoIdentityProviderClient' },
  dynamodb: { signingName: 'dynamodb', sdk: dynamodb, client: 'DynamoDBClient' },
  iam: { signingName: 'iam', sdk: iam, client: 'IAMClient' },
  lambda: { signingName: 'lambda', sdk: lambda, client: 'LambdaClient' },
  route53: { signingName: 'route53', sdk: route53, client: 'Route53Client' },
  s3: { signingName: 's3', sdk: s3, client: 'S3Client' },
  sesv2: { signingName: 'ses', sdk: ses, client: 'SESv2Client' },
  ssm: { signingName: 'ssm', sdk: ssm, client: 'SSMClient' },
  stepfunctions: { signingName: 'states', sdk: stepFunctions, client: 'SFNClient' },
  sts: { signingName: 'sts', sdk: sts, client: 'STSClient' },
} as const satisfies Readonly<Record<string, Service>>;

export type ServiceName = keyof typeof SERVICES;

/** The service's client, which sends nothing. @param settings other than region and credentials */
export function clientOf(service: ServiceName, settings: object = {}): SdkClient {
  const { sdk, client } = SERVICES[service];
  return sdkClient(sdk, client, settings);
}

/** The service's client, which sends requests. */
export function senderOf(service: ServiceName, settings: object): (operation: string, input: object) => Promise<unknown> {
  const { sdk, client } = SERVICES[service];
  return sdkSender(sdk, client, settings);
}

export function modelOf(service: ServiceName): WireModel {
  const model = MODELS.of(SERVICES[service].signingName).get(service);
  if (model === undefined) throw new Error(`no model of ${service}`);
  return model;
}
