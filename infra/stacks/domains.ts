// The work on custom domains.

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { DomainWorkflow } from '../constructs/domain-workflow.ts';
import type { SiteEdge } from '../constructs/edge/site-edge.ts';
import type { EdgeNameProps } from '../constructs/service-props.ts';
import { ownNamesOf, type PlatformSettings } from '../platform-props.ts';

export interface DomainsStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edgeName: EdgeNameProps;
  readonly tables: Tables;
  readonly edge: SiteEdge;
}

/** The state machine, its functions and the sweep's schedules. */
export class DomainsStack extends Stack {
  readonly domains: DomainWorkflow;

  constructor(scope: Construct, id: string, props: DomainsStackProps) {
    super(scope, id, props);
    const { stage, edgeName, tables, edge } = props;
    this.domains = new DomainWorkflow(this, 'Default', { ...stage, edgeName, tables, edge, ownNames: ownNamesOf(stage) });
  }
}
