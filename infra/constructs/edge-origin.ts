// The bucket with deployed files, which only CloudFront may read.

import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnOriginAccessControl } from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { sitesBucketOf } from '../../platforms/aws/stage-name.ts';
import type { SitesProps } from './service-props.ts';

/** Returns the bucket's name with pseudo parameters, so that policies read the same in every account. */
export function sitesBucketName(tablePrefix: string): string {
  return sitesBucketOf(tablePrefix, Aws.ACCOUNT_ID, Aws.REGION);
}

/** Returns the id of the finding on a policy for objects of the bucket. @param keys a pattern, such as `*` */
export function sitesFinding(tablePrefix: string, keys: string): string {
  return `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${tablePrefix}-sites-<AWS::AccountId>-<AWS::Region>/${keys}]`;
}

/** Deleted files can be brought back for as long as the tables can be restored: docs/operations.md, "Restore files". */
const keptVersions: BucketProps = {
  versioned: true,
  lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(35), expiredObjectDeleteMarker: true }],
};

/** The bucket with its origin access control. */
export class EdgeOrigin extends Construct {
  readonly bucket: Bucket;
  readonly accessControl: CfnOriginAccessControl;

  constructor(scope: Construct, id: string, { globalName, tablePrefix, removalPolicy }: SitesProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Sites', {
      bucketName: sitesBucketName(tablePrefix),
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // The dashboard sends files there, from whatever host it has; each request is signed by the control API.
      cors: [{ allowedOrigins: ['*'], allowedMethods: [HttpMethods.PUT], allowedHeaders: ['*'], maxAge: 3_600 }],
      ...(removalPolicy === RemovalPolicy.RETAIN && keptVersions),
      // A bucket can only be deleted empty: docs/operations.md, "Custom domains".
      removalPolicy,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: "Only CloudFront reads it, for visitors to customers' sites, who are not logged; every write is an API call that CloudTrail can log.",
    });
    this.accessControl = new CfnOriginAccessControl(this, 'AccessControl', {
      originAccessControlConfig: {
        name: `petstore-${globalName}-sites`,
        originAccessControlOriginType: 's3',
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
  }

  /** Permits a distribution to read the bucket. Includes ListBucket, without which S3 reports a missing file as forbidden. */
  grantRead(distributionId: string): void {
    const conditions = {
      StringEquals: { 'AWS:SourceArn': `arn:${Aws.PARTITION}:cloudfront::${Stack.of(this).account}:distribution/${distributionId}` },
    };
    const principals = [new ServicePrincipal('cloudfront.amazonaws.com')];
    this.bucket.addToResourcePolicy(
      new PolicyStatement({ actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('*')], principals, conditions }),
    );
    this.bucket.addToResourcePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn], principals, conditions }));
  }
}
