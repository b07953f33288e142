// Route 53: zones with their tags and records.

import {
  ChangeResourceRecordSetsCommand,
  ChangeStatus,
  InvalidChangeBatch,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  ListTagsForResourceCommand,
  NoSuchHostedZone,
  type ResourceRecordSet,
  Route53Client,
  ThrottlingException,
} from '@aws-sdk/client-route-53';
import { changeProblem, recordOrder } from '../../../judge/rules.ts';
import { CLIENT_SETTINGS, type MemoryAccount } from './account.ts';
import { pageOf } from './pages.ts';
import { recordSetsFrom } from './record-sets.ts';

/** Creates a client of the account's Route 53. */
export function route53Of(account: MemoryAccount): Route53Client {
  const client = account.clientOf(new Route53Client(CLIENT_SETTINGS));

  account.on(ListHostedZonesByNameCommand, ({ DNSName, HostedZoneId = '', MaxItems }) => {
    const order = (name = '', id = '') => `${recordOrder(name)}${id}`;
    const all = [...account.zones].map(([id, { name, isPrivate = false }]) => ({ id, name, isPrivate }));
    const from = all
      .filter(({ id, name }) => order(name, id) >= order(DNSName, HostedZoneId))
      .toSorted((a, b) => (order(a.name, a.id) < order(b.name, b.id) ? -1 : 1));
    const { items, next } = pageOf(new Map(from.map((zone) => [zone.id, zone])), undefined);
    const HostedZones = items.map(({ id, name, isPrivate }) => ({
      Id: `/hostedzone/${id}`,
      Name: `${name}.`,
      CallerReference: id,
      Config: { PrivateZone: isPrivate },
    }));
    const following = next === undefined ? {} : { NextDNSName: `${account.zones.get(next)?.name}.`, NextHostedZoneId: next };
    return { HostedZones, DNSName, HostedZoneId, MaxItems, IsTruncated: next !== undefined, ...following };
  });

  account.on(ListTagsForResourceCommand, ({ ResourceType, ResourceId = '' }) => ({
    ResourceTagSet: { ResourceType, ResourceId, Tags: account.zones.get(ResourceId)?.tags },
  }));

  account.on(ListResourceRecordSetsCommand, (input) => recordSetsFrom(account.zones.get(input.HostedZoneId ?? '')?.records ?? [], input));

  account.on(ChangeResourceRecordSetsCommand, ({ HostedZoneId = '', ChangeBatch }) => {
    const changes = ChangeBatch?.Changes ?? [];
    const { throttledRecord } = account;
    if (throttledRecord !== undefined && changes.some(({ ResourceRecordSet: set }) => set?.Name === throttledRecord))
      throw new ThrottlingException({ message: 'Rate exceeded', $metadata: {} });
    const zone = account.zones.get(HostedZoneId);
    if (zone === undefined) throw new NoSuchHostedZone({ message: 'no such zone', $metadata: {} });
    const message = changeProblem(zone.name, zone.records, changes);
    if (message !== undefined) throw new InvalidChangeBatch({ message, $metadata: {} });
    for (const { Action, ResourceRecordSet } of changes) {
      if (ResourceRecordSet !== undefined) change(zone.records, Action === 'DELETE', ResourceRecordSet);
    }
    return { ChangeInfo: { Id: `/change/C${account.calls}`, Status: ChangeStatus.PENDING, SubmittedAt: new Date(0) } };
  });

  return client;
}

/** @throws InvalidChangeBatch if the record set to delete differs or is missing */
function change(records: ResourceRecordSet[], isDeletion: boolean, set: ResourceRecordSet): void {
  const record = { ...set, Name: `${set.Name?.replace(/\.$/, '')}.` };
  const at = records.findIndex(({ Name, Type }) => Name === record.Name && Type === record.Type);
  if (isDeletion) {
    if (at < 0 || JSON.stringify(records[at]?.ResourceRecords) !== JSON.stringify(record.ResourceRecords))
      throw new InvalidChangeBatch({ message: 'it was not found', $metadata: {} });
    records.splice(at, 1);
  } else if (at < 0) records.push(record);
  else records[at] = record;
}
