// The entry point for all custom domains' traffic: the connection group, and our own name for it, so that the group can be replaced without any
// customer changing a record; and the tenant of projects' own addresses. It has a separate stack because nothing else in the edge depends on it.

import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnConnectionGroup, type CfnDistribution, CfnDistributionTenant } from 'aws-cdk-lib/aws-cloudfront';
import { CnameRecord, HostedZone } from 'aws-cdk-lib/aws-route53';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import type { EdgeSettings, StageSettings } from '../stages.ts';

export interface EdgeEntryStackProps extends StackProps {
  readonly stage: StageSettings;
  readonly edge: EdgeSettings;
  /** The distribution for projects' own addresses. @default none */
  readonly targets: CfnDistribution | undefined;
}

/** Returns the connection group's name, by which the functions find it. */
export function connectionGroupName(globalName: string): string {
  return `petstore-${globalName}`;
}

/** The connection group and its DNS record. */
export class EdgeEntryStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeEntryStackProps) {
    super(scope, id, props);
    const { stage, edge, targets } = props;
    const group = new CfnConnectionGroup(this, 'ConnectionGroup', { name: connectionGroupName(stage.globalName), enabled: true, ipv6Enabled: true });
    const endpoint = group.attrRoutingEndpoint;
    new StringParameter(this, 'Parameter-routing-endpoint', {
      parameterName: parameterName(stage.name, 'edge', 'routing-endpoint'),
      stringValue: endpoint,
    });
    if (targets !== undefined && edge.certificateArn !== undefined) {
      // One tenant for all projects. The function in front of the cache finds the project by the whole name.
      new CfnDistributionTenant(this, 'TargetsTenant', {
        name: `petstore-${stage.globalName}-targets`,
        distributionId: targets.attrId,
        connectionGroupId: group.attrId,
        domains: [`*.${edge.name}`],
        customizations: { certificate: { arn: edge.certificateArn } },
        enabled: true,
      });
    }
    if (edge.zone !== undefined) {
      const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { zoneName: edge.zone.name, hostedZoneId: edge.zone.id });
      new CnameRecord(this, 'Targets', { zone, recordName: `*.${edge.name}`, domainName: endpoint });
    }
    new CfnOutput(this, 'EdgeTarget', { description: `CNAME target of *.${edge.name}`, value: endpoint });
  }
}
