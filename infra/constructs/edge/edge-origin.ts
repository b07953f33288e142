// The bucket for deployed files, which only CloudFront may read. It also keeps CloudFront's logs until their requests have been counted.

import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnConnectionGroup, type CfnDistribution, CfnDistributionTenant, CfnOriginAccessControl } from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CnameRecord, HostedZone } from 'aws-cdk-lib/aws-route53';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { LOGS_PREFIX } from '../../../adapters/sites/log-fields.ts';
import { sitesBucketOf } from '../../../platforms/aws/stage-name.ts';
import { parameterName } from '../../../platforms/aws/stage-parameters.ts';
import type { EdgeNameProps, SitesProps } from '../service-props.ts';

/** Returns the bucket's name with pseudo parameters, so that policies are the same in every account. */
export function sitesBucketName(tablePrefix: string): string {
  return sitesBucketOf(tablePrefix, Aws.ACCOUNT_ID, Aws.REGION);
}

/** Returns the id of the finding on a policy for the bucket's objects. @param keys a pattern, such as `*` */
export function sitesFinding(tablePrefix: string, keys: string): string {
  return `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${tablePrefix}-sites-<AWS::AccountId>-<AWS::Region>/${keys}]`;
}

/** Deleted files can be restored for as long as the tables can: docs/aws/restore.md, "Deployed files". */
const deletedFiles: LifecycleRule = { noncurrentVersionExpiration: Duration.days(35), expiredObjectDeleteMarker: true };
/** The sweep reads a log within two hours and removes it. Unreadable logs are kept for operators to inspect. */
const logs: LifecycleRule = { prefix: LOGS_PREFIX, expiration: Duration.days(7), noncurrentVersionExpiration: Duration.days(1) };

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
      // The dashboard sends files here, from whatever host it is on; each request is signed by the control API.
      cors: [{ allowedOrigins: ['*'], allowedMethods: [HttpMethods.PUT], allowedHeaders: ['*'], maxAge: 3_600 }],
      versioned: removalPolicy === RemovalPolicy.RETAIN,
      lifecycleRules: [logs, ...(removalPolicy === RemovalPolicy.RETAIN ? [deletedFiles] : [])],
      // A bucket can only be deleted when empty: docs/aws/domains.md, "Delete the edge".
      removalPolicy,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: "CloudFront's own logs have the visits to sites; every write is an API call that CloudTrail can log.",
    });
    this.permitDelivery();
    this.accessControl = new CfnOriginAccessControl(this, 'AccessControl', {
      originAccessControlConfig: {
        name: `petstore-${globalName}-sites`,
        originAccessControlOriginType: 's3',
        signingBehavior: 'always',
        signingProtocol: 'sigv4',
      },
    });
  }

  /** Permits CloudFront to deliver its logs (CloudWatch Logs User Guide, "Logs sent to Amazon S3"). */
  private permitDelivery(): void {
    const { account } = Stack.of(this);
    this.bucket.addToResourcePolicy(
      new PolicyStatement({
        // The same statement that AWS would add automatically.
        sid: 'AWSLogDeliveryWrite',
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects(`${LOGS_PREFIX}${account}/*`)],
        principals: [new ServicePrincipal('delivery.logs.amazonaws.com')],
        conditions: {
          StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control', 'aws:SourceAccount': account },
          // CloudFront's deliveries are in us-east-1.
          ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:logs:us-east-1:${account}:delivery-source:*` },
        },
      }),
    );
  }

  /** Permits a distribution to read the sites in the bucket. This includes ListBucket, without which S3 reports a missing file as forbidden. */
  grantRead(distributionId: string): void {
    const conditions = {
      StringEquals: { 'AWS:SourceArn': `arn:${Aws.PARTITION}:cloudfront::${Stack.of(this).account}:distribution/${distributionId}` },
    };
    const principals = [new ServicePrincipal('cloudfront.amazonaws.com')];
    this.bucket.addToResourcePolicy(
      new PolicyStatement({ actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('prj_*')], principals, conditions }),
    );
    this.bucket.addToResourcePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn], principals, conditions }));
  }
}

// The entry point for custom domains: the connection group, our DNS name for it (so that it can be replaced), and the tenant for projects' addresses.

export interface EdgeEntryProps {
  readonly name: string;
  readonly globalName: string;
  readonly edgeName: EdgeNameProps;
  /** The distribution for projects' own addresses; undefined if there is none. */
  readonly targets: CfnDistribution | undefined;
}

/** Returns the connection group's name, by which the functions find it. */
export function connectionGroupName(globalName: string): string {
  return `petstore-${globalName}`;
}

/** The connection group and its DNS record. */
export class EdgeEntry extends Construct {
  /** The CNAME target of all names below the edge's name. */
  readonly endpoint: string;

  constructor(scope: Construct, id: string, { name, globalName, edgeName, targets }: EdgeEntryProps) {
    super(scope, id);
    const group = new CfnConnectionGroup(this, 'ConnectionGroup', { name: connectionGroupName(globalName), enabled: true, ipv6Enabled: true });
    this.endpoint = group.attrRoutingEndpoint;
    new StringParameter(this, 'Parameter-routing-endpoint', {
      parameterName: parameterName(name, 'edge', 'routing-endpoint'),
      stringValue: this.endpoint,
    });
    if (targets !== undefined && edgeName.certificateArn !== undefined) {
      // One tenant for all projects. The function in front of the cache finds the project by the whole name.
      new CfnDistributionTenant(this, 'TargetsTenant', {
        name: `petstore-${globalName}-targets`,
        distributionId: targets.attrId,
        connectionGroupId: group.attrId,
        domains: [`*.${edgeName.name}`],
        customizations: { certificate: { arn: edgeName.certificateArn } },
        enabled: true,
      });
    }
    if (edgeName.zone !== undefined) {
      const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { zoneName: edgeName.zone.name, hostedZoneId: edgeName.zone.id });
      new CnameRecord(this, 'Targets', { zone, recordName: `*.${edgeName.name}`, domainName: this.endpoint });
    }
  }
}
