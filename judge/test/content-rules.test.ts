// Requests that the models allow but the service refuses because of its content, sent by real SDK clients to a stand-in for the emulator.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import '../localhost-names.ts';
import { freePort } from '../../test/support/ports.ts';
import { type Front, startFront } from '../front.ts';
import type { WireRequest } from '../wire/request.ts';
import { ADMINISTRATOR, EMULATED, type StandIn, startStandIn } from './support/emulator-stand-in.ts';
import { type ServiceName, senderOf } from './support/services.ts';

let standIn: StandIn;
let front: Front;
let send: (service: ServiceName, operation: string, input: object) => Promise<unknown>;

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  standIn = await startStandIn();
  standIn.answer = answer;
  const port = await freePort();
  front = await startFront({ emulatorPort: standIn.port, port, ...EMULATED });
  const settings = { endpoint: `http://localhost:${port}`, region: 'us-east-1', maxAttempts: 1, forcePathStyle: true, credentials: ADMINISTRATOR };
  send = (service, operation, input) => senderOf(service, settings)(operation, input);
});
afterAll(async () => {
  await front.stop();
  await standIn.stop();
});
beforeEach(() => {
  front.record.violations.length = 0;
});

const zone = (name: string, id: string) =>
  `<HostedZone><Id>/hostedzone/${id}</Id><Name>${name}.</Name><CallerReference>1</CallerReference></HostedZone>`;
const ZONES = [zone('a.dev', 'Z1'), zone('nested.shop.dev', 'Z2'), zone('shop.dev', 'Z3'), zone('x.nested.shop.dev', 'Z4'), zone('zoo.dev', 'Z5')];

/** The zone shop.dev, which has an A record at www; lists of zones are sorted by whole name, as in the emulator. */
function answer({ url }: WireRequest, response: ServerResponse): void {
  const record = '<ResourceRecordSet><Name>www.shop.dev.</Name><Type>A</Type><TTL>60</TTL></ResourceRecordSet>';
  if (url.includes('/hostedzonesbyname'))
    response.end(`<ListHostedZonesByNameResponse><HostedZones>${ZONES.join('')}</HostedZones></ListHostedZonesByNameResponse>`);
  else if (url.includes('/rrset?') || url.endsWith('/rrset'))
    response.end(`<ListResourceRecordSetsResponse><ResourceRecordSets>${record}</ResourceRecordSets></ListResourceRecordSetsResponse>`);
  else if (url.includes('/hostedzone/Z3')) response.end(`<GetHostedZoneResponse>${zone('shop.dev', 'Z3')}</GetHostedZoneResponse>`);
  else response.end();
}

const change = (Name: string, Type: string, Action = 'UPSERT') => ({
  HostedZoneId: 'Z3',
  ChangeBatch: { Changes: [{ Action, ResourceRecordSet: { Name, Type, TTL: 60, ResourceRecords: [{ Value: 'x.dev' }] } }] },
});

test.each([
  ['outside of its zone', 'www.shop.com', 'CNAME', /is not in the zone shop\.dev/],
  ['whose name only ends like the zone', 'myshop.dev', 'CNAME', /is not in the zone shop\.dev/],
  ['beside another one of its name', 'www.shop.dev', 'CNAME', /a CNAME and other records/],
  ['at the apex', 'shop.dev', 'CNAME', /the apex of its zone/],
])('a CNAME %s is refused', async (_, name, type, rule) => {
  await expect(send('route53', 'ChangeResourceRecordSets', change(name, type))).rejects.toThrow(rule);
  expect(front.record.violations).toMatchObject([{ operation: 'route53:ChangeResourceRecordSets', rule: expect.stringMatching(rule) }]);
});

test.each([
  ['below the zone', change('new.shop.dev', 'CNAME')],
  ['instead of the same', change('www.shop.dev', 'A')],
  ['to be deleted', change('www.shop.dev', 'A', 'DELETE')],
])('a record %s is forwarded', async (_, input) => {
  await send('route53', 'ChangeResourceRecordSets', input).catch(() => {});
  expect(front.record.violations).toEqual([]);
});

test('zones are listed in the order of their labels, from last to first, beginning with the zone that is asked for', async () => {
  const pages: unknown[] = [];
  for (let start: Record<string, unknown> = { NextDNSName: 'shop.dev' }; start.NextDNSName !== undefined; ) {
    start = (await send('route53', 'ListHostedZonesByName', {
      DNSName: start.NextDNSName,
      HostedZoneId: start.NextHostedZoneId,
      MaxItems: 2,
    })) as typeof start;
    pages.push((start.HostedZones as { Name: string }[]).map(({ Name }) => Name));
  }
  expect(pages).toEqual([
    ['shop.dev.', 'nested.shop.dev.'],
    ['x.nested.shop.dev.', 'zoo.dev.'],
  ]);
});

test.each([
  ['PutObject', (Key: string) => ({ Bucket: 'my-bucket', Key, Body: 'x' })],
  ['HeadObject', (Key: string) => ({ Bucket: 'my-bucket', Key })],
  ['DeleteObjects', (Key: string) => ({ Bucket: 'my-bucket', Delete: { Objects: [{ Key }] } })],
])('%s: keys have at most 1,024 bytes', async (operation, input) => {
  await send('s3', operation, input('ä'.repeat(512))).catch(() => {});
  expect(front.record.violations).toEqual([]);
  await expect(send('s3', operation, input(`${'ä'.repeat(512)}x`))).rejects.toThrow();
  expect(front.record.violations).toMatchObject([{ operation: `s3:${operation}`, member: 'Key' }]);
});
