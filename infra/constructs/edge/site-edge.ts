// Serves custom domains: deployed files, the multi-tenant distribution in front of them, the failover function and the edge map. Tenants are created
// at run time, one per domain. Projects' own addresses share a tenant of another distribution, because a header policy is per distribution.

import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import {
  type CfnDistribution,
  Function as CloudFrontFunction,
  FunctionCode,
  FunctionRuntime,
  KeyValueStore,
  ResponseHeadersPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { parameterName } from '../../../platforms/aws/stage-parameters.ts';
import { claimName } from '../deployment-names.ts';
import type { EdgeNameProps, SitesProps } from '../service-props.ts';
import { EdgeFailover } from './edge-failover.ts';
import { connectionGroupName, EdgeOrigin } from './edge-origin.ts';
import { tenantDistribution } from './tenant-distribution.ts';

export interface SiteEdgeProps extends SitesProps {
  readonly edgeName: EdgeNameProps;
}

const FUNCTION_FILE = join(import.meta.dirname, '../../../adapters/edge/viewer-request.js');
const SECURITY_HEADERS = {
  strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: false },
  contentTypeOptions: { override: true },
} as const;

/** The bucket, the edge map and the distribution. */
export class SiteEdge extends Construct {
  readonly origin: EdgeOrigin;
  readonly failover: EdgeFailover;
  readonly map: KeyValueStore;
  readonly distribution: CfnDistribution;
  /** The distribution for projects' own addresses. @default none: there is no certificate for them */
  readonly targets: CfnDistribution | undefined;
  /** The name of the function in front of the cache. */
  readonly viewerRequestName: string;

  constructor(scope: Construct, id: string, props: SiteEdgeProps) {
    super(scope, id);
    const { name, globalName, edgeName } = props;
    this.origin = new EdgeOrigin(this, 'Origin', props);
    this.failover = new EdgeFailover(this, 'Failover', props);
    this.map = new KeyValueStore(this, 'Map', {
      keyValueStoreName: `petstore-${globalName}`,
      comment: 'Edge map: which host belongs to which project',
    });
    this.viewerRequestName = `petstore-${globalName}-viewer-request`;
    const viewerRequest = new CloudFrontFunction(this, 'ViewerRequest', {
      functionName: this.viewerRequestName,
      comment: 'Looks up the host before the cache is read',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: FUNCTION_FILE }),
      keyValueStore: this.map,
    });
    const headers = new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `petstore-${globalName}-sites`,
      securityHeadersBehavior: SECURITY_HEADERS,
    });
    const common = { origin: this.origin, failover: this.failover, viewerRequest, certificateArn: edgeName.certificateArn };
    const comment = `petstore ${globalName}`;
    this.distribution = tenantDistribution(this, 'Distribution', { ...common, comment: `${comment}: custom domains`, headers });
    this.origin.grantRead(this.distribution.attrId);
    this.failover.grantInvoke(this.distribution.attrId);
    if (edgeName.certificateArn !== undefined) {
      const noIndex = new ResponseHeadersPolicy(this, 'TargetHeaders', {
        responseHeadersPolicyName: `petstore-${globalName}-targets`,
        securityHeadersBehavior: SECURITY_HEADERS,
        customHeadersBehavior: { customHeaders: [{ header: 'x-robots-tag', value: 'noindex', override: true }] },
      });
      this.targets = tenantDistribution(this, 'Targets', { ...common, comment: `${comment}: projects' own addresses`, headers: noIndex });
      this.origin.grantRead(this.targets.attrId);
      this.failover.grantInvoke(this.targets.attrId, 'Targets');
    }
    claimName(this, name, 'edge');
    const targets = this.targets === undefined ? 'off' : 'on';
    const parameters = {
      name: edgeName.name,
      targets,
      bucket: this.origin.bucket.bucketName,
      map: this.map.keyValueStoreArn,
      distribution: this.distribution.attrId,
      'connection-group': connectionGroupName(globalName),
      tag: globalName,
    } as const;
    for (const [parameter, stringValue] of Object.entries(parameters) as [keyof typeof parameters, string][]) {
      new StringParameter(this, `Parameter-${parameter}`, { parameterName: parameterName(name, 'edge', parameter), stringValue });
    }
  }
}
