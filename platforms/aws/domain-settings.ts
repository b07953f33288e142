// Settings of the functions that process domains, from their environment.

import * as z from 'zod';
import { parseNameServer } from '../../adapters/dns/name-server.ts';
import { onOff, parserOf, some } from './environment.ts';
import { zoneIdsOf } from './stage-parameters.ts';

const SERVERS = 'addresses with ports, separated by commas, such as 9.9.9.9:53';

const schema = z.object({
  CONTROL_TABLE: some('the name of a DynamoDB table'),
  /** Not set on stages without an audit log. */
  AUDIT_TABLE: z.string().optional(),
  SERVICE_NAME: some('the service name in logs and metrics'),
  STAGE: some('the name of the stage'),
  EDGE_NAME: some('the parent of all targets, a host name'),
  /** Whether projects are served at their targets. */
  SERVES_TARGETS: onOff(),
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
  DNS_PRIVATE_NETWORKS: onOff(),
  /** The zones in which owners' records may be set. Undefined for all zones. */
  ZONE_IDS: z.string().optional().transform(zoneIdsOf),
});

export type DomainEnvironment = z.input<typeof schema>;
export type DomainSettings = z.output<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseDomainSettings = parserOf(schema);
