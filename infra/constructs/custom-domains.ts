// Sites on their owners' domains in one construct: files, edge, workflow and certificates.

import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { CfnDistribution, KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { port } from '../../platforms/aws/function-settings.ts';
import { defaultTablePrefix } from '../../platforms/aws/stage-name.ts';
import { domainAlarms } from '../alarms/domains.ts';
import {
  check,
  checkBucketPrefix,
  checkZone,
  EDGE_CERTIFICATE,
  GLOBAL_NAME,
  HOST,
  NAME_SERVER,
  problem,
  refuseProblems,
  TABLE_PREFIX,
  ZONE_ID,
} from './allowed-values.ts';
import { type AccessTables, KeyTables } from './catalogue-tables.ts';
import { acknowledgeDomainCommands, commandStatements, domainCommandStatements, grantStatements } from './command-permissions.ts';
import { tablesProblems } from './deployment-names.ts';
import { DomainWorkflow } from './domain-workflow.ts';
import { EdgeEntry } from './edge/edge-origin.ts';
import { SiteEdge } from './edge/site-edge.ts';
import { checkIfKnown, checkName, checkRemovalPolicy, RETAINED } from './public-api-props.ts';
import { ServiceAlarm } from './service-alarm.ts';
import { edgeNameOf, type PlatformDomainsProps, type SitesProps } from './service-props.ts';

export interface CustomDomainsProps extends PlatformDomainsProps {
  /** The name with which `petstore --stage NAME` finds the deployment; part of the names of its resources. Never change it. */
  readonly name: string;
  /** The tables of the KeyedApi or the Catalogue with the same name, whose accounts then have projects and domains. @default its own tables */
  readonly tables?: AccessTables;
  /** The bucket with the sites' files, and the construct's own tables, are named after it. Never change it. @default `petstore-<name>` */
  readonly tablePrefix?: string;
  /** Part of names that an account's regions share (roles, all CloudFront resources). @default `name`; give another one in each further region */
  readonly globalName?: string;
  /**
   * Further host names of your own in zones of this AWS account, whose records are never changed for an owner. Add the API's own name, `domain.name`
   * of the KeyedApi or the Catalogue, which this construct does not know. `*.` at the start matches all names below.
   * @default only the edge's own names
   */
  readonly ownNames?: readonly string[];
  /** Whether to reserve concurrency for the functions. Impossible in a new AWS account, whose quota is 10. @default false */
  readonly reserveConcurrency?: boolean;
  /** How long logs are kept. @default one year */
  readonly logRetention?: RetentionDays;
  /** What happens to files, tables and logs that are removed from their stack. @default they are retained, unless their own creation fails */
  readonly removalPolicy?: RemovalPolicy;
  /** Receives the workflow's and the sweep's alarms. CloudFront's metrics are in us-east-1, so they have no alarms here. @default no alarms */
  readonly alarmTopic?: ITopic;
}

const MAX_ZONES = 20;

/**
 * Serves projects' sites at their owners' domains: a bucket, a multi-tenant distribution, the edge map, and the workflow that checks DNS,
 * requests certificates and attaches domains. `petstore --stage NAME projects` and `domains` work on it. All names below `edgeName` must resolve to
 * `endpoint`; with `zone`, the construct sets that record.
 *
 * Its roles may delete certificates in us-east-1 that are not in use and whose tag `petstore:stage` has this deployment's value or is missing,
 * because CloudFront requests certificates without tags. The code deletes only certificates of its own domains. As a second protection, give your own
 * unused certificates that tag with another value.
 *
 * @example
 * const domains = new CustomDomains(this, 'Domains', { name: 'orders', edgeName: 'edge.example.com', tables: api.tables });
 * new CfnOutput(this, 'EdgeTarget', { value: domains.endpoint });
 */
export class CustomDomains extends Construct {
  readonly tables: AccessTables;
  /** The files of all deployments. */
  readonly bucket: Bucket;
  /** The edge map: which host belongs to which project. */
  readonly map: KeyValueStore;
  readonly distribution: CfnDistribution;
  readonly workflow: StateMachine;
  /** The CNAME target of all names below the edge's name. */
  readonly endpoint: string;
  /** The role of the function that performs the workflow's steps. */
  readonly stepsRole: Role;
  /** The role of the function that finds lost work and orphans. */
  readonly sweepRole: Role;
  /** Empty without an `alarmTopic`. */
  readonly alarms: readonly ServiceAlarm[];
  private readonly sites: SitesProps;
  private readonly ownNames: readonly string[];
  private readonly zoneIds: readonly string[] | undefined;

  constructor(scope: Construct, id: string, props: CustomDomainsProps) {
    super(scope, id);
    const { name, removalPolicy = RETAINED, alarmTopic } = props;
    const tablePrefix = props.tablePrefix ?? defaultTablePrefix(name);
    const problems = problemsWith(props, tablePrefix, Stack.of(this).region);
    if (props.tables !== undefined) problems.push(...tablesProblems(props.tables, name));
    refuseProblems(this.node.path, problems);
    const edgeName = edgeNameOf(props);
    this.zoneIds = props.zoneIds;
    this.sites = {
      name,
      globalName: props.globalName ?? name,
      tablePrefix,
      logRetention: props.logRetention ?? RetentionDays.ONE_YEAR,
      removalPolicy,
      reserveConcurrency: props.reserveConcurrency ?? false,
    };
    this.ownNames = [edgeName.name, `*.${edgeName.name}`, ...(props.ownNames ?? [])];
    const protectData = removalPolicy !== RemovalPolicy.DESTROY;
    this.tables = props.tables ?? new KeyTables(this, 'Tables', { ...this.sites, protectData, keyMode: 'live' }).tables;
    const edge = new SiteEdge(this, 'Edge', { ...this.sites, edgeName });
    this.endpoint = new EdgeEntry(this, 'Entry', { ...this.sites, edgeName, targets: edge.targets }).endpoint;
    const domains = new DomainWorkflow(this, 'Workflow', { ...this.sites, edgeName, tables: this.tables, edge, ownNames: this.ownNames });
    this.bucket = edge.origin.bucket;
    this.map = edge.map;
    this.distribution = edge.distribution;
    this.workflow = domains.workflow;
    this.stepsRole = domains.steps.role;
    this.sweepRole = domains.sweep.role;
    this.alarms = alarmTopic === undefined ? [] : this.addAlarms(domains, edge, new SnsAction(alarmTopic));
  }

  /** Lets a role or user run `petstore --stage NAME` for accounts, keys, usage, projects, domains. @throws Error if its policy can't be changed */
  grantOperate(grantee: IGrantable): void {
    const { name, tablePrefix } = this.sites;
    const { ownNames, zoneIds } = this;
    if (Construct.isConstruct(grantee.grantPrincipal)) acknowledgeDomainCommands(grantee.grantPrincipal, tablePrefix);
    grantStatements(this, grantee, [
      ...commandStatements(this, { name, tables: this.tables, parameters: ['tables', 'edge'] }),
      ...domainCommandStatements({ tablePrefix, map: this.map, workflow: this.workflow, ownNames, zoneIds }),
    ]);
  }

  private addAlarms(domains: DomainWorkflow, edge: SiteEdge, action: SnsAction): ServiceAlarm[] {
    const { name } = this.sites;
    const alarms = new Construct(this, 'Alarms');
    return domainAlarms(name, domains, edge).map(({ id, ...definition }) => {
      const alarm = new ServiceAlarm(alarms, id, { stage: name, ...definition });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
  }
}

function problemsWith(props: CustomDomainsProps, tablePrefix: string, region: string): string[] {
  const { name, globalName = name } = props;
  const problems: string[] = [];
  checkName(name, problems);
  check('tablePrefix', tablePrefix, TABLE_PREFIX, problems);
  checkRemovalPolicy(props.removalPolicy ?? RETAINED, problems);
  check('globalName', globalName, GLOBAL_NAME, problems);
  return [...problems, ...edgeProblems(props, tablePrefix, Token.isUnresolved(region) ? undefined : region)];
}

/** Returns a line for each value that is not allowed. @param region undefined if it is not known */
export function edgeProblems(props: PlatformDomainsProps, tablePrefix: string, region: string | undefined): string[] {
  const { edgeName, zone, certificateArn, dnsServers = [], dnsPort = 53, zoneIds = [] } = props;
  const problems: string[] = [];
  checkBucketPrefix('tablePrefix', tablePrefix, region, problems);
  if (Token.isUnresolved(edgeName)) problems.push(problem('edgeName', edgeName, 'a host name that is known at synthesis'));
  checkIfKnown('edgeName', edgeName, HOST, problems);
  if (zone !== undefined) checkZone('edgeName.zone', edgeName, zone.name, problems);
  if (certificateArn !== undefined) checkIfKnown('certificateArn', certificateArn, EDGE_CERTIFICATE, problems);
  for (const [index, server] of dnsServers.entries()) check(`dnsServers[${index}]`, server, NAME_SERVER, problems);
  check('dnsPort', dnsPort, port(), problems);
  // A policy has an ARN for each zone, so the number of zones must be known; the app may create some of these zones itself.
  if (Token.isUnresolved(zoneIds)) problems.push(problem('zoneIds', zoneIds, 'a list whose length is known at synthesis'));
  else if (zoneIds.length > MAX_ZONES)
    problems.push(problem('zoneIds', zoneIds, `at most ${MAX_ZONES} zones, because a role's policies have a maximum size`));
  else for (const [index, id] of zoneIds.entries()) checkIfKnown(`zoneIds[${index}]`, id, ZONE_ID, problems);
  return problems;
}
