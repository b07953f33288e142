// Hosted zones in this AWS account, and their records.

import {
  ChangeResourceRecordSetsCommand,
  type HostedZone,
  ListHostedZonesByNameCommand,
  type ListHostedZonesByNameResponse,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsResponse,
  ListTagsForResourceCommand,
  type ResourceRecordSet,
  type Route53Client,
} from '@aws-sdk/client-route-53';
import { isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import { unlessNamed } from '../aws-errors.ts';

/** A zone is used only for the account whose id is the value of this tag, so no account gets records in another account's zone. */
export const ACCOUNT_TAG = 'petstore:account';
/** Maximum number of zones per page (API reference). */
const ZONES = 100;
/** Page size in record sets: a name usually has one or two, and the rest of the page is discarded. */
const PAGE = 20;

export interface Zone {
  readonly id: string;
  /** Without a trailing dot. */
  readonly name: string;
  /** The service's account that the zone belongs to. */
  readonly accountId: string;
}

export interface Zones {
  /** Returns the zone that holds a host; undefined if the zone may not be used, or is not tagged with one of the service's accounts. */
  zoneOf(host: string): Promise<Zone | undefined>;
  /** Returns the records of all types at a name. */
  recordsAt(zone: Zone, name: string): Promise<readonly ResourceRecordSet[]>;
  upsert(zone: Zone, records: readonly ResourceRecordSet[]): Promise<void>;
  /** Removes records that match exactly; all others are kept. */
  remove(zone: Zone, records: readonly ResourceRecordSet[]): Promise<void>;
}

/** Creates access to the account's public hosted zones. @param zoneIds the only zones that may be used. @default all zones */
export function createRoute53Zones(client: Route53Client, zoneIds?: readonly string[]): Zones {
  const change = async (zone: Zone, action: 'UPSERT' | 'DELETE', records: readonly ResourceRecordSet[]) => {
    const Changes = records.map((record) => ({ Action: action, ResourceRecordSet: record }));
    await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: zone.id, ChangeBatch: { Changes } }));
  };

  /** Yields the zones at or below a name. The list is ordered by the labels from last to first, so these zones are adjacent, usually on one page. */
  async function* zonesBelow(name: string): AsyncGenerator<HostedZone> {
    let start: Partial<ListHostedZonesByNameResponse> = { NextDNSName: name };
    while (start.NextDNSName !== undefined) {
      const command = new ListHostedZonesByNameCommand({ DNSName: start.NextDNSName, HostedZoneId: start.NextHostedZoneId, MaxItems: ZONES });
      start = await client.send(command);
      for (const zone of start.HostedZones ?? []) {
        if (!isAtOrBelow(withoutDot(zone.Name ?? ''), name)) return;
        yield zone;
      }
    }
  }

  return {
    zoneOf: async (host) => {
      if (zoneIds?.length === 0) return undefined;
      let best: { id: string; name: string } | undefined;
      for await (const { Id = '', Name = '', Config } of zonesBelow(registeredDomain(host))) {
        const name = withoutDot(Name);
        // Of several nested zones, the innermost one is authoritative for the name.
        if (Config?.PrivateZone !== true && isAtOrBelow(host, name) && name.length > (best?.name.length ?? 0))
          best = { id: Id.replace('/hostedzone/', ''), name };
      }
      // A zone that may not be used is still authoritative, so records in a zone above it would have no effect.
      if (best === undefined || zoneIds?.includes(best.id) === false) return undefined;
      const { ResourceTagSet } = await client.send(new ListTagsForResourceCommand({ ResourceType: 'hostedzone', ResourceId: best.id }));
      const accountId = ResourceTagSet?.Tags?.find(({ Key }) => Key === ACCOUNT_TAG)?.Value;
      return accountId === undefined ? undefined : { ...best, accountId };
    },

    recordsAt: async (zone, name) => {
      const found: ResourceRecordSet[] = [];
      let start: Partial<ListResourceRecordSetsResponse> = { NextRecordName: name };
      // The SDK has no paginator for this list. After this name's records, the list continues with those of later names.
      while (start.NextRecordName !== undefined && withoutDot(start.NextRecordName) === name) {
        start = await client.send(
          new ListResourceRecordSetsCommand({
            HostedZoneId: zone.id,
            StartRecordName: name,
            StartRecordType: start.NextRecordType,
            StartRecordIdentifier: start.NextRecordIdentifier,
            MaxItems: PAGE,
          }),
        );
        found.push(...(start.ResourceRecordSets ?? []).filter(({ Name = '' }) => withoutDot(Name) === name));
      }
      return found;
    },

    upsert: (zone, records) => change(zone, 'UPSERT', records),

    remove: async (zone, records) => {
      // Route 53 rejects this if the record does not exist or differs, in which case it is not ours.
      for (const record of records) await change(zone, 'DELETE', [record]).catch(unlessNamed('InvalidChangeBatch'));
    },
  };
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}
