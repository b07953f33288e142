// Which DNS records the platform may change. IAM can't restrict it to owners' zones by tags, because Route 53 has no conditions on them. Apps that know
// the zones list them.

import { Aws } from 'aws-cdk-lib';

/** Returns the ARNs of the zones in which owners' records may be set; none if there is no such zone. @param zoneIds undefined: all zones */
export function ownersZones(zoneIds: readonly string[] | undefined): string[] {
  return (zoneIds ?? ['*']).map((id) => `arn:${Aws.PARTITION}:route53:::hostedzone/${id}`);
}

/**
 * Returns the conditions on `route53:ChangeResourceRecordSets`: only types that domains need, and not the platform's own names, which may be in one of
 * the account's zones (Route 53 Developer Guide, "Using IAM policy conditions for fine-grained access control").
 *
 * @param own the platform's own names
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
