// What the parts of a platform have in common. The constructs for other people's apps (keyed-api.ts, catalogue.ts, custom-domains.ts) have defaults
// for all of it; the parts in between have none, so that none of them is forgotten.

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

export interface ServiceProps {
  /** The deployment's name, as in `petstore --stage NAME`: part of the names of its resources, logs and metrics. */
  readonly name: string;
  readonly logRetention: RetentionDays;
  /** What happens to tables, files and logs when their stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
}

/** What serves sites also has. */
export interface SitesProps extends ServiceProps {
  /** The name in the names of roles and of everything in CloudFront, which are shared by all regions. */
  readonly globalName: string;
  /** The bucket with the sites' files is named after it. */
  readonly tablePrefix: string;
  /** Whether functions reserve concurrency, as reserved-concurrency.ts says. */
  readonly reserveConcurrency: boolean;
}

/** The name below which projects' own addresses are, and how DNS is asked about domains. */
export interface EdgeNameProps {
  /** The parent of all projects' targets, such as `edge.example.com`. */
  readonly name: string;
  /** The Route 53 zone for the edge's records. Undefined: they are set manually. */
  readonly zone: ZoneProps | undefined;
  /** A certificate for all targets, with which projects are served there. Undefined: they are not. */
  readonly certificateArn: string | undefined;
  /** Recursive resolvers for domain checks, as `address:port`. */
  readonly dnsServers: readonly string[];
  /** Port of authoritative name servers. */
  readonly dnsPort: number;
  /** Whether name servers may be queried at addresses outside the public internet. */
  readonly dnsPrivateNetworks: boolean;
}

/** Two independent public resolvers: if one still has an old answer in its cache, the other may not. */
export const PUBLIC_RESOLVERS: readonly string[] = ['1.1.1.1:53', '9.9.9.9:53'];

/** A Route 53 zone in the same account. */
export interface ZoneProps {
  readonly name: string;
  readonly id: string;
}
