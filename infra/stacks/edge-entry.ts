// The entry point for all custom domains' traffic. It has a separate stack because nothing else in the edge depends on it.

import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { EdgeEntry } from '../constructs/edge-origin.ts';
import type { EdgeNameProps } from '../constructs/service-props.ts';
import type { PlatformSettings } from '../platform-props.ts';

export interface EdgeEntryStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edge: EdgeNameProps;
  /** The distribution for projects' own addresses. Undefined: there is none. */
  readonly targets: CfnDistribution | undefined;
}

/** The connection group and its DNS record. */
export class EdgeEntryStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeEntryStackProps) {
    super(scope, id, props);
    const { stage, edge, targets } = props;
    const { endpoint } = new EdgeEntry(this, 'Default', { name: stage.name, globalName: stage.globalName, edgeName: edge, targets });
    new CfnOutput(this, 'EdgeTarget', { description: `CNAME target of *.${edge.name}`, value: endpoint });
  }
}
