// Zones of Route 53 that are in this account, and records in them.

import {
  ChangeResourceRecordSetsCommand,
  InvalidChangeBatch,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsResponse,
  ListTagsForResourceCommand,
  paginateListHostedZones,
  type ResourceRecordSet,
  type Route53Client,
} from '@aws-sdk/client-route-53';
import { isAtOrBelow } from '../../core/domains/host-name.ts';

/** A zone is used for an account only if it carries the account's id under this tag: nobody gets records in somebody else's zone. */
export const ACCOUNT_TAG = 'petstore:account';
/** Record sets read at a time: a name has one or two as a rule, and what lies behind it is read for nothing. */
const PAGE = 20;

export interface Zone {
  readonly id: string;
  /** Without a dot at the end. */
  readonly name: string;
  /** The account that the zone belongs to. */
  readonly accountId: string;
}

export interface Zones {
  /** The zone that a host is in, if it is tagged for an account of the service. */
  zoneOf(host: string): Promise<Zone | undefined>;
  /** The records at a name, of all types. */
  recordsAt(zone: Zone, name: string): Promise<readonly ResourceRecordSet[]>;
  upsert(zone: Zone, records: readonly ResourceRecordSet[]): Promise<void>;
  /** Removes records that stand there exactly so; others stay. */
  remove(zone: Zone, records: readonly ResourceRecordSet[]): Promise<void>;
}

export function createRoute53Zones(client: Route53Client): Zones {
  const change = async (zone: Zone, action: 'UPSERT' | 'DELETE', records: readonly ResourceRecordSet[]) => {
    const Changes = records.map((record) => ({ Action: action, ResourceRecordSet: record }));
    await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: zone.id, ChangeBatch: { Changes } }));
  };

  return {
    zoneOf: async (host) => {
      let best: { id: string; name: string } | undefined;
      for await (const { HostedZones = [] } of paginateListHostedZones({ client }, {})) {
        for (const { Id = '', Name = '', Config } of HostedZones) {
          const name = withoutDot(Name);
          // Of zones one below the other the nearest answers for the name.
          if (Config?.PrivateZone !== true && isAtOrBelow(host, name) && name.length > (best?.name.length ?? 0))
            best = { id: Id.replace('/hostedzone/', ''), name };
        }
      }
      if (best === undefined) return undefined;
      const { ResourceTagSet } = await client.send(new ListTagsForResourceCommand({ ResourceType: 'hostedzone', ResourceId: best.id }));
      const accountId = ResourceTagSet?.Tags?.find(({ Key }) => Key === ACCOUNT_TAG)?.Value;
      return accountId === undefined ? undefined : { ...best, accountId };
    },

    recordsAt: async (zone, name) => {
      const found: ResourceRecordSet[] = [];
      let start: Partial<ListResourceRecordSetsResponse> = { NextRecordName: name };
      // The SDK has no paginator for this list, which goes on with the names behind this one.
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
      for (const record of records) {
        await change(zone, 'DELETE', [record]).catch((error: unknown) => {
          // It is not there, or not so: then it is not ours.
          if (!(error instanceof InvalidChangeBatch)) throw error;
        });
      }
    },
  };
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}
