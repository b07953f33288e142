// The origin that CloudFront uses after S3 has failed: a function behind a URL that only the edge's distribution may call.

import { Aws, Duration, Fn, Stack, Validations } from 'aws-cdk-lib';
import { CfnOriginAccessControl } from 'aws-cdk-lib/aws-cloudfront';
import { CfnPermission, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { functionIdentity, reservedConcurrency } from '../function-identity.ts';
import { type ServiceFunction, serviceFunction } from '../service-function.ts';
import type { SitesProps } from '../service-props.ts';
import { sitesBucketName, sitesFinding } from './edge-origin.ts';

/** The function, its URL and its origin access control. */
export class EdgeFailover extends Construct {
  readonly function: ServiceFunction;
  /** The host name of the function's URL. */
  readonly domainName: string;
  readonly accessControl: CfnOriginAccessControl;

  constructor(scope: Construct, id: string, props: SitesProps) {
    super(scope, id);
    const { globalName, tablePrefix, reserveConcurrency } = props;
    const { allow, ...identity } = functionIdentity(this, props);
    const bucket = `arn:${Aws.PARTITION}:s3:::${sitesBucketName(tablePrefix)}`;
    allow(['s3:GetObject'], [`${bucket}/*`]);
    // Without this permission, S3 reports a missing file as forbidden.
    allow(['s3:ListBucket'], [bucket]);
    Validations.of(identity.role).acknowledge({
      id: sitesFinding(tablePrefix, '*'),
      reason: 'It reads the file that a visitor requested, from any project; only CloudFront may invoke it.',
    });
    this.function = serviceFunction(this, 'Function', {
      description: 'Petstore edge: answers where S3 has no file',
      code: 'edge-failover',
      memorySize: 512,
      timeout: Duration.seconds(10),
      ...reservedConcurrency(reserveConcurrency, 'failover'),
      ...identity,
      environment: { SITES_BUCKET: sitesBucketName(tablePrefix) },
    });
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Only CloudFront invokes it, and waits for the response: there is no asynchronous invocation that a queue could keep.',
    });
    const { url } = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
    this.domainName = Fn.select(2, Fn.split('/', url));
    this.accessControl = new CfnOriginAccessControl(this, 'AccessControl', {
      originAccessControlConfig: {
        name: `petstore-${globalName}-failover`,
        originAccessControlOriginType: 'lambda',
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
  }

  /** Lets a distribution call the URL (Lambda Developer Guide, "Control access to function URLs"). @param name distinguishes distributions */
  grantInvoke(distributionId: string, name = ''): void {
    const common = {
      functionName: this.function.functionArn,
      principal: 'cloudfront.amazonaws.com',
      sourceArn: `arn:${Aws.PARTITION}:cloudfront::${Stack.of(this).account}:distribution/${distributionId}`,
    };
    new CfnPermission(this, `InvokeUrl${name}`, { ...common, action: 'lambda:InvokeFunctionUrl', functionUrlAuthType: FunctionUrlAuthType.AWS_IAM });
    new CfnPermission(this, `Invoke${name}`, { ...common, action: 'lambda:InvokeFunction', invokedViaFunctionUrl: true });
  }
}
