// A page of ListResourceRecordSets as Route 53 returns it (API reference): all names from a starting name on, ordered by their labels from last to
// first, with each name's sets ordered by type and identifier.

import type { ListResourceRecordSetsRequest, ListResourceRecordSetsResponse, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { recordOrder } from '../../../judge/rules.ts';

/** The page that a request asks for, out of all record sets in a zone. */
export function recordSetsFrom(all: readonly ResourceRecordSet[], request: ListResourceRecordSetsRequest): ListResourceRecordSetsResponse {
  const { StartRecordName, StartRecordType, StartRecordIdentifier, MaxItems = 300 } = request;
  const start = recordOrder(StartRecordName, StartRecordType, StartRecordIdentifier);
  const sets = all
    .map((set) => ({ set, order: recordOrder(set.Name, set.Type, set.SetIdentifier) }))
    .filter(({ order }) => order >= start)
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ set }) => set);
  const next = sets[MaxItems];
  return {
    ResourceRecordSets: sets.slice(0, MaxItems),
    IsTruncated: next !== undefined,
    MaxItems,
    ...(next && { NextRecordName: next.Name, NextRecordType: next.Type }),
    ...(next?.SetIdentifier !== undefined && { NextRecordIdentifier: next.SetIdentifier }),
  };
}
