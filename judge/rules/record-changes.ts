// What Route 53 refuses as InvalidChangeBatch (API reference, ChangeResourceRecordSets; Developer Guide, "Supported DNS record types"), and the order of
// its lists. Service models have no rules about a zone's content.

import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';

const nameOf = ({ Name = '' }: Pick<ResourceRecordSet, 'Name'>) => Name.replace(/\.$/, '').toLowerCase();

/**
 * Returns a sort key for Route 53's order: by the name's labels from last to first, then by type and identifier (API reference, ListResourceRecordSets).
 * The separator between the parts sorts before every character of a name.
 */
export const recordOrder = (name = '', type = '', identifier = '') =>
  [name.replace(/\.$/, '').split('.').toReversed().join('\u0001'), type, identifier].join('\u0000');

/** @param zone the zone's name @param present the zone's record sets @returns why Route 53 would refuse these changes; undefined if it would make them */
export function changeProblem(zone: string, present: readonly ResourceRecordSet[], changes: readonly Change[]): string | undefined {
  const apex = nameOf({ Name: zone });
  const sets = changes.flatMap(({ ResourceRecordSet }) => ResourceRecordSet ?? []);
  const outside = sets.find((set) => nameOf(set) !== apex && !nameOf(set).endsWith(`.${apex}`));
  if (outside !== undefined) return `${outside.Name} is not in the zone ${apex}`;
  const added = changes.flatMap(({ Action, ResourceRecordSet }) =>
    Action === 'DELETE' || ResourceRecordSet === undefined ? [] : [ResourceRecordSet],
  );
  const isChanged = (set: ResourceRecordSet) => sets.some((other) => nameOf(other) === nameOf(set) && other.Type === set.Type);
  const after = [...present.filter((set) => !isChanged(set)), ...added];
  for (const set of added) {
    const types = new Set(after.filter((other) => nameOf(other) === nameOf(set)).map(({ Type }) => Type));
    if (types.has('CNAME') && types.size > 1) return `${set.Name} would have a CNAME and other records: ${[...types].join(', ')}`;
    if (set.Type === 'CNAME' && nameOf(set) === apex) return `${set.Name} is the apex of its zone, which has no CNAME`;
  }
  return undefined;
}
