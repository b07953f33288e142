// Settings of the functions that work on domains, from their environment. The stacks set them; a missing one stops the cold start.

import { isIP } from 'node:net';
import * as z from 'zod';
import type { NameServer } from '../../adapters/dns/query.ts';

const some = (what: string) => z.string().min(1, what);

const schema = z.object({
  CONTROL_TABLE: some('the name of a DynamoDB table'),
  SERVICE_NAME: some('what logs and metrics name as their service'),
  STAGE: some('the name of the stage'),
  EDGE_NAME: some('the host that all targets are below'),
  EDGE_MAP_ARN: some('the ARN of a CloudFront KeyValueStore'),
  DISTRIBUTION_ID: some('the id of a distribution'),
  CONNECTION_GROUP: some('the name of a connection group'),
  /** Only the sweep starts executions. */
  WORKFLOW_ARN: z.string().default(''),
  DNS_SERVERS: some('addresses with ports, separated by commas'),
  DNS_PORT: z.coerce.number().int().min(1).max(65_535).default(53),
});

export interface DomainSettings {
  readonly controlTable: string;
  readonly serviceName: string;
  readonly stage: string;
  readonly edgeName: string;
  readonly edgeMapArn: string;
  readonly distributionId: string;
  readonly connectionGroup: string;
  readonly workflowArn: string;
  readonly dnsServers: readonly NameServer[];
  readonly dnsPort: number;
}

/** @throws Error that names every setting that is missing or wrong */
export function parseDomainSettings(environment: Readonly<Record<string, string | undefined>>): DomainSettings {
  const result = schema.safeParse(environment);
  if (!result.success) {
    throw new Error(
      `settings of the function are wrong:\n${result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`).join('\n')}`,
    );
  }
  const { data } = result;
  return {
    controlTable: data.CONTROL_TABLE,
    serviceName: data.SERVICE_NAME,
    stage: data.STAGE,
    edgeName: data.EDGE_NAME,
    edgeMapArn: data.EDGE_MAP_ARN,
    distributionId: data.DISTRIBUTION_ID,
    connectionGroup: data.CONNECTION_GROUP,
    workflowArn: data.WORKFLOW_ARN,
    dnsServers: data.DNS_SERVERS.split(',').map(serverOf),
    dnsPort: data.DNS_PORT,
  };
}

function serverOf(text: string): NameServer {
  const [, address = '', port = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(text.trim()) ?? [];
  if (isIP(address) === 0) throw new Error(`DNS_SERVERS: got ${JSON.stringify(text)}; allowed: an address with a port, such as 9.9.9.9:53`);
  return { address, port: Number(port) };
}
