// Sites on their owners' domains, in one construct: files, edge, workflow and certificates.

import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { CfnDistribution, KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { parseNameServer } from '../../adapters/dns/name-server.ts';
import { defaultTablePrefix, maxTablePrefix } from '../../platforms/aws/stage-name.ts';
import { domainAlarms } from '../alarms/domains.ts';
import { type AccessTables, KeyTables } from './catalogue-tables.ts';
import { acknowledgeDomainCommands, commandStatements, domainCommandStatements } from './command-permissions.ts';
import { tablesProblems } from './deployment-names.ts';
import { DomainWorkflow } from './domain-workflow.ts';
import { EdgeEntry } from './edge-origin.ts';
import { grantStatements } from './operate-grant.ts';
import { checkHost, checkName, checkRemovalPolicy, checkTablePrefix, checkZone, problem, RETAINED, refuseProblems } from './public-api-props.ts';
import { ServiceAlarm } from './service-alarm.ts';
import { type EdgeNameProps, PUBLIC_RESOLVERS, type SitesProps, type ZoneProps } from './service-props.ts';
import { SiteEdge } from './site-edge.ts';

export interface CustomDomainsProps {
  /** The name with which `petstore --stage NAME` finds the deployment; part of the names of its resources. Never change it. */
  readonly name: string;
  /**
   * The parent of all projects' targets, such as `edge.example.com`. Owners' DNS records contain it, so never change it. All names below it must lead to
   * `endpoint`; with `zone`, the construct sets that record.
   */
  readonly edgeName: string;
  /** The Route 53 zone for the edge's records. @default none: set a CNAME record for `*.<edgeName>` that points to `endpoint` */
  readonly zone?: ZoneProps;
  /** The ARN of a certificate for `*.<edgeName>` in us-east-1, with which projects are served at their own addresses. @default they are not */
  readonly certificateArn?: string;
  /** The tables of the KeyedApi or the Catalogue with the same name, whose accounts then have projects and domains. @default tables of its own */
  readonly tables?: AccessTables;
  /** The bucket with the sites' files and the construct's own tables are named after it. Never change it. @default `petstore-<name>` */
  readonly tablePrefix?: string;
  /**
   * Part of the names of roles and of everything in CloudFront. All regions of an account share these names.
   *
   * @default `name`; give another one in each further region
   */
  readonly globalName?: string;
  /** Recursive resolvers for domain checks, as `address:port`. @default two independent public ones */
  readonly dnsServers?: readonly string[];
  /** Port of authoritative name servers. @default 53 */
  readonly dnsPort?: number;
  /** Whether name servers may be queried at addresses outside the public internet. @default false */
  readonly dnsPrivateNetworks?: boolean;
  /**
   * The ids of the Route 53 zones in which owners' records may be set; if empty, none. Nothing may be written to other zones. If you remove a zone from
   * the list, delete the records in it manually.
   *
   * @default each zone of the AWS account that has the tag `petstore:account`, whose value is the id of the owner's account
   */
  readonly zoneIds?: readonly string[];
  /**
   * More host names of your own in zones of this AWS account, whose records are never changed for an owner. Add the API's own name, `domain.name` of the
   * KeyedApi or the Catalogue, which this construct does not know. `*.` at the start stands for all names below.
   *
   * @default only the edge's own names
   */
  readonly ownNames?: readonly string[];
  /** Reserve concurrency for the functions. Impossible in a new AWS account, whose quota is 10. @default false */
  readonly reserveConcurrency?: boolean;
  /** How long logs are kept. @default one year */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to the files, the tables and the logs when they are removed from their stack.
   *
   * @default they are retained, unless their own creation fails
   */
  readonly removalPolicy?: RemovalPolicy;
  /** Receives the alarms of the workflow and the sweep. CloudFront's metrics are in us-east-1, so they have no alarms here. @default there are no alarms */
  readonly alarmTopic?: ITopic;
}

/** API reference, HostedZone. */
const ZONE_ID_PATTERN = /^Z[A-Z0-9]{0,31}$/;
const MAX_ZONES = 20;
const CERTIFICATE_PATTERN = /^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/;

/**
 * Serves the sites of projects at their owners' domains: a bucket, a multi-tenant distribution, the edge map, and the workflow that checks DNS,
 * requests certificates and attaches domains. `petstore --stage NAME projects` and `domains` work on it.
 *
 * Its roles may delete certificates in us-east-1 that are not in use and whose tag `petstore:stage` is its own or missing, because CloudFront requests
 * certificates without tags. The code deletes only certificates of its own domains. As a second protection, give unused certificates of yours that tag
 * with another value.
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
  /** The role of the function for the workflow's steps. */
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
    const edgeName: EdgeNameProps = {
      name: props.edgeName,
      zone: props.zone,
      certificateArn: props.certificateArn,
      dnsServers: props.dnsServers ?? PUBLIC_RESOLVERS,
      dnsPort: props.dnsPort ?? 53,
      dnsPrivateNetworks: props.dnsPrivateNetworks ?? false,
      zoneIds: props.zoneIds,
    };
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

  /**
   * Permits a role or a user to run `petstore --stage NAME` for accounts, keys, usage, projects and domains.
   *
   * @throws Error if this app can't change the grantee's policy, such as that of a role in another account
   */
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
  checkTablePrefix(tablePrefix, problems);
  checkRemovalPolicy(props.removalPolicy ?? RETAINED, problems);
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(globalName))
    problems.push(problem('globalName', globalName, '1 to 41 lower-case letters, digits and hyphens, starting with a letter'));
  return [...problems, ...edgeProblems(props, tablePrefix, Token.isUnresolved(region) ? undefined : region)];
}

/** The properties of an edge that can be invalid. */
type CheckedEdge = Pick<CustomDomainsProps, 'edgeName' | 'dnsServers' | 'dnsPort'> & {
  readonly zone?: ZoneProps | undefined;
  readonly certificateArn?: string | undefined;
  readonly zoneIds?: readonly string[] | undefined;
};

/** Returns a line for each value that is not allowed. @param region undefined if it is not known */
export function edgeProblems(props: CheckedEdge, tablePrefix: string, region: string | undefined): string[] {
  const { edgeName, zone, certificateArn, dnsServers = [], dnsPort = 53, zoneIds = [] } = props;
  const problems: string[] = [];
  const longest = maxTablePrefix(region);
  if (tablePrefix.length > longest)
    problems.push(problem('tablePrefix', tablePrefix, `at most ${longest} characters, because a bucket is named after it`));
  if (Token.isUnresolved(edgeName)) problems.push(problem('edgeName', edgeName, 'a host name that is known at synthesis'));
  checkHost('edgeName', edgeName, problems);
  if (zone !== undefined) checkZone('edgeName', edgeName, zone.name, problems);
  if (certificateArn !== undefined && !Token.isUnresolved(certificateArn) && !CERTIFICATE_PATTERN.test(certificateArn))
    problems.push(problem('certificateArn', certificateArn, 'the ARN of an ACM certificate in us-east-1, where CloudFront reads certificates'));
  for (const [index, server] of dnsServers.entries())
    if (parseNameServer(server) === undefined) problems.push(problem(`dnsServers[${index}]`, server, 'an address with a port, such as 9.9.9.9:53'));
  if (!Number.isInteger(dnsPort) || dnsPort < 1 || dnsPort > 65_535) problems.push(problem('dnsPort', dnsPort, '1 to 65535'));
  return [...problems, ...zoneIdProblems(zoneIds)];
}

function zoneIdProblems(zoneIds: readonly string[]): string[] {
  // A policy has an ARN for each zone, so their number must be known; the ids may be those of zones that the same app creates.
  if (Token.isUnresolved(zoneIds)) return [problem('zoneIds', zoneIds, 'a list whose length is known at synthesis')];
  if (zoneIds.length > MAX_ZONES) return [problem('zoneIds', zoneIds, `at most ${MAX_ZONES} zones, because a role's policies have a maximum size`)];
  return zoneIds.flatMap((id, index) =>
    Token.isUnresolved(id) || ZONE_ID_PATTERN.test(id) ? [] : [problem(`zoneIds[${index}]`, id, 'the id of a Route 53 zone, such as Z0123456789')],
  );
}
