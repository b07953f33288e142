// Serves custom domains: the bucket, the edge map and the distributions.

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EdgeNameProps } from '../constructs/service-props.ts';
import { SiteEdge } from '../constructs/site-edge.ts';
import type { PlatformSettings } from '../platform-props.ts';

export interface EdgeStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edge: EdgeNameProps;
}

/** The bucket, the edge map and the distribution. */
export class EdgeStack extends Stack {
  readonly edge: SiteEdge;

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    this.edge = new SiteEdge(this, 'Default', { ...props.stage, edgeName: props.edge });
  }
}
