// A Lambda function for the domain workflow: its environment, and exactly the permissions that its steps need.

import { Aws, type Duration, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { STAGE_TAG } from '../../adapters/edge/stage-tag.ts';
import { zoneList } from '../../platforms/aws/stage-parameters.ts';
import type { AccessTables } from './catalogue-tables.ts';
import { connectionGroupName } from './edge/edge-origin.ts';
import type { SiteEdge } from './edge/site-edge.ts';
import { type Allow, functionIdentity, reservedConcurrency, SCHEDULED } from './function-identity.ts';
import { type ServiceFunction, serviceFunction } from './service-function.ts';
import type { EdgeNameProps, SitesProps } from './service-props.ts';

/** Properties that all of the workflow's functions need. */
export interface DomainWorkflowProps extends SitesProps {
  readonly edgeName: EdgeNameProps;
  readonly tables: Pick<AccessTables, 'control' | 'audit'>;
  readonly edge: SiteEdge;
  /** The platform's own host names, whose records are not for owners. */
  readonly ownNames: readonly string[];
}

export interface DomainFunctionProps extends DomainWorkflowProps {
  readonly description: string;
  readonly code: 'domain-step' | 'domain-sweep';
  readonly timeout: Duration;
  readonly concurrency: 'steps' | 'sweep';
  /** Whether a schedule's events invoke it. @default false: it is called directly, and its callers retry */
  readonly isScheduled?: boolean;
}

/** The function with its role and log group; `allow` adds permissions. */
export class DomainFunction extends Construct {
  readonly function: ServiceFunction;
  readonly role: Role;
  readonly allow: Allow;

  constructor(scope: Construct, id: string, props: DomainFunctionProps) {
    super(scope, id);
    const { globalName, edgeName, tables, edge } = props;
    const { allow, ...identity } = functionIdentity(
      this,
      props,
      "The same applies to requesting certificates, creating tenants (which requires the stage's tag), and listing certificates and zones.",
    );
    this.role = identity.role;
    this.allow = allow;
    // Uses the pseudo parameter, so that the ids in the findings below are the same in every account.
    const account = Aws.ACCOUNT_ID;
    const cloudFront = (resource: string) => `arn:${Aws.PARTITION}:cloudfront::${account}:${resource}`;

    const { tableArn } = tables.control;
    allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:DeleteItem'], [tableArn]);
    allow(['dynamodb:PutItem'], [tables.audit.tableArn]);
    // This action has no resource-level permissions, not even for the distribution (Service Authorization Reference).
    const ownTag = { StringEquals: { [`aws:RequestTag/${STAGE_TAG}`]: globalName } };
    allow(['cloudfront:CreateDistributionTenant'], ['*'], ownTag);
    allow(
      ['cloudfront:UpdateDistributionTenant', 'cloudfront:DeleteDistributionTenant', 'cloudfront:GetManagedCertificateDetails'],
      [cloudFront('distribution-tenant/*')],
      { StringEquals: { [`aws:ResourceTag/${STAGE_TAG}`]: globalName } },
    );
    allow(['cloudfront:TagResource'], [cloudFront('distribution-tenant/*')], ownTag);
    // There is no condition, because a tenant that does not exist has no tags, and would be reported as forbidden.
    allow(['cloudfront:GetDistributionTenant'], [cloudFront('distribution-tenant/*')]);
    allow(['cloudfront:GetConnectionGroup'], [cloudFront('connection-group/*')]);
    allow(
      ['cloudfront-keyvaluestore:DescribeKeyValueStore', 'cloudfront-keyvaluestore:GetKey', 'cloudfront-keyvaluestore:UpdateKeys'],
      [edge.map.keyValueStoreArn],
    );
    const certificates = [`arn:${Aws.PARTITION}:acm:us-east-1:${account}:certificate/*`];
    allow(['acm:DescribeCertificate', 'acm:ListTagsForCertificate'], certificates);
    // Certificates requested by CloudFront lack the tag, and may be deleted as well; ACM deletes none that is in use. Any other value of the tag
    // protects a certificate, provided that the tag can't be replaced.
    const notAnothers = { StringEqualsIfExists: { [`aws:ResourceTag/${STAGE_TAG}`]: globalName } };
    allow(['acm:AddTagsToCertificate'], certificates, { ...ownTag, ...notAnothers });
    allow(['acm:DeleteCertificate'], certificates, notAnothers);
    // CloudFront requests tenants' certificates untagged, with this role's permission; our own requests have the tag that AddTagsToCertificate needs.
    allow(['acm:RequestCertificate'], ['*'], { StringEqualsIfExists: { [`aws:RequestTag/${STAGE_TAG}`]: globalName } });
    const zones = ownersZones(edgeName.zoneIds);
    if (zones.length > 0) {
      allow(['route53:ListResourceRecordSets', 'route53:ListTagsForResource'], zones);
      allow(['route53:ChangeResourceRecordSets'], zones, recordsOfOwners(props.ownNames, ['UPSERT', 'DELETE']));
    }
    allow(
      ['acm:ListCertificates', 'route53:ListHostedZonesByName', 'cloudfront:GetDistributionTenantByDomain', 'cloudfront:ListDistributions'],
      ['*'],
    );
    for (const resource of [
      'arn:<AWS::Partition>:cloudfront::<AWS::AccountId>:distribution-tenant/*',
      'arn:<AWS::Partition>:cloudfront::<AWS::AccountId>:connection-group/*',
      'arn:<AWS::Partition>:acm:us-east-1:<AWS::AccountId>:certificate/*',
      ...(edgeName.zoneIds === undefined ? ['arn:<AWS::Partition>:route53:::hostedzone/*'] : []),
    ]) {
      Validations.of(this.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason:
          'Tenants and certificates are created at run time, one per domain; zones are created manually, and only used if they are tagged with an account.',
      });
    }

    this.function = serviceFunction(this, 'Function', {
      ...(props.isScheduled && SCHEDULED),
      description: props.description,
      code: props.code,
      memorySize: 512,
      timeout: props.timeout,
      ...reservedConcurrency(props.reserveConcurrency, props.concurrency),
      ...identity,
      environment: {
        CONTROL_TABLE: tables.control.tableName,
        AUDIT_TABLE: tables.audit.tableName,
        STAGE: globalName,
        EDGE_NAME: edgeName.name,
        ...(edgeName.certificateArn !== undefined && { SERVES_TARGETS: 'on' }),
        EDGE_MAP_ARN: edge.map.keyValueStoreArn,
        DISTRIBUTION_ID: edge.distribution.attrId,
        CONNECTION_GROUP: connectionGroupName(globalName),
        DNS_SERVERS: edgeName.dnsServers.join(','),
        DNS_PORT: String(edgeName.dnsPort),
        ...(edgeName.dnsPrivateNetworks && { DNS_PRIVATE_NETWORKS: 'on' }),
        ...(edgeName.zoneIds !== undefined && { ZONE_IDS: zoneList(edgeName.zoneIds) }),
      },
    });
  }
}

// The DNS records that the platform may change. Route 53 has no conditions on tags, so only apps that list owners' zones restrict changes to them.

/** Returns the ARNs of the zones in which owners' records may be set; none if there is no such zone. @param zoneIds undefined for all zones */
export function ownersZones(zoneIds: readonly string[] | undefined): string[] {
  return (zoneIds ?? ['*']).map((id) => `arn:${Aws.PARTITION}:route53:::hostedzone/${id}`);
}

/**
 * Returns the conditions on `route53:ChangeResourceRecordSets`: only types that domains need, and not the platform's own names, which may be in the
 * account's zones (Route 53 Developer Guide, "Using IAM policy conditions for fine-grained access control").
 */
export function recordsOfOwners(own: readonly string[], actions: readonly ('UPSERT' | 'DELETE')[]): Record<string, Record<string, string[]>> {
  return {
    'ForAllValues:StringEquals': {
      'route53:ChangeResourceRecordSetsActions': [...actions],
      'route53:ChangeResourceRecordSetsRecordTypes': ['A', 'AAAA', 'CNAME', 'TXT'],
    },
    ...(own.length > 0 && { 'ForAllValues:StringNotLike': { 'route53:ChangeResourceRecordSetsNormalizedRecordNames': [...own] } }),
  };
}
