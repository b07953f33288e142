// Which DNS records the platform may change. IAM can't restrict it to the zones of owners: Route 53 supports no conditions on a zone's tags.

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
