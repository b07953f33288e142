// Settings of the functions that process domains, from their environment. The stacks set them; a missing one fails the cold start.

import * as z from 'zod';
import { type NameServer, parseNameServer } from '../../adapters/dns/name-server.ts';
import { readEnvironment } from './environment.ts';
import { zoneIdsOf } from './stage-parameters.ts';

const SERVERS = 'addresses with ports, separated by commas, such as 9.9.9.9:53';

const some = (what: string) => z.string().min(1, what);

const schema = z.object({
  CONTROL_TABLE: some('the name of a DynamoDB table'),
  /** Unset on stages without an audit log. */
  AUDIT_TABLE: z.string().optional(),
  SERVICE_NAME: some('the service name in logs and metrics'),
  STAGE: some('the name of the stage'),
  EDGE_NAME: some('the parent of all targets, a host name'),
  /** Whether projects are served at their targets. */
  SERVES_TARGETS: z.enum(['on', 'off'], 'on or off').default('off'),
  EDGE_MAP_ARN: some('the ARN of a CloudFront KeyValueStore'),
  DISTRIBUTION_ID: some('the id of a distribution'),
  CONNECTION_GROUP: some('the name of a connection group'),
  /** Set only for the sweep, which starts executions. */
  WORKFLOW_ARN: z.string().default(''),
  /** Set only for the sweep, which removes files and reads logs. */
  SITES_BUCKET: z.string().default(''),
  DNS_SERVERS: z
    .string(SERVERS)
    .transform((list) => list.split(',').map(parseNameServer))
    .refine((servers) => servers.every((server) => server !== undefined), SERVERS)
    .transform((servers) => servers.filter((server) => server !== undefined)),
  DNS_PORT: z.coerce.number().int().min(1).max(65_535).default(53),
  DNS_PRIVATE_NETWORKS: z.enum(['on', 'off'], 'on or off').default('off'),
  /** The zones in which owners' records may be set. */
  ZONE_IDS: z.string().optional(),
});

export interface DomainSettings {
  readonly controlTable: string;
  /** Undefined: the stage has no audit log. */
  readonly auditTable: string | undefined;
  readonly serviceName: string;
  readonly stage: string;
  readonly edgeName: string;
  readonly servesTargets: boolean;
  readonly edgeMapArn: string;
  readonly distributionId: string;
  readonly connectionGroup: string;
  readonly workflowArn: string;
  readonly sitesBucket: string;
  readonly dnsServers: readonly NameServer[];
  readonly dnsPort: number;
  readonly dnsPrivateNetworks: boolean;
  /** Undefined: all zones. */
  readonly zoneIds: readonly string[] | undefined;
}

/** Parses the settings. @throws Error that names every missing or invalid setting */
export function parseDomainSettings(environment: Readonly<Record<string, string | undefined>>): DomainSettings {
  const data = readEnvironment(schema, environment);
  return {
    controlTable: data.CONTROL_TABLE,
    auditTable: data.AUDIT_TABLE,
    serviceName: data.SERVICE_NAME,
    stage: data.STAGE,
    edgeName: data.EDGE_NAME,
    servesTargets: data.SERVES_TARGETS === 'on',
    edgeMapArn: data.EDGE_MAP_ARN,
    distributionId: data.DISTRIBUTION_ID,
    connectionGroup: data.CONNECTION_GROUP,
    workflowArn: data.WORKFLOW_ARN,
    sitesBucket: data.SITES_BUCKET,
    dnsServers: data.DNS_SERVERS,
    dnsPort: data.DNS_PORT,
    dnsPrivateNetworks: data.DNS_PRIVATE_NETWORKS === 'on',
    zoneIds: zoneIdsOf(data.ZONE_IDS),
  };
}
