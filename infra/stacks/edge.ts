// Serves custom domains: deployed files, the multi-tenant distribution in front of them, the function that answers where S3 has no file, and the
// edge map that the distribution's function reads. Tenants are created at run time, one per domain.

import { join } from 'node:path';
import { Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import {
  CachePolicy,
  CfnDistribution,
  Function as CloudFrontFunction,
  FunctionCode,
  FunctionRuntime,
  KeyValueStore,
  ResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { FAILOVER_CODES } from '../../adapters/edge/failover.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { EdgeFailover } from '../constructs/edge-failover.ts';
import { EdgeOrigin } from '../constructs/edge-origin.ts';
import type { EdgeSettings, StageSettings } from '../stages.ts';

export interface EdgeStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly edge: EdgeSettings;
}

const FUNCTION_FILE = join(import.meta.dirname, '../../adapters/edge/viewer-request.js');
const ORIGIN = 'sites';
const FAILOVER = 'failover';
const ORIGIN_GROUP = 'sites-or-failover';
/** The lowest version is TLS 1.2, as at the edge of one machine. */
const SECURITY_POLICY = 'TLSv1.2_2021';
/**
 * Seconds for which CloudFront repeats an error of both origins, at least. Its default of 10 would only prolong a fault that has passed. A missing
 * page is none of these; its response says how long it may be kept.
 */
const ERROR_SECONDS = 1;

/** The bucket, the edge map and the distribution. */
export class EdgeStack extends Stack {
  readonly origin: EdgeOrigin;
  readonly failover: EdgeFailover;
  readonly map: KeyValueStore;
  readonly distribution: CfnDistribution;
  /** The name of the function in front of the cache. */
  readonly viewerRequestName: string;

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    const { stage, edge } = props;
    this.origin = new EdgeOrigin(this, 'Origin', { stage });
    this.failover = new EdgeFailover(this, 'Failover', { stage });
    this.map = new KeyValueStore(this, 'Map', {
      keyValueStoreName: `petstore-${stage.globalName}`,
      comment: 'Edge map: which host belongs to which project',
    });
    this.viewerRequestName = `petstore-${stage.globalName}-viewer-request`;
    const viewerRequest = new CloudFrontFunction(this, 'ViewerRequest', {
      functionName: this.viewerRequestName,
      comment: 'Looks up the host before the cache is read',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: FUNCTION_FILE }),
      keyValueStore: this.map,
    });
    const headers = new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `petstore-${stage.globalName}-sites`,
      securityHeadersBehavior: {
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: false },
        contentTypeOptions: { override: true },
      },
    });
    // Only the L1 construct supports tenants.
    this.distribution = new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        enabled: true,
        comment: `petstore ${stage.globalName}: custom domains`,
        connectionMode: 'tenant-only',
        httpVersion: 'http2and3',
        origins: [
          {
            id: ORIGIN,
            domainName: this.origin.bucket.bucketRegionalDomainName,
            originAccessControlId: this.origin.accessControl.attrId,
            s3OriginConfig: { originAccessIdentity: '' },
          },
          {
            id: FAILOVER,
            domainName: this.failover.domainName,
            originAccessControlId: this.failover.accessControl.attrId,
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
        viewerCertificate: { cloudFrontDefaultCertificate: true, minimumProtocolVersion: SECURITY_POLICY },
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
    this.origin.grantRead(this.distribution.attrId);
    this.failover.grantInvoke(this.distribution.attrId);
    Validations.of(this.distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Customers decide where their own sites can be seen.' },
      { id: 'AwsSolutions-CFR2', reason: 'Only static files: there is nothing behind it for a web application firewall to protect.' },
      { id: 'AwsSolutions-CFR3', reason: "Visitors to customers' sites are not logged; the metrics of the function and the distribution are kept." },
      {
        id: 'AwsSolutions-CFR4',
        reason: "Each tenant has its own certificate; the distribution's own name, whose certificate CloudFront chooses, serves nothing.",
      },
    );
    const parameters = { name: edge.name, bucket: this.origin.bucket.bucketName, map: this.map.keyValueStoreArn } as const;
    for (const [name, stringValue] of Object.entries(parameters) as [keyof typeof parameters, string][]) {
      new StringParameter(this, `Parameter-${name}`, { parameterName: parameterName(stage.name, 'edge', name), stringValue });
    }
  }
}
