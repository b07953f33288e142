// A multi-tenant distribution in front of the deployed files.

import { Validations } from 'aws-cdk-lib';
import { CachePolicy, CfnDistribution, type Function as CloudFrontFunction, type ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { FAILOVER_CODES } from '../../../adapters/edge/failover.ts';
import type { EdgeFailover } from './edge-failover.ts';
import type { EdgeOrigin } from './edge-origin.ts';

const ORIGIN = 'sites';
const FAILOVER = 'failover';
const ORIGIN_GROUP = 'sites-or-failover';
/** The minimum version is TLS 1.2, as at the embedded edge. CloudFront's own certificate always sets TLSv1 (API reference, "ViewerCertificate"). */
const SECURITY_POLICY = 'TLSv1.2_2021';
/** How long, in seconds, CloudFront caches errors from both origins. The default of 10 would prolong faults. Missing pages have their own time. */
const ERROR_SECONDS = 1;

export interface TenantDistributionProps {
  readonly comment: string;
  readonly origin: EdgeOrigin;
  readonly failover: EdgeFailover;
  /** The function in front of the cache. */
  readonly viewerRequest: CloudFrontFunction;
  readonly headers: ResponseHeadersPolicy;
  /** A certificate in us-east-1, which tenants inherit; undefined for CloudFront's own, which permits no security policy. */
  readonly certificateArn: string | undefined;
}

/** Creates the distribution. Only the L1 construct supports tenants. */
export function tenantDistribution(scope: Construct, id: string, props: TenantDistributionProps): CfnDistribution {
  const { comment, origin, failover, viewerRequest, headers, certificateArn } = props;
  const distribution = new CfnDistribution(scope, id, {
    distributionConfig: {
      enabled: true,
      comment,
      connectionMode: 'tenant-only',
      httpVersion: 'http2and3',
      origins: [
        {
          id: ORIGIN,
          domainName: origin.bucket.bucketRegionalDomainName,
          originAccessControlId: origin.accessControl.attrId,
          s3OriginConfig: { originAccessIdentity: '' },
        },
        {
          id: FAILOVER,
          domainName: failover.domainName,
          originAccessControlId: failover.accessControl.attrId,
          customOriginConfig: { originProtocolPolicy: 'https-only', originSslProtocols: ['TLSv1.2'] },
        },
      ],
      originGroups: {
        quantity: 1,
        items: [
          {
            id: ORIGIN_GROUP,
            members: { quantity: 2, items: [{ originId: ORIGIN }, { originId: FAILOVER }] },
            failoverCriteria: { statusCodes: { quantity: FAILOVER_CODES.length, items: [...FAILOVER_CODES] } },
          },
        ],
      },
      customErrorResponses: [500, 502, 503, 504].map((errorCode) => ({ errorCode, errorCachingMinTtl: ERROR_SECONDS })),
      viewerCertificate:
        certificateArn === undefined
          ? { cloudFrontDefaultCertificate: true }
          : { acmCertificateArn: certificateArn, sslSupportMethod: 'sni-only', minimumProtocolVersion: SECURITY_POLICY },
      defaultCacheBehavior: {
        targetOriginId: ORIGIN_GROUP,
        viewerProtocolPolicy: 'redirect-to-https',
        allowedMethods: ['GET', 'HEAD'],
        cachedMethods: ['GET', 'HEAD'],
        compress: true,
        cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId,
        responseHeadersPolicyId: headers.responseHeadersPolicyId,
        functionAssociations: [{ eventType: 'viewer-request', functionArn: viewerRequest.functionArn }],
      },
    },
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Customers decide where their own sites can be seen.' },
    { id: 'AwsSolutions-CFR2', reason: 'Only static files: there is nothing behind it for a web application firewall to protect.' },
    { id: 'AwsSolutions-CFR3', reason: 'Standard logging (v2) is not a setting of the distribution: visit-delivery.ts has it.' },
    {
      id: 'AwsSolutions-CFR4',
      reason: "Each tenant has its own certificate; the distribution's own name, whose certificate CloudFront chooses, serves nothing.",
    },
  );
  return distribution;
}
