// The dashboard's files and the distribution in front of them, which also forwards to the control API, so that no request is cross-origin.

import { join } from 'node:path';
import { Aws, CfnOutput, Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { UserPool, UserPoolClient } from 'aws-cdk-lib/aws-cognito';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { dashboardPolicy, OPENER_POLICY } from '../../core/dashboard-policy.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import type { ControlFunction } from './control-function.ts';
import { sitesBucketName } from './edge/edge-origin.ts';
import type { NotifierFunction } from './notifier-function.ts';
import type { SitesProps } from './service-props.ts';

export interface DashboardSiteProps extends Pick<SitesProps, 'globalName' | 'tablePrefix'> {
  readonly api: HttpApi;
  /** The origin of the user pool's pages, such as `https://…`. */
  readonly signInOrigin: string;
  /** The catalogue API's origin, to which the API reference sends requests. */
  readonly catalogueUrl: string;
}

/** Returns the origin to which the control API's signed requests send files (S3 User Guide, "Virtual-hosted-style requests"). */
function uploadOrigin(tablePrefix: string): string {
  return `https://${sitesBucketName(tablePrefix)}.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`;
}

const ONE_PAGE = join(import.meta.dirname, '../../adapters/edge/one-page.js');

/** The dashboard's bucket and distribution. */
export class DashboardSite extends Construct {
  readonly bucket: Bucket;
  readonly distribution: Distribution;
  /** The name of the function in front of the cache. */
  readonly onePageName: string;
  private readonly filesArn: CfnOutput;

  constructor(scope: Construct, id: string, { globalName, tablePrefix, api, signInOrigin, catalogueUrl }: DashboardSiteProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Files', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // The bucket's whole content can be rebuilt.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.filesArn = new CfnOutput(this, 'FilesArn', { description: "ARN of the bucket with the dashboard's files", value: this.bucket.bucketArn });
    Validations.of(this.bucket).acknowledge({ id: 'AwsSolutions-S1', reason: 'Only CloudFront reads it, and its content is public anyway.' });
    const policy = dashboardPolicy([signInOrigin, `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}`, uploadOrigin(tablePrefix), catalogueUrl]);
    const headers = new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `petstore-${globalName}-dashboard`,
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: policy,
          override: true,
        },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      },
      customHeadersBehavior: { customHeaders: [{ header: OPENER_POLICY.name, value: OPENER_POLICY.value, override: true }] },
    });
    this.onePageName = `petstore-${globalName}-dashboard`;
    const onePage = new CloudFrontFunction(this, 'OnePage', {
      functionName: this.onePageName,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: ONE_PAGE }),
    });
    const toApi = {
      origin: new HttpOrigin(Fn.select(2, Fn.split('/', api.apiEndpoint))),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `petstore ${globalName}: dashboard`,
      defaultRootObject: 'index.html',
      defaultBehavior: {
        // The library's own types conflict under exactOptionalPropertyTypes.
        origin: S3BucketOrigin.withOriginAccessControl(this.bucket as IBucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: headers,
        functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: onePage }],
      },
      additionalBehaviors: Object.fromEntries([CONTROL_PREFIX, DEPLOY_PREFIX].map((prefix) => [`${prefix}/*`, toApi])),
    });
    Validations.of(this.distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Owners may be in any country.' },
      { id: 'AwsSolutions-CFR2', reason: 'Static files, and an API that requires sign-in and has its own throttling.' },
      { id: 'AwsSolutions-CFR3', reason: 'The control API has an access log; requests for static files are not logged.' },
      {
        id: 'AwsSolutions-CFR4',
        reason: "CloudFront's own certificate for its own name, with which no other security policy can be set; browsers negotiate TLS 1.3.",
      },
    );
  }

  /** Permits a role, in this stack or another one, to upload the dashboard and invalidate its start page, as `petstore dashboard publish` does. */
  grantPublish(role: IRole): void {
    const [own, other] = [Stack.of(this), Stack.of(role)];
    const { logicalId } = this.bucket.node.defaultChild as CfnBucket;
    // cdk-nag identifies the finding by the reference, but the CDK's own reference to another stack has no name until synthesis ends.
    const filesArn = own === other ? this.bucket.bucketArn : Fn.getStackOutput(own.stackName, this.filesArn.logicalId, own.region);
    const reference = own === other ? `<${own.resolve(logicalId)}.Arn>` : JSON.stringify(other.resolve(filesArn));
    const distribution = `arn:${Aws.PARTITION}:cloudfront::${Aws.ACCOUNT_ID}:distribution/${this.distribution.distributionId}`;
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:PutObject'], resources: [`${filesArn}/*`] }));
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['cloudfront:CreateInvalidation'], resources: [distribution] }));
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${reference}/*]`,
      reason: 'Most files have a hash in their names, so the names are only known once the dashboard is built.',
    });
  }
}

// The parts of the dashboard that alarms and graphs watch.

export interface DashboardParts {
  readonly userPool: UserPool;
  readonly client: UserPoolClient;
  readonly api: HttpApi;
  readonly control: ControlFunction;
  readonly site: DashboardSite;
  /** Sends emails to owners; undefined if there is no sender. */
  readonly notifier: NotifierFunction | undefined;
}
