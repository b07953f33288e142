// Properties that a platform's parts share. The public constructs have defaults for all of them; the parts have none, so that none is forgotten.

import type { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type ParameterGroup, parameterPath } from '../../platforms/aws/stage-parameters.ts';

export interface ServiceProps {
  /** The deployment's name, as in `petstore --stage NAME`: part of the names of its resources, logs and metrics. */
  readonly name: string;
  readonly logRetention: RetentionDays;
  /** The removal policy of tables, files and logs when their stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
}

/** Additional properties of the parts that serve sites. */
export interface SitesProps extends ServiceProps {
  /** Part of the names that all regions share: those of roles and of all CloudFront resources. */
  readonly globalName: string;
  /** The bucket with the sites' files is named after it. */
  readonly tablePrefix: string;
  /** Whether functions reserve concurrency. */
  readonly reserveConcurrency: boolean;
}

/** The parent of projects' own addresses, and the settings for DNS queries about domains and for setting their records. */
export interface PlatformDomainsProps {
  /** The parent of all projects' targets, such as `edge.example.com`. Owners' DNS records contain it, so never change it. */
  readonly edgeName: string;
  /** The Route 53 zone for the edge's records. @default none: set a CNAME record for `*.<edgeName>` manually */
  readonly zone?: ZoneProps | undefined;
  /** The ARN of a certificate for `*.<edgeName>` in us-east-1, for serving projects at their own addresses. @default they are not served there */
  readonly certificateArn?: string | undefined;
  /** Recursive resolvers for domain checks, as `address:port`. @default two independent public ones */
  readonly dnsServers?: readonly string[] | undefined;
  /** Port of authoritative name servers. @default 53 */
  readonly dnsPort?: number | undefined;
  /** Whether name servers may be queried at addresses outside the public internet. @default false */
  readonly dnsPrivateNetworks?: boolean | undefined;
  /**
   * The ids of the Route 53 zones in which owners' records may be set; if empty, in none. If you remove a zone from the list, delete the records in
   * it manually. @default each zone of the AWS account that has the tag `petstore:account`, whose value is the id of the owner's account
   */
  readonly zoneIds?: readonly string[] | undefined;
}

/** These properties with their defaults. */
export type EdgeNameProps = ReturnType<typeof edgeNameOf>;

/** Two independent public resolvers, because one may have an old answer in its cache when the other does not. */
const PUBLIC_RESOLVERS: readonly string[] = ['1.1.1.1:53', '9.9.9.9:53'];

/** Returns the properties with their defaults. */
export function edgeNameOf(props: PlatformDomainsProps) {
  const { edgeName: name, zone, certificateArn, dnsServers = PUBLIC_RESOLVERS, dnsPort = 53, dnsPrivateNetworks = false, zoneIds } = props;
  return { name, zone, certificateArn, dnsServers, dnsPort, dnsPrivateNetworks, zoneIds };
}

/** A Route 53 zone in the same account. */
export interface ZoneProps {
  readonly name: string;
  readonly id: string;
}

/** A limit for all requests together. Each account also has the limits of its plan. */
export interface Throttle {
  /** Requests a second. */
  readonly rate: number;
  /** The size of the token bucket: how many requests may arrive at once. */
  readonly burst: number;
}

/** Returns the ARNs on which to allow `ssm:GetParametersByPath` for reading a group of parameters. */
export function parameterPathArns({ partition, region, account }: Stack, name: string, group: ParameterGroup): string[] {
  const path = `arn:${partition}:ssm:${region}:${account}:parameter${parameterPath(name, group)}`;
  // Both with and without the trailing slash, because AWS does not document which one SSM authorizes.
  return [path, path.replace(/\/$/, '')];
}
