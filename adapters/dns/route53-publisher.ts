// Publishes a domain's records in Route 53, for owners whose zone is in this AWS account.

import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { NeededRecord, PublishResult, RecordPublisher, ZoneInspector } from '../../core/domains/ports.ts';
import type { Zone, Zones } from './route53-zones.ts';

/** The hosted zone id of every alias to CloudFront (Route 53 API reference, AliasTarget). */
const CLOUDFRONT_ZONE = 'Z2FDTNDATAQYW2';

/** Creates a publisher that writes to Route 53. @param routingEndpoint returns the connection group's endpoint, the alias target of an apex */
export function createRoute53Publisher(zones: Zones, routingEndpoint: () => Promise<string>): RecordPublisher {
  async function zoneFor(accountId: string, host: string): Promise<Zone | undefined> {
    const zone = await zones.zoneOf(host);
    return zone?.accountId === accountId ? zone : undefined;
  }

  /** Returns the Route 53 record sets for a record; other TXT values at the name are preserved. */
  async function setsOf({ type, name, value, ttl }: NeededRecord, present: readonly ResourceRecordSet[]): Promise<ResourceRecordSet[]> {
    switch (type) {
      case 'CNAME':
        return [{ Name: name, Type: 'CNAME', TTL: ttl, ResourceRecords: [{ Value: value }] }];
      case 'ALIAS': {
        const AliasTarget = { HostedZoneId: CLOUDFRONT_ZONE, DNSName: await routingEndpoint(), EvaluateTargetHealth: false };
        return (['A', 'AAAA'] as const).map((Type) => ({ Name: name, Type, AliasTarget }));
      }
      case 'TXT': {
        const others = present.find(({ Type }) => Type === 'TXT')?.ResourceRecords ?? [];
        const quoted = `"${value}"`;
        return [{ Name: name, Type: 'TXT', TTL: ttl, ResourceRecords: [...others.filter(({ Value }) => Value !== quoted), { Value: quoted }] }];
      }
    }
  }

  return {
    publish: async (accountId, host, records) => {
      const zone = await zoneFor(accountId, host);
      if (zone === undefined) return { kind: 'no_zone' };
      let wanted: readonly ResourceRecordSet[] = [];
      for (const record of records) {
        const present = withChanges(await zones.recordsAt(zone, record.name), wanted, record.name);
        const sets = await setsOf(record, present);
        const inTheWay = present.find((other) => clash(record.type, other) && !sets.some((own) => isSame(own, other)));
        if (inTheWay !== undefined) return { kind: 'conflict', seen: `${record.name} has ${inTheWay.Type} ${textOf(inTheWay)}` };
        wanted = withChanges(wanted, sets);
      }
      await zones.upsert(zone, wanted);
      return { kind: 'published' };
    },

    manages: async (accountId, host) => (await zoneFor(accountId, host)) !== undefined,

    withdraw: async (accountId, host, records) => {
      const zone = await zoneFor(accountId, host);
      if (zone === undefined) return;
      for (const record of records) {
        const present = await zones.recordsAt(zone, record.name);
        for (const own of await setsOf(record, present)) {
          const there = present.find((other) => other.Type === own.Type);
          const left = record.type === 'TXT' ? (there?.ResourceRecords ?? []).filter(({ Value }) => Value !== `"${record.value}"`) : [];
          if (there === undefined || !(record.type === 'TXT' ? left.length < (there.ResourceRecords?.length ?? 0) : isSame(own, there))) continue;
          if (left.length > 0) await zones.upsert(zone, [{ ...there, ResourceRecords: left }]);
          else await zones.remove(zone, [there]);
        }
      }
    },
  };
}

/** Returns the record sets with the changes applied. @param name only changes at this name are applied. @default all */
function withChanges(sets: readonly ResourceRecordSet[], changes: readonly ResourceRecordSet[], name?: string): readonly ResourceRecordSet[] {
  const made = changes.filter((change) => name === undefined || change.Name === name);
  const isReplaced = (set: ResourceRecordSet) => made.some(({ Name, Type }) => Type === set.Type && Name === set.Name?.replace(/\.$/, ''));
  return [...sets.filter((set) => !isReplaced(set)), ...made];
}

/** Whether two records can't coexist: a CNAME conflicts with every other record, an ALIAS only with address records (RFC 1034, section 3.6.2). */
function clash(needed: NeededRecord['type'], { Type }: ResourceRecordSet): boolean {
  if (needed === 'CNAME' || Type === 'CNAME') return true;
  return needed === 'ALIAS' && (Type === 'A' || Type === 'AAAA');
}

function isSame(one: ResourceRecordSet, other: ResourceRecordSet): boolean {
  return one.Type === other.Type && textOf(one).toLowerCase() === textOf(other).toLowerCase();
}

function textOf({ AliasTarget, ResourceRecords = [] }: ResourceRecordSet): string {
  const values = AliasTarget?.DNSName !== undefined ? [AliasTarget.DNSName] : ResourceRecords.map(({ Value = '' }) => Value);
  return values.map((value) => value.replace(/\.$/, '')).join(' ');
}

// Publishes through the function for the workflow's steps, so the control API's function, which the internet can reach, can't change DNS.

/** Creates the publisher. It rejects if the function fails. @param functionName the name or ARN of the function */
export function createDelegatedPublisher(client: LambdaClient, functionName: string): Pick<RecordPublisher, 'publish'> {
  return {
    publish: async (accountId, host, records) => {
      const { hasFailed, text } = await invoke(client, functionName, { publish: { accountId, host, records } });
      if (hasFailed) throw new Error(`publishing the records of ${host}: ${text}`);
      return JSON.parse(text) as PublishResult;
    },
  };
}

async function invoke(client: LambdaClient, FunctionName: string, event: object, options: { readonly abortSignal?: AbortSignal } = {}) {
  const command = new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) });
  const { FunctionError, Payload } = await client.send(command, options);
  return { hasFailed: FunctionError !== undefined, text: Buffer.from(Payload ?? []).toString() };
}

// Delegates the inspection of a zone to the function for the workflow's steps, which has the resolvers' settings and permission to read Route 53.

/** Time limit, in milliseconds: short, because an owner is waiting for the domain to be added. */
const DEADLINE_MS = 2_000;

/** Creates the inspector. @param functionName the name or ARN of the function */
export function createDelegatedInspector(client: LambdaClient, functionName: string): ZoneInspector {
  return {
    inspect: async (accountId, host) => {
      try {
        const abortSignal = AbortSignal.timeout(DEADLINE_MS);
        const { hasFailed, text } = await invoke(client, functionName, { inspect: { accountId, host } }, { abortSignal });
        // Without a zone, the function returns null.
        return hasFailed ? undefined : (JSON.parse(text) ?? undefined);
      } catch {
        // A cold start takes longer than the limit; the domain's first check will find the zone.
        return undefined;
      }
    },
  };
}
