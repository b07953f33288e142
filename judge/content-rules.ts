// Rules about a service's content, which its model can't express and the emulator does not check: S3 keys, Route 53 records, and the order of zones.

import { GetHostedZoneCommand, ListResourceRecordSetsCommand, NoSuchHostedZone, Route53Client } from '@aws-sdk/client-route-53';
import type { Answer } from './answers.ts';
import { changeProblem, recordOrder } from './rules/record-changes.ts';
import type { Violation } from './rules/service-model.ts';
import type { Credentials } from './sign.ts';
import type { Call } from './wire/call.ts';
import type { Input } from './wire/model.ts';

/** Limit for a key in UTF-8 (S3 User Guide, "Naming Amazon S3 objects"). */
const MAX_KEY_BYTES = 1_024;

export interface ContentRules {
  /** The rules that a call breaks. */
  violations(call: Call): Promise<readonly Violation[]>;
}

/** @param endpoint the emulator itself, because these calls are the judge's own */
export function createContentRules(endpoint: string, administrator: Credentials): ContentRules {
  const route53 = new Route53Client({ endpoint, region: 'us-east-1', credentials: administrator });

  async function problemOfChange({ HostedZoneId, ChangeBatch }: Input): Promise<string | undefined> {
    const zone = { HostedZoneId: String(HostedZoneId) };
    const { Changes } = ChangeBatch as { Changes: Parameters<typeof changeProblem>[2] };
    try {
      const { HostedZone } = await route53.send(new GetHostedZoneCommand({ Id: zone.HostedZoneId }));
      // No zone in a run has more records than one page.
      const { ResourceRecordSets = [] } = await route53.send(new ListResourceRecordSetsCommand(zone));
      return changeProblem(HostedZone?.Name ?? '', ResourceRecordSets, Changes);
    } catch (error) {
      if (error instanceof NoSuchHostedZone) return undefined;
      throw error;
    }
  }

  return {
    violations: async ({ service, operation, input }) => {
      const name = `${service}:${operation}`;
      const keys =
        service === 's3' ? [input.Key, ...(((input.Delete as Input | undefined)?.Objects as Input[] | undefined) ?? []).map(({ Key }) => Key)] : [];
      const tooLong = keys.filter((key) => Buffer.byteLength(String(key ?? '')) > MAX_KEY_BYTES);
      const problem = name === 'route53:ChangeResourceRecordSets' ? await problemOfChange(input) : undefined;
      return [
        ...tooLong.map((value) => ({ operation: name, member: 'Key', value, rule: `at most ${MAX_KEY_BYTES} bytes` })),
        ...(problem === undefined ? [] : [{ operation: name, member: 'ChangeBatch', value: input.ChangeBatch, rule: problem }]),
      ];
    },
  };
}

/** The path that lists all zones, because the emulator would choose a page by the order of their whole names. */
export const ALL_ZONES = '/2013-04-01/hostedzonesbyname?maxitems=100';

/** The page of ListHostedZonesByName that was requested, cut from the list of all zones, which is sorted by labels from last to first (API reference). */
export function zonesInOrder(all: Answer, { DNSName = '', HostedZoneId = '', MaxItems = 100 }: Input): Answer {
  const valueIn = (text: string, name: string) => new RegExp(`<${name}>(?:/hostedzone/)?([^<]*)<`).exec(text)?.[1] ?? '';
  const zones = [...all.body.toString().matchAll(/<HostedZone>.*?<\/HostedZone>/gs)].map(([text]) => ({
    text,
    name: valueIn(text, 'Name'),
    id: valueIn(text, 'Id'),
  }));
  const from = zones
    .map((zone) => ({ ...zone, order: recordOrder(zone.name, zone.id) }))
    .filter(({ order }) => order >= recordOrder(String(DNSName), String(HostedZoneId)))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1));
  const next = from[Number(MaxItems)];
  const following = next === undefined ? '' : `<NextDNSName>${next.name}</NextDNSName><NextHostedZoneId>${next.id}</NextHostedZoneId>`;
  const list = from
    .slice(0, Number(MaxItems))
    .map(({ text }) => text)
    .join('');
  const body = `<ListHostedZonesByNameResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZones>${list}</HostedZones><IsTruncated>${next !== undefined}</IsTruncated><MaxItems>${MaxItems}</MaxItems>${following}</ListHostedZonesByNameResponse>`;
  return { ...all, body: Buffer.from(body) };
}
