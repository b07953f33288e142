// The entry point for all custom domains' traffic: the connection group, and our own name for it, so that the group can be replaced without any
// customer changing a record; and the tenant of projects' own addresses.

import { CfnConnectionGroup, type CfnDistribution, CfnDistributionTenant } from 'aws-cdk-lib/aws-cloudfront';
import { CnameRecord, HostedZone } from 'aws-cdk-lib/aws-route53';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import type { EdgeNameProps } from './service-props.ts';

export interface EdgeEntryProps {
  /** The deployment's name. */
  readonly name: string;
  readonly globalName: string;
  readonly edgeName: EdgeNameProps;
  /** The distribution for projects' own addresses. Undefined: there is none. */
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
