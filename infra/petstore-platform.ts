// All stacks of a platform, with the tags that separate its costs.

import { Stage, Tags } from 'aws-cdk-lib';
import {
  DEFAULT_CROSS_STACK_REFERENCES,
  ENABLE_PARTITION_LITERALS,
  IAM_IMPORTED_ROLE_STACK_SAFE_DEFAULT_POLICY_NAME,
  IAM_MINIMIZE_POLICIES,
  LAMBDA_CREATE_NEW_POLICIES_WITH_ADDTOROLEPOLICY,
  LAMBDA_RECOGNIZE_LAYER_VERSION,
} from 'aws-cdk-lib/cx-api';
import type { Construct } from 'constructs';
import type { CustomDomainParts } from './constructs/incident-dashboard.ts';
import { type PetstorePlatformProps, platformSettingsOf } from './platform-props.ts';
import { ApiStack } from './stacks/api.ts';
import { DashboardStack } from './stacks/dashboard.ts';
import { DataStack } from './stacks/data.ts';
import { DomainsStack } from './stacks/domains.ts';
import { EdgeAlarmsStack, EdgeEntryStack, EdgeStack } from './stacks/edge.ts';
import { ObservabilityStack } from './stacks/observability.ts';
import { OperatorStack } from './stacks/operator.ts';
import { PipelineStack } from './stacks/pipeline.ts';

/** The feature flags on which the templates depend. They are set here because other people's apps have different flags, or none. */
const FLAGS = {
  // Strong references are exports, which can't change while they are in use, and, between regions, custom resources.
  [DEFAULT_CROSS_STACK_REFERENCES]: 'weak',
  [ENABLE_PARTITION_LITERALS]: true,
  [IAM_IMPORTED_ROLE_STACK_SAFE_DEFAULT_POLICY_NAME]: true,
  [IAM_MINIMIZE_POLICIES]: true,
  [LAMBDA_CREATE_NEW_POLICIES_WITH_ADDTOROLEPOLICY]: false,
  [LAMBDA_RECOGNIZE_LAYER_VERSION]: true,
};

/**
 * A whole platform: the catalogue with its tables, alarms and incident dashboard, and, with an edge name, custom domains and the dashboard for
 * owners. Its id is its name, as in `petstore --stage ID`, and never changes.
 *
 * @example
 * new PetstorePlatform(app, 'shop', { env: { account: '123456789012', region: 'eu-central-1' }, alarmEmail: 'ops@example.com' });
 */
export class PetstorePlatform extends Stage {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly observability: ObservabilityStack;
  /** The stack for custom domains; undefined if the stage has no edge name. */
  readonly edge: EdgeStack | undefined;
  readonly edgeEntry: EdgeEntryStack | undefined;
  readonly domains: DomainsStack | undefined;
  readonly dashboard: DashboardStack | undefined;
  readonly edgeAlarms: EdgeAlarmsStack | undefined;
  readonly operator: OperatorStack;
  /** @default undefined: the stage has no repository */
  readonly pipeline: PipelineStack | undefined;

  constructor(scope: Construct, id: string, props: PetstorePlatformProps = {}) {
    super(scope, id, { ...(props.env && { env: props.env }) });
    for (const [flag, value] of Object.entries(FLAGS)) this.node.setContext(flag, value);
    // Inside a stage of the app, the account and the region default to that stage's.
    const { account, region } = this;
    const stage = platformSettingsOf(this.node.path, id, { ...props, env: { ...(account && { account }), ...(region && { region }) } });
    const kept = { stage, terminationProtection: stage.protectData };
    this.data = new DataStack(this, 'Data', kept);
    const { tables } = this.data;
    this.api = new ApiStack(this, 'Api', { stage, tables });
    const { edge, pipeline } = stage;
    let customDomains: CustomDomainParts | undefined;
    if (edge !== undefined) {
      this.edge = new EdgeStack(this, 'Edge', { ...kept, edge });
      this.edgeEntry = new EdgeEntryStack(this, 'EdgeEntry', { ...kept, edge, targets: this.edge.edge.targets });
      const common = { ...kept, edgeName: edge, tables, edge: this.edge.edge };
      this.domains = new DomainsStack(this, 'Domains', common);
      this.dashboard = new DashboardStack(this, 'Dashboard', { ...common, domains: this.domains.domains, apiUrl: this.api.catalogue.url });
      // The name contains the region, unless it is the first one, because the alarms of all of a stage's regions are in one region.
      const stackName = `${this.stageName}${stage.globalName.slice(id.length)}-EdgeAlarms`;
      this.edgeAlarms = new EdgeAlarmsStack(this, 'EdgeAlarms', { stage, stackName, edge: this.edge.edge, dashboard: this.dashboard });
      customDomains = { edge: this.edge.edge, domains: this.domains.domains, dashboard: this.dashboard };
    }
    this.observability = new ObservabilityStack(this, 'Observability', { stage, tables, catalogue: this.api.catalogue, customDomains });
    this.operator = new OperatorStack(this, 'Operator', { stage, tables, customDomains });
    if (pipeline !== undefined) {
      this.pipeline = new PipelineStack(this, 'Pipeline', { stage, pipeline, tables });
      // This stack attaches a policy to the pipeline's role, which must exist first.
      this.dashboard?.addStackDependency(this.pipeline);
    }
    Tags.of(this).add('service', 'petstore');
    Tags.of(this).add('stage', stage.name);
  }
}
